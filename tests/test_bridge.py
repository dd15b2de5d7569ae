"""Who gets what: a name, a request in words, both, or neither."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest

from ares_core import Ares, ToolCall


@pytest.fixture
def small(load: Callable[[str], ModuleType]) -> ModuleType:
    module = load("small_rules")
    module.counted.clear()
    return module


def test_a_known_name_is_called_whatever_the_request(ares: Ares, small: ModuleType) -> None:
    result = ares.call_sync("calculator", {"expression": "1+2"}, request="please count 7 steps")
    assert result.data["result"] == 3
    assert small.counted == []


def test_a_name_that_repairs_without_loss_is_known(ares: Ares, small: ModuleType) -> None:
    assert ares.call_sync("Calculator", {"expression": "1+2"}, request="5 plus 5").data["result"] == 3


@pytest.mark.parametrize("name", ["", "  "])
def test_a_request_without_a_name_is_planned_and_runs(ares: Ares, small: ModuleType, name: str) -> None:
    assert ares.call_sync(ToolCall(name), request="please count 3 steps").success
    assert small.counted == [3]


@pytest.mark.parametrize("name", ["calculate", "basic_arithmetic", "plus_numbers", "compute.calculation"])
def test_an_unknown_name_that_is_like_the_planned_reader_runs_it(ares: Ares, small: ModuleType, name: str) -> None:
    result = ares.call_sync(name, {}, request="what is 2 plus 3")
    assert result.success
    assert result.call is not None
    assert (result.call.name, result.data["result"], result.metadata["instead_of"]) == ("calculator", 5, name)


def test_arguments_that_fit_are_kept(ares: Ares, small: ModuleType) -> None:
    result = ares.call_sync("calculate", {"expression": "2+3", "verbose": True}, request="what is 2 plus 3")
    assert result.call is not None
    assert result.call.arguments == {"expression": "2+3"}


@pytest.mark.parametrize(
    ("name", "arguments", "request_"),
    [
        ("send_email", {"subject": "plus"}, "what is 2 plus 3"),
        ("delete_sum", {}, "what is 2 plus 3"),
        ("calculate", {"expression": "40+2"}, "what is 2 plus 3"),
        ("move_counter", {}, "count 3 steps"),
    ],
)
def test_what_is_unlike_contradicts_or_changes_something_is_only_suggested(
    ares: Ares, small: ModuleType, name: str, arguments: dict[str, object], request_: str
) -> None:
    result = ares.call_sync(name, arguments, request=request_)
    assert result.error is not None
    assert result.error.code == "unknown_tool"
    assert result.error.suggestions[0] in ("calculator", "counter")
    assert "The request would need" in result.text
    assert result.text.endswith("Not executed.")
    assert small.counted == []


def test_an_unknown_name_with_a_request_that_gives_no_plan_tells_both(ares: Ares, small: ModuleType) -> None:
    result = ares.call_sync("paint", {}, request="paint the ship")
    assert result.error is not None
    assert result.error.code == "unknown_tool"
    assert "'paint'" in result.text
    assert "The request gives no plan either" in result.text
    assert result.text.count("Not executed.") == 1


@pytest.mark.parametrize("request_", [None, "", "  "])
def test_an_unknown_name_without_a_request_is_an_unknown_tool(
    ares: Ares, small: ModuleType, request_: str | None
) -> None:
    error = ares.call_sync("calculatr", {}, request=request_).error
    assert error is not None
    assert (error.code, error.suggestions[0]) == ("unknown_tool", "calculator")


def test_neither_a_name_nor_a_request_is_an_unknown_tool(ares: Ares, small: ModuleType) -> None:
    error = ares.call_sync(ToolCall(""), request="").error
    assert error is not None
    assert error.code == "unknown_tool"


def test_a_request_that_cannot_be_planned_runs_nothing(ares: Ares, small: ModuleType) -> None:
    result = ares.ask_sync("please count some steps")
    assert result.error is not None
    assert result.error.code == "no_plan"
    assert result.text.endswith("Not executed.")
    assert small.counted == []


def test_a_tool_that_was_only_guessed_changes_nothing(ares: Ares, small: ModuleType) -> None:
    ran: list[str] = []

    def close_account(customer: str) -> str:
        """Close the account of a customer."""
        ran.append(customer)
        return "closed"

    ares.register(close_account)
    result = ares.ask_sync("Which customer is Ada?")
    assert result.error is not None
    assert ran == []


def test_tools_that_come_and_go_are_seen_by_the_next_plan(ares: Ares, small: ModuleType) -> None:
    assert ares.plan("2 plus 3").error is None
    ares.unregister("calculator")
    error = ares.plan("2 plus 3").error
    assert error is not None
    assert "No installed tool can do Arithmetic" in error.message


def test_a_part_of_the_tools_plans_only_with_its_own(ares: Ares, small: ModuleType) -> None:
    scoped = ares.bind(tools=["counter"])
    assert scoped.plan("2 plus 3").error is not None
    assert scoped.ask_sync("count 2 steps").data == 2


def test_outcomes_of_plans_are_evidence_for_the_next(ares: Ares, small: ModuleType) -> None:
    before = ares.plan("2 plus 3").steps[0].score
    ares.ask_sync("2 plus 3")
    after = ares.plan("2 plus 3").steps[0].score
    assert before is not None
    assert after is not None
    assert after.success > before.success
