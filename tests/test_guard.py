"""Stage 7, and the ladder of invalid calls: sessions that go round in circles or use up too much are stopped."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ares_core import Ares, Effects, Tool, ToolCall, ToolContext
from ares_core.call.guard import Sessions
from ares_core.call.refusal import Refused

SCHEMA = {
    "type": "object",
    "properties": {"expression": {"type": "string"}},
    "required": ["expression"],
    "additionalProperties": False,
}
BAD: list[dict[str, Any]] = [{"expression": ["1", "+", "1"]}, {"expression": {"op": "+"}}, {"expr": "1+1"}]


def answering(outcomes: Iterator[Any], name: str = "check") -> Tool:
    async def execute(arguments: Any, context: ToolContext) -> Any:
        outcome = next(outcomes)
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    return Tool(name, "Check.", {}, execute)


def always(value: Any) -> Iterator[Any]:
    while True:
        yield value


def codes(ares: Ares, *calls: tuple[str, Any], session: str | None = "s") -> list[str | None]:
    results = [ares.call_sync(name, arguments, session=session) for name, arguments in calls]
    return [result.error.code if result.error else None for result in results]


def test_the_fourth_identical_call_with_identical_outcomes_is_refused_and_says_what_to_do(ares: Ares) -> None:
    ares.register(answering(always("10%")))
    assert codes(ares, *[("check", {"id": 7})] * 4) == [None, None, None, "loop_detected"]
    refused = ares.call_sync("check", {"id": 7}, session="s")
    assert "3 times with the same outcome" in refused.text
    assert "Not executed" in refused.text


def test_the_same_arguments_in_another_spelling_are_identical(ares: Ares) -> None:
    ares.register(answering(always("ok")))
    spellings = [{"a": 1, "b": 2}, {"b": 2, "a": 1}, '{"b": 2, "a": 1}', {"a": 1, "b": 2}]
    assert codes(ares, *[("check", given) for given in spellings])[-1] == "loop_detected"


def test_polling_whose_answer_changes_goes_on(ares: Ares) -> None:
    ares.register(answering(iter(["10%", "40%", "40%", "80%", "80%", "80%", "done"])))
    assert codes(ares, *[("check", {"id": 7})] * 6) == [None] * 6
    assert codes(ares, ("check", {"id": 7})) == ["loop_detected"]


def test_one_answer_to_different_calls_is_no_loop(ares: Ares) -> None:
    ares.register(answering(always("ok")))
    assert codes(ares, *[("check", {"path": path}) for path in "abcdef"]) == [None] * 6


def test_identical_failures_are_a_loop_too(ares: Ares) -> None:
    ares.register(answering(always(ValueError("boom"))))
    assert codes(ares, *[("check", {})] * 4) == ["tool_error"] * 3 + ["loop_detected"]


@pytest.mark.parametrize("cycle", ["A", "AB", "ABC", "ABCD", "AAB"])
def test_a_cycle_of_up_to_four_calls_run_three_times_is_a_loop(cycle: str, ares: Ares) -> None:
    ares.register(answering(always("ok")))
    calls = [("check", {"step": step}) for step in cycle]
    assert codes(ares, *calls * 3) == [None] * (3 * len(cycle))
    assert codes(ares, calls[0]) == ["loop_detected"]


def test_a_cycle_of_five_is_none(ares: Ares) -> None:
    ares.register(answering(always("ok")))
    assert set(codes(ares, *[("check", {"step": step}) for step in "ABCDE"] * 6)) == {None}


def test_no_call_of_a_loop_runs_again_until_another_has_run(ares: Ares) -> None:
    ares.register(answering(always("ok")))
    a, b, other = [("check", {"step": step}) for step in "ABC"]
    assert codes(ares, *[a, b] * 3) == [None] * 6
    assert codes(ares, *[a, b] * 3) == ["loop_detected"] * 6
    assert codes(ares, other, a, b) == [None] * 3


def test_a_different_call_breaks_the_loop(ares: Ares) -> None:
    ares.register(answering(always("ok")))
    other = ("check", {"other": 1})
    same = ("check", {"id": 7})
    assert codes(ares, same, same, same, same, other, same, same) == [None] * 3 + ["loop_detected"] + [None] * 3


def test_without_a_session_nothing_is_remembered_and_sessions_do_not_mix(ares: Ares) -> None:
    ares.register(answering(always("ok")))
    assert codes(ares, *[("check", {})] * 9, session=None) == [None] * 9
    for number in range(9):
        assert codes(ares, ("check", {}), session=f"s{number}") == [None]


@pytest.mark.parametrize("repeats", [1, 2, 5])
def test_the_number_of_repeats_is_configured(repeats: int) -> None:
    with Ares(plugins=[], config={"guard": {"max_identical_calls": repeats}}) as ares:
        ares.register(answering(always("ok")))
        assert codes(ares, *[("check", {})] * (repeats + 1)) == [None] * repeats + ["loop_detected"]


def test_calls_that_were_refused_before_they_ran_are_no_repeats(ares: Ares) -> None:
    ares.register(Tool("calculator", "", SCHEMA, lambda arguments, context: "2"))
    assert codes(ares, *[("calculator", {})] * 6) == ["invalid_arguments"] * 6
    assert codes(ares, ("calculator", {"expression": "1+1"})) == [None]


STEPS = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from([0, 1])), max_size=24)


@given(STEPS, st.integers(1, 3))
def test_a_refusal_always_has_a_cycle_behind_it_and_progress_never_has_one(steps: Any, repeats: int) -> None:
    session = Sessions(repeats).get("s")
    done: list[Any] = []
    loop: set[str] = set()
    for name, outcome in steps:
        periods = [
            period
            for period in range(1, 5)
            if len(done) >= period * repeats
            and done[-period][0] == name
            and done[-period * repeats :] == done[-period:] * repeats
        ]
        try:
            session.check_loop(name, b"{}")
            assert periods == []
            assert name not in loop
        except Refused:
            assert periods or name in loop
            loop |= {step for step, _ in done[-periods[0] :]} if periods else set()
            continue
        session.remember(name, b"{}", outcome)
        done.append((name, outcome))
        loop.clear()


def test_a_budget_of_calls_stops_the_next_and_counts_children_and_is_per_session() -> None:
    async def parent(context: ToolContext) -> Any:
        """Call a child."""
        child = await context.call_tool("check", {})
        return child.error.code if child.error else "done"

    with Ares(plugins=[], config={"guard": {"budgets": {"calls": 3}}}) as ares:
        ares.register(answering(iter(range(99))))
        ares.register(parent)
        assert codes(ares, ("parent", {}), ("check", {})) == [None, None]
        assert codes(ares, ("check", {})) == ["budget_exhausted"]
        assert codes(ares, ("check", {}), session="another") == [None]
        assert "guard.budgets.calls" in ares.call_sync("check", session="s").text


def test_a_call_without_a_session_shares_its_budget_with_its_children() -> None:
    async def parent(context: ToolContext) -> Any:
        """Call two children."""
        children = [await context.call_tool("check", {}) for _ in range(2)]
        return [child.error.code if child.error else None for child in children]

    with Ares(plugins=[], config={"guard": {"budgets": {"calls": 2}}}) as ares:
        ares.register(answering(iter(range(99))))
        ares.register(parent)
        for _ in range(2):
            assert ares.call_sync("parent").data == [None, "budget_exhausted"]


def test_a_budget_of_tokens_stops_after_what_was_read() -> None:
    with Ares(plugins=[], config={"guard": {"budgets": {"tokens": 100}}}) as ares:
        ares.register(answering(iter(f"{number}" + "word " * 60 for number in range(9))))
        assert codes(ares, *[("check", {})] * 3) == [None, None, "budget_exhausted"]


def test_a_budget_of_time_counts_from_the_first_call() -> None:
    with Ares(plugins=[], config={"guard": {"budgets": {"time": 0.2}}}) as ares:
        ares.register(answering(iter(range(9))))
        assert codes(ares, ("check", {})) == [None]
        time.sleep(0.25)
        assert codes(ares, ("check", {})) == ["budget_exhausted"]


def test_every_call_of_a_turn_over_the_budget_is_answered() -> None:
    with Ares(plugins=[], config={"guard": {"budgets": {"calls": 5}}}) as ares:
        ares.register(answering(iter(range(99))))
        for _ in range(2):
            calls = [ToolCall("check", {"n": number}, id=f"c{number}") for number in range(7)]
            session = f"run {_}"
            results = ares.call_many_sync(calls, session=session)
            assert [result.call.id for result in results if result.call] == [f"c{number}" for number in range(7)]
            assert [result.success for result in results] == [True] * 5 + [False] * 2


def test_a_refused_call_costs_nothing() -> None:
    with Ares(plugins=[], config={"guard": {"budgets": {"calls": 1}}}) as ares:
        ares.register(Tool("calculator", "", SCHEMA, lambda arguments, context: "2"))
        assert codes(ares, ("calculator", {}), ("nobody", {})) == ["invalid_arguments", "unknown_tool"]
        assert codes(ares, ("calculator", {"expression": "1"})) == [None]


def test_without_configuration_there_is_no_budget(ares: Ares) -> None:
    ares.register(answering(iter(range(999))))
    assert set(codes(ares, *[("check", {"n": number}) for number in range(200)])) == {None}


def test_each_invalid_call_in_a_row_gets_more_help_and_all_its_issues(ares: Ares) -> None:
    ares.register(Tool("calculator", "", SCHEMA, lambda arguments, context: "2"))
    first, second, third = (ares.call_sync("calculator", bad, session="s") for bad in BAD)
    for result in (first, second, third):
        assert result.error is not None
        assert result.error.issues
        assert "'calculator'" in result.text
        assert "Not executed" in result.text
    assert "A correct call has arguments like" not in first.text
    assert 'A correct call has arguments like {"expression":' in second.text
    assert 'A correct call has arguments like {"expression":' in third.text
    assert "the last hint" not in second.text
    assert "the last hint" in third.text


def test_the_same_wrong_text_again_is_refused_in_the_same_words_and_still_gets_more_help(ares: Ares) -> None:
    ares.register(Tool("calculator", "", SCHEMA, lambda arguments, context: "2"))
    first, second = (ares.call_sync("calculator", '{"expression": {"op": "+"}}', session="s") for _ in range(2))
    assert first.error == second.error
    assert "A correct call" in second.text
    assert "A correct call" not in ares.call_sync("calculator", '{"expression": {"op": "+"}}').text
    assert ares.call_sync("calculator", '{"expression": "1+1"}', session="s").success


def test_what_is_missing_and_what_is_unknown_are_both_named(ares: Ares) -> None:
    ares.register(Tool("calculator", "", SCHEMA, lambda arguments, context: "2"))
    text = ares.call_sync("calculator", {"expr": "1+1"}).text
    assert "expr" in text.replace("expression", "")
    assert "expression" in text


def test_a_valid_call_is_never_refused_because_of_earlier_ones_and_clears_the_count(ares: Ares) -> None:
    ares.register(Tool("calculator", "", SCHEMA, lambda arguments, context: "2"))
    assert codes(ares, *[("calculator", bad) for bad in BAD * 3]) == ["invalid_arguments"] * 9
    assert codes(ares, ("calculator", {"expression": "1+1"})) == [None]
    assert "A correct call" not in ares.call_sync("calculator", BAD[0], session="s").text


def test_the_count_is_kept_by_tool_and_by_session(ares: Ares) -> None:
    for name in ("one", "two"):
        ares.register(Tool(name, "", SCHEMA, lambda arguments, context: "2"))
    for name, session in (("one", "s"), ("two", "s"), ("one", "t"), ("one", None), ("one", None)):
        assert "A correct call" not in ares.call_sync(name, BAD[0], session=session).text
    assert "A correct call" in ares.call_sync("one", "{", session="s").text


def test_state_is_kept_for_the_last_sessions_used() -> None:
    sessions = Sessions(repeats=3, most=3)
    kept = sessions.get("a")
    sessions.get("b").count_invalid("add")
    for name in ("c", "a", "d", "a"):
        sessions.get(name)
    assert sessions.get("a") is kept
    assert len({id(sessions.get(name)) for name in "acd"}) == 3
    old = sessions.get("b")
    assert old.invalid == {}


def test_read_only_tools_are_stopped_in_loops_as_well(ares: Ares) -> None:
    async def look() -> str:
        """Look."""
        return "nothing new"

    ares.register(Tool.from_function(look, effects=Effects(read_only=True)))
    assert codes(ares, *[("look", {})] * 4)[-1] == "loop_detected"
