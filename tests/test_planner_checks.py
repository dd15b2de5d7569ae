from __future__ import annotations

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
