"""What the generic extractor reads off a request: units, rows, roles, kinds, formats, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ares_core.planner.generic import fill
from ares_core.planner.lexical import stem

TEXT, WHOLE, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}


def schema(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def said(kind: Mapping[str, Any], description: str) -> dict[str, Any]:
    return {**kind, "description": description}


def array(kind: Mapping[str, Any], description: str = "") -> dict[str, Any]:
    return {"type": "array", "items": dict(kind), "description": description}


KELVIN = said(WHOLE, "The temperature in Kelvin.")
QUANTITIES = [
    (schema("temperature", temperature=KELVIN), "the pressure of a gas at 298K", {"temperature": 298}),
    (schema("salary", salary=WHOLE), "the tax on a salary of 40K", {"salary": 40_000}),
    (schema("height", height=said(NUMBER, "Height in inches.")), "a man of 5 ft 10 in", {"height": 70}),
    (schema("charge", charge=said(NUMBER, "Charge in coulombs.")), "a charge of 3 microcoulomb", {"charge": 3e-06}),
    (schema("days", days=said(WHOLE, "Number of days.")), "the forecast for the next 2 weeks", {"days": 14}),
    (schema("days", days=said(WHOLE, "Number of days.")), "the forecast for next week", {"days": 7}),
    (schema("rate", rate=said(NUMBER, "Rate in percent.")), "a loan at a rate of 4.5%", {"rate": 4.5}),
    (schema("rate", rate=said(NUMBER, "As a decimal, such as 0.05.")), "a loan at a rate of 4.5%", {"rate": 0.045}),
    (schema("width", "depth", width=WHOLE, depth=WHOLE), "width and depth of 3 and 4", {"width": 3, "depth": 4}),
    (schema("width", "depth", width=WHOLE, depth=WHOLE), "depth 4 m, width 3 m", {"width": 3, "depth": 4}),
    (schema("side1", "side2", side1=WHOLE, side2=WHOLE), "two sides, 7 and 9", {"side1": 7, "side2": 9}),
    (schema("century", century=WHOLE), "painters of the 17th century", {"century": 17}),
    (schema("year", "count", year=WHOLE, count=WHOLE), "5 films of 1994", {"year": 1994, "count": 5}),
    (schema("start", "end", start=WHOLE, end=WHOLE), "primes between 10 and 50", {"start": 10, "end": 50}),
    (schema("hour", hour=WHOLE), "wake me at 7 pm", {"hour": 19}),
    (schema("flows", flows=array(WHOLE)), "flows=[200,300,400]", {"flows": [200, 300, 400]}),
]
ROLES = [
    (
        schema("source", "target", source=TEXT, target=TEXT),
        "translate this from Welsh to Breton",
        {"source": "Welsh", "target": "Breton"},
    ),
    (
        schema("from_currency", "to_currency", from_currency=TEXT, to_currency=TEXT),
        "change 30 pounds to Canadian dollars",
        {"from_currency": "GBP", "to_currency": "CAD"},
    ),
    (
        schema("author", author=TEXT, city=TEXT),
        "books by Karen Blixen in Oslo",
        {"author": "Karen Blixen", "city": "Oslo"},
    ),
    (schema("city", city=said(TEXT, "City and state, e.g. Reno, NV")), "museums in Seattle", {"city": "Seattle, WA"}),
    (schema("city", "country", city=TEXT, country=TEXT), "the time in Lima, Peru", {"city": "Lima", "country": "Peru"}),
    (schema("cuisine", cuisine=said(TEXT, "Such as greek or thai.")), "a Greek tavern nearby", {"cuisine": "greek"}),
    (
        schema("league", "team", league=TEXT, team=TEXT),
        "the rank of Ajax in the Dutch League",
        {"league": "Dutch League", "team": "Ajax"},
    ),
    (schema("order_id", order_id=TEXT), "where is order AB-1204?", {"order_id": "AB-1204"}),
    (schema("formula", formula=TEXT), "differentiate y = 4x^3 - 2x", {"formula": "4x^3 - 2x"}),
    (schema("unit", distance=NUMBER, unit=TEXT), "how far is it in miles?", {"unit": "miles"}),
    (schema("room_type", room_type=TEXT), "book a double room", {"room_type": "double"}),
    (schema("items", items=array(TEXT)), "buy pears, plums and olive oil", {"items": ["pears", "plums", "olive oil"]}),
    (
        schema("order", order=said(TEXT, "'asc' for ascending order, 'desc' for descending order")),
        "sort the names in descending order",
        {"order": "desc"},
    ),
    (
        schema("priority", priority={"type": "string", "enum": ["low", "high"]}),
        "open an urgent ticket",
        {"priority": "high"},
    ),
    (schema("date", date=said(TEXT, "MM-DD-YYYY")), "trains on 3 May 2031", {"date": "05-03-2031"}),
    (
        schema("budget", budget={"type": "object", "properties": {"min": WHOLE, "max": WHOLE}}),
        "a flat from 900 to 1200",
        {"budget": {"min": 900, "max": 1200}},
    ),
]
CHINESE = [
    (schema("city", city=TEXT, days=WHOLE), "北京未来三天的天气", {"city": "北京", "days": 3}),
    (schema("width", "height", width=NUMBER, height=NUMBER), "宽度是3，高度是4.5", {"width": 3, "height": 4.5}),
    (schema("color", color={"type": "string", "enum": ["red", "blue"]}), "给我一个蓝色的杯子", {"color": "blue"}),
    (schema("text", text=TEXT), "翻译“早上好”", {"text": "早上好"}),
]


@pytest.mark.parametrize(("parameters", "request_", "arguments"), [*QUANTITIES, *ROLES, *CHINESE])
def test_a_value_goes_where_its_words_say(
    parameters: Mapping[str, Any], request_: str, arguments: Mapping[str, Any]
) -> None:
    assert fill(parameters, request_).arguments == arguments


def test_a_noun_that_only_says_what_the_tool_is_about_is_no_value() -> None:
    found = fill(schema("query", kind=TEXT), "find a ferry", frozenset({stem("ferry")}))
    assert found.arguments == {}


def test_what_is_not_said_is_left_out_although_it_has_a_default() -> None:
    parameters = schema(
        "city", city=TEXT, unit=said(TEXT, "Default is 'celsius'."), limit=said(WHOLE, "Default is 10.")
    )
    assert fill(parameters, "rain in Turin").arguments == {"city": "Turin"}


def test_a_required_object_of_which_nothing_is_said_is_missing() -> None:
    budget = {"type": "object", "properties": {"min": WHOLE, "max": WHOLE}}
    assert fill(schema("budget", budget=budget), "a quiet flat").missing == ("budget",)


def test_each_value_stands_where_it_is_said_to_stand() -> None:
    request = "flights from Rome to Oslo for 2 people"
    parameters = schema(origin=TEXT, destination=TEXT, people=WHOLE)
    found = fill(parameters, request)
    said_there = {name: request[place.start : place.end] for name, place in found.places.items()}
    assert said_there == {"origin": "Rome", "destination": "Oslo", "people": "2"}


WORDS = st.lists(
    st.sampled_from(
        "book Rome Oslo 3 4.5 from to of and , 'x y' cheap rooms 5% 2031-05-03 K 宽度 [ ] {'a': 1} .".split(" ")
    ),
    max_size=14,
).map(" ".join)
PARAMETERS = schema("city", city=TEXT, rooms=WHOLE, rate=NUMBER, date=TEXT, tags=array(TEXT), sizes=array(NUMBER))


@given(WORDS)
def test_no_two_values_share_words_and_all_fit_their_types(request_: str) -> None:
    found = fill(PARAMETERS, request_)
    spans = sorted((place.start, place.end) for place in found.places.values())
    assert all(0 <= start < end <= len(request_) for start, end in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    assert found.places.keys() == found.arguments.keys()
    assert all(isinstance(found.arguments.get(name, 0), int) for name in ("rooms",))


@given(st.permutations(list(PARAMETERS["properties"])))
def test_the_order_of_the_parameters_in_a_schema_of_distinct_names_changes_nothing(names: list[str]) -> None:
    request = "3 rooms in Oslo at a rate of 4.5 on 2031-05-03"
    turned = {**PARAMETERS, "properties": {name: PARAMETERS["properties"][name] for name in names}}
    assert fill(turned, request).arguments == fill(PARAMETERS, request).arguments
