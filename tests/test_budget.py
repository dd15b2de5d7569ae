"""Budgets as one tree: what a child spends counts above it, and nobody gets more than is left."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ares_core import Ares, Budget, ToolContext, UsageError


def code(failure: Any) -> str | None:
    return None if failure is None else str(failure.code)


def echo(text: str = "") -> str:
    """Say it again."""
    return text


def test_what_a_child_spends_counts_in_all_above() -> None:
    whole = Budget(calls=10)
    part = whole.child(calls=5)
    inner = part.child()
    assert inner.spend(calls=4) is None
    assert (whole.left()["calls"], part.left()["calls"], inner.left()["calls"]) == (6, 1, 1)


def test_a_child_gets_no_more_than_is_left() -> None:
    whole = Budget(iterations=3)
    part = whole.child(iterations=90)
    assert part.left()["iterations"] == 3
    assert [code(part.spend(iterations=1)) for _ in range(4)] == [None, None, None, "budget_exhausted"]
    assert code(whole.spend(iterations=1)) == "budget_exhausted"


def test_what_is_refused_is_not_counted_but_tokens_always_are() -> None:
    budget = Budget(calls=2, tokens=100)
    assert code(budget.spend(calls=3)) == "budget_exhausted"
    assert budget.left()["calls"] == 2
    assert code(budget.spend(tokens=150)) == "budget_exhausted"
    assert budget.left()["tokens"] == 0
    assert code(budget.spend(calls=1)) == "budget_exhausted"


def test_a_refusal_above_leaves_the_parts_untouched() -> None:
    whole = Budget(calls=1)
    part = whole.child(calls=5)
    part.spend(calls=1)
    assert code(part.spend(calls=1)) == "budget_exhausted"
    assert part.accounts[0].left("calls", 0) == 4


def test_work_under_way_ends_with_tokens_or_time_but_not_with_the_last_turn_allowed() -> None:
    budget = Budget(iterations=1, tokens=50)
    assert budget.spend(iterations=1) is None
    assert budget.exhausted is None
    assert budget.spend(tokens=50) is None
    assert code(budget.exhausted) == "budget_exhausted"


def test_time_runs_from_the_first_spending_on_and_a_childs_too() -> None:
    whole = Budget(time=0.05)
    part = whole.child(time=60)
    time.sleep(0.06)
    assert part.left()["time"] == 0.05
    assert part.spend(calls=1) is None
    time.sleep(0.06)
    assert part.left()["time"] == 0
    assert code(part.exhausted) == code(part.spend(calls=1)) == "budget_exhausted"


def test_the_sentence_says_whose_limit_it_is() -> None:
    failure = Budget().child(calls=0, name="the sub-agent").spend(calls=1)
    assert failure is not None
    assert "limit of 0 calls for the sub-agent" in failure.message


@pytest.mark.parametrize("limits", [{"calls": -1}, {"tokens": True}, {"time": float("nan")}, {"iterations": 1.5}])
def test_a_limit_that_is_none_is_refused(limits: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="give a number from 0 up"):
        Budget(**limits)


def test_nothing_can_be_given_back() -> None:
    with pytest.raises(UsageError, match="can't be given back"):
        Budget().spend(calls=-1)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), max_size=40))
def test_no_way_of_spending_gets_more_calls_than_the_whole_allows(spendings: Any) -> None:
    whole = Budget(calls=20)
    tree = [whole]
    for limit in (9, 8, 7, 6, 5):
        tree.append(tree[-1].child(calls=limit))
    done = sum(amount for where, amount in spendings if tree[where].spend(calls=amount) is None)
    assert done <= 20
    assert whole.left()["calls"] == 20 - done


def test_calls_through_a_part_spend_from_its_budget() -> None:
    with Ares(plugins=[]) as ares:
        ares.register(echo)
        budget = Budget(calls=2)
        part = ares.bind(budget=budget)
        assert [part.call_sync("echo").success for _ in range(3)] == [True, True, False]
        assert "2 calls for this run" in part.call_sync("echo").text
        assert ares.call_sync("echo").success


def test_a_part_of_a_part_spends_from_both_and_its_sessions_budget_too() -> None:
    with Ares(plugins=[], config={"guard": {"budgets": {"iterations": 7, "calls": 9}}}) as ares:
        ares.register(echo)
        outer, inner = Budget(calls=4), Budget(calls=8)
        part = ares.bind(budget=outer).bind(budget=inner, session="s")
        part.call_sync("echo")
        assert (outer.left()["calls"], inner.left()["calls"]) == (3, 7)
        assert part.budget is not None
        assert part.budget.left() == {"iterations": 7, "calls": 3, "time": None, "tokens": None}
        whole = ares.bind(session="s").budget
        assert whole is not None
        assert whole.left()["calls"] == 8


def test_a_tool_hands_a_part_of_its_budget_on() -> None:
    async def delegate(context: ToolContext) -> Any:
        """Do it with a part."""
        part = ares.bind(budget=context.budget.child(calls=2, name="the sub-agent"))
        return [(await part.call("echo")).success for _ in range(3)]

    with Ares(plugins=[]) as ares:
        ares.register(echo)
        ares.register(delegate)
        budget = Budget(calls=50)
        assert ares.bind(budget=budget).call_sync("delegate").data == [True, True, False]
        assert budget.left()["calls"] == 47


def test_a_call_gets_no_more_time_than_the_budget_has_left() -> None:
    with Ares(plugins=[]) as ares:

        async def slow() -> str:
            """Take long."""
            import asyncio

            await asyncio.sleep(30)
            return "done"

        ares.register(slow)
        since = time.monotonic()
        assert not ares.bind(budget=Budget(time=0.2)).call_sync("slow").success
        assert time.monotonic() - since < 25
