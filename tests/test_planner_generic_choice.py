"""Which of several tools without rules is meant, and what becomes of the others."""

from __future__ import annotations

from typing import Any

import pytest

from ares_core import Effects, Evidence, ExecutionPlan, Planner, Tool

READS = Effects(read_only=True)


def tool(name: str, description: str, *required: str, **kinds: str) -> Tool:
    properties: dict[str, Any] = {each: {"type": kind} for each, kind in kinds.items()}
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    return Tool(name, description, parameters, lambda a, c: None, effects=READS)


TOOLS = (
    tool("ferry_times", "Departure times of ferries from a harbour.", "harbour", harbour="string"),
    tool("ferry_fare", "The fare of a ferry for a number of passengers.", "passengers", passengers="integer"),
    tool("find_attorney", "Find an attorney in a city.", "city", city="string"),
    tool("currencyConverter", "Convert an amount of one currency to another.", "amount", amount="number", to="string"),
)


def plan(request: str) -> ExecutionPlan:
    return Planner(TOOLS, {}, (), lambda name: Evidence()).plan(request)


@pytest.mark.parametrize(
    ("request_", "name"),
    [
        ("When do ferries leave from Mallaig harbour?", "ferry_times"),
        ("the ferry for 4 passengers", "ferry_fare"),
        ("a lawyer in Turin", "find_attorney"),
        ("How many euros are 30 dollars?", "currencyConverter"),
    ],
)
def test_the_first_candidate_is_the_tool_whose_words_and_values_fit(request_: str, name: str) -> None:
    assert plan(request_).candidates[0].tool == name


def test_a_tool_farther_from_the_request_is_a_rejected_candidate_and_no_fallback() -> None:
    found = plan("the ferry for 4 passengers")
    assert [candidate.tool for candidate in found.rejected] == ["ferry_times"]
    assert found.steps[0].fallbacks == ()


@pytest.mark.parametrize("request_", ["Don't look up the ferry for 4 passengers", "How do I get the ferry fare?"])
def test_a_request_that_forbids_or_only_asks_how_has_candidates_but_no_step(request_: str) -> None:
    found = plan(request_)
    assert found.candidates[0].tool == "ferry_fare"
    assert (found.steps, found.error and found.error.code) == ((), "no_plan")


def test_what_the_result_shall_not_hold_forbids_no_step() -> None:
    assert plan("Get the ferry fare for 4 passengers. Don't include taxes.").steps[0].arguments == {"passengers": 4}


def test_the_order_in_which_tools_come_changes_nothing() -> None:
    turned = Planner(TOOLS[::-1], {}, (), lambda name: Evidence()).plan("the ferry for 4 passengers")
    assert turned == plan("the ferry for 4 passengers")
