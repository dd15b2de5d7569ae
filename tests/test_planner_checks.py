from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ares_core.planner.checks import fits, problems
from ares_core.planner.plan import PlanStep


def step(name: str, *after: str) -> PlanStep:
    return PlanStep(name, "tool", "Any", depends_on=after)


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ([], "no steps"),
        ([step("a"), step("a")], "two steps have the id 'a'"),
        ([step("")], "no id"),
        ([step("a", "b")], "'a' waits for 'b', which is no step"),
        ([step("a", "a")], "wait for each other"),
        ([step("a", "c"), step("b", "a"), step("c", "b")], "wait for each other"),
    ],
)
def test_a_graph_that_cannot_run_is_told(steps: list[PlanStep], said: str) -> None:
    assert any(said in problem for problem in problems(steps))


def test_everything_wrong_is_told_at_once_with_the_name_that_may_be_meant() -> None:
    assert problems([step("A "), step("b", "A"), step("c", "d"), step("d", "c"), step("e", "e")]) == [
        "step 'b' waits for 'A', which is no step; did you mean 'A '?",
        "the steps wait for each other: c → d → c",
        "the steps wait for each other: e → e",
    ]


def test_an_id_that_is_no_text_is_told_and_a_chain_of_ten_thousand_is_sound() -> None:
    odd: Any = 1
    assert problems([step(odd)]) == ["a step's id is 1; give it a name"]
    assert problems([step("n0"), *(step(f"n{i}", f"n{i - 1}") for i in range(1, 10_000))]) == []


@given(st.permutations([step("a"), step("b", "a"), step("c", "a"), step("d", "b", "c")]))
def test_a_sound_graph_has_no_problems_in_whatever_order(steps: list[PlanStep]) -> None:
    assert problems(steps) == []


@pytest.mark.parametrize(
    ("gives", "takes", "fit"),
    [
        ("Number", "Text", True),
        ("Number", "Number", True),
        ("Any", "File", True),
        ("Vector", "Any", True),
        ("Text", "JSON", True),
        ("Vector", "Text", False),
        ("Text", "File", False),
        ("Text", "Number", False),
        ("None", "Text", False),
        ("Text", "None", False),
    ],
)
def test_what_one_step_gives_must_be_what_the_next_takes(gives: str, takes: str, fit: bool) -> None:
    assert fits((gives,), (takes,)) is fit
