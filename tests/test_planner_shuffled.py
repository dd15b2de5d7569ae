"""The plan is the same in whatever order plugins, tools and rule sets come, and however often it was asked for."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ares_core import Capability, Effects, Evidence, Planner, Rule, RuleSet, Tool

NUMBERS = ("one_adder", "two_adder", "adder_of_numbers", "sum_service", "calculator")
OTHERS = {
    "weather_report": "Tell the weather of a city.",
    "city_weather": "Tell the weather of a city for some days.",
    "stock_price": "Tell the price of a stock.",
    "parcel_finder": "Find a parcel by its number.",
    "delete_parcel": "Delete a parcel by its number.",
}
SUM = Rule("sum", ("add {values}", "(sum|total) of {values}"), ("Summation",), "sum({values})")
TOTAL = Rule("total", ("total of {values}", "count up {values}"), ("Arithmetic",), "sum({values})")
SETS = (RuleSet("adding", "en", (SUM,)), RuleSet("counting", "en", (TOTAL,)))
CAPABILITIES = {"Summation": Capability("Summation", implies=("Arithmetic",)), "Arithmetic": Capability("Arithmetic")}
REQUESTS = (
    "add 1, 2", "total of 3, 4", "count up 1, 2, 3", "weather of a city for 3 days", "price of a stock",
    "find a parcel by its number 7", "gibberish of 3", "total of", "don't add 1, 2", "add 1, 2 to the list",
)  # fmt: skip
EVIDENCE = {"one_adder": Evidence(9, 5, 4, 80.0), "sum_service": Evidence(20, 20, 0, 5.0)}


def tools() -> list[Tool]:
    expression = {"type": "object", "properties": {"expression": {"type": "string"}}, "required": ["expression"]}
    words: dict[str, Any] = {"city": {"type": "string"}, "number": {"type": "integer"}, "days": {"type": "integer"}}
    reads = Effects(read_only=True)
    adders = [Tool(name, "Add.", expression, lambda a, c: a, ("Summation",), effects=reads) for name in NUMBERS]
    others = [Tool(name, said, {"properties": words}, lambda a, c: a) for name, said in OTHERS.items()]
    return [*adders, *others]


def planned(seed: int) -> list[dict[str, Any]]:
    chance = random.Random(seed)
    offered, sets, asked = tools(), list(SETS), list(REQUESTS)
    for each in (offered, sets, asked):
        chance.shuffle(each)
    order = sorted(CAPABILITIES, key=lambda name: chance.random())
    capabilities = {name: CAPABILITIES[name] for name in order}
    planner = Planner(offered, capabilities, sets, lambda name: EVIDENCE.get(name, Evidence()))
    found = {request: planner.plan(request).to_dict() for request in asked}
    return [found[request] for request in REQUESTS]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_the_order_of_tools_rule_sets_and_requests_changes_no_plan(seed: int) -> None:
    assert planned(seed) == planned(0)


def test_the_choice_follows_evidence_and_then_the_name() -> None:
    first = planned(3)[0]["steps"][0]
    assert first["tool"] == "sum_service"
    assert [one["tool"] for one in first["fallbacks"]] == ["adder_of_numbers", "calculator", "two_adder"]
