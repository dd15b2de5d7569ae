"""Tools that no rule names: found by their words, filled by their schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ares_core import Effects, Evidence, Planner, Rule, RuleSet, Tool, find_numbers
from ares_core.planner.generic import fill

READS = Effects(read_only=True)


def schema(*required: str, **properties: Any) -> dict[str, Any]:
    described = {name: {"type": kind} if isinstance(kind, str) else kind for name, kind in properties.items()}
    return {"type": "object", "properties": described, "required": list(required)}


FILLED = [
    (schema(city="string", days="integer"), "weather in Paris for the next 3 days", {"city": "Paris", "days": 3}),
    (
        schema(base="number", height="number"),
        "a triangle with a base of 10 and a height of 2.5",
        {"base": 10, "height": 2.5},
    ),
    (schema(base="number", height="number"), "a triangle with height 2.5 and base 10", {"base": 10, "height": 2.5}),
    (
        schema("origin", "destination", origin="string", destination="string"),
        "flights from New York to Los Angeles",
        {"origin": "New York", "destination": "Los Angeles"},
    ),
    (schema("url", url="string"), "summarise https://example.com/a?b=1, please", {"url": "https://example.com/a?b=1"}),
    (schema("path", path="string"), "open ./notes/today.md", {"path": "./notes/today.md"}),
    (
        schema("to", "subject", to="string", email="string", subject="string"),
        "mail 'Lunch' to Ada at ada@example.com",
        {"to": "Ada", "email": "ada@example.com", "subject": "Lunch"},
    ),
    (schema("date", date="string"), "trains on July 4th, 2022", {"date": "2022-07-04"}),
    (
        schema("date", date={"type": "string", "description": "as DD/MM/YYYY"}),
        "trains on 2022-07-04",
        {"date": "04/07/2022"},
    ),
    (schema("unit", unit={"enum": ["celsius", "fahrenheit"]}), "the temperature in Fahrenheit", {"unit": "fahrenheit"}),
    (
        schema("size", size={"type": "string", "description": "'small' or 'very large'"}),
        "a very large pizza",
        {"size": "very large"},
    ),
    (schema(vegetarian="boolean"), "a vegetarian menu", {"vegetarian": True}),
    (schema(vegetarian="boolean"), "a menu that is not vegetarian", {"vegetarian": False}),
    (
        schema("numbers", numbers={"type": "array", "items": {"type": "number"}}),
        "sort [3, 1, 2.5]",
        {"numbers": [3, 1, 2.5]},
    ),
    (
        schema("names", names={"type": "array", "items": {"type": "string"}}),
        "compare Apple, Google and Microsoft",
        {"names": ["Apple", "Google", "Microsoft"]},
    ),
    (schema("count", count="integer"), "book two rooms", {"count": 2}),
    (schema("amount", amount="number"), "transfer half a million", {"amount": 500_000}),
    (schema("years", years="integer"), "after 1.5 years", {}),
    (schema(city="string"), "what is the weather like", {}),
]


@pytest.mark.parametrize(("parameters", "request_", "arguments"), FILLED)
def test_a_schema_is_filled_with_what_the_request_says(
    parameters: Mapping[str, Any], request_: str, arguments: Mapping[str, Any]
) -> None:
    assert fill(parameters, request_).arguments == arguments


def test_every_value_tells_where_it_came_from() -> None:
    request = "weather in Paris for the next 3 days"
    places = fill(schema(city="string", days="integer"), request).places
    assert {name: request[place.start : place.end] for name, place in places.items()} == {"city": "Paris", "days": "3"}
    assert find_numbers(request)[0].start == places["days"].start


def test_what_is_required_and_not_said_is_missing() -> None:
    assert fill(schema("city", city="string"), "what is the weather like").missing == ("city",)


WEATHER = Tool(
    "get_weather",
    "Get the weather forecast for a city.",
    schema("city", city="string"),
    lambda a, c: None,
    effects=READS,
)
STOCKS = Tool(
    "stock_price",
    "Current stock price of a company.",
    schema("company", company="string"),
    lambda a, c: None,
    effects=READS,
)
DELETE = Tool(
    "delete_account", "Delete the account of a customer.", schema("customer", customer="string"), lambda a, c: None
)
ADDER = Tool(
    "adder",
    "Add numbers.",
    schema("expression", expression="string"),
    lambda a, c: None,
    ("Arithmetic",),
    effects=READS,
)
RULES = RuleSet("tiny", "en", (Rule("sum", ("add {values}",), ("Arithmetic",), "sum({values})"),))


def plan(request: str, *tools: Tool, rules: tuple[RuleSet, ...] = (RULES,)) -> Any:
    return Planner(tools or (WEATHER, STOCKS, DELETE, ADDER), {}, rules, lambda name: Evidence()).plan(request)


@pytest.mark.parametrize("rules", [(RULES,), ()])
def test_a_tool_without_a_rule_is_found_by_its_words(rules: tuple[RuleSet, ...]) -> None:
    found = plan("What will the weather be in Paris tomorrow?", rules=rules)
    assert [(step.tool, step.arguments) for step in found.steps] == [("get_weather", {"city": "Paris"})]
    assert found.is_guessed
    assert found.confidence < 1


def test_a_tool_that_rules_are_responsible_for_is_not_guessed() -> None:
    assert plan("an adder is a snake that adds numbers").error.code == "no_plan"


@pytest.mark.parametrize(
    "request_",
    ["Who wrote Hamlet?", "Don't tell me the weather in Paris", "How do I get the weather in Paris?", "天气怎么样"],
)
def test_what_no_tool_speaks_of_or_what_is_forbidden_is_not_guessed(request_: str) -> None:
    found = plan(request_)
    assert (found.steps, found.error.code) == ((), "no_plan")


def test_a_guess_without_its_input_names_what_is_missing() -> None:
    error = plan("what is the weather forecast").error
    assert error.code == "missing_input"
    assert "'city' is missing" in error.message


def test_a_tool_whose_words_speak_of_a_capability_stands_in_for_it() -> None:
    search = Tool("brave", "Search the web for pages.", schema("q", q="string"), lambda a, c: None, effects=READS)
    rules = RuleSet(
        "web", "en", (Rule("web", ("look up {query:rest}",), ("WebSearch",), arguments={"query": "{query}"}),)
    )
    found = plan("look up web pages on parrots", search, rules=(rules,))
    assert [(step.tool, step.arguments) for step in found.steps] == [("brave", {"q": "web pages on parrots"})]
