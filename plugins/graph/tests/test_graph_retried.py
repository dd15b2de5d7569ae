"""What a run does again when it is resumed after a failure, in what order, and what it never does twice."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from ares_plugin_graph import AskNode, FunctionNode, Graph, MemoryCheckpoints, SubGraph, ToolNode
from hypothesis import given, settings
from hypothesis import strategies as st

from ares_core import Ares, Effects, Tool, ToolError


class Failing:
    """A function that only reads, and fails the first times."""

    def __init__(self, times: int = 1) -> None:
        self.left = times

    def __call__(self) -> int:
        self.left -= 1
        if self.left >= 0:
            raise ToolError("not yet")
        return 1


class Runs:
    """Runs of one graph, and the nodes that worked in the last one."""

    def __init__(self, door: Ares, *nodes: Any) -> None:
        self.door, self.graph, self.kept, self.worked = door, Graph(list(nodes)), MemoryCheckpoints(), list[str]()

    def first(self) -> Any:
        return self.graph.run_sync(self.door, run_id="r", checkpoints=self.kept)

    def again(self, **decisions: Any) -> Any:
        self.worked = []
        return asyncio.run(self.graph.resume(self.door, "r", self.kept, decisions=decisions, on_node=self.note))

    def note(self, name: str, result: Any) -> None:
        self.worked.append(name)


def change(name: str, *after: str, **options: Any) -> ToolNode:
    return ToolNode(name, "change", {"name": name}, after=after, **options)


def test_a_resume_runs_what_failed_again_and_what_was_left_out_after_it(door: Ares, written: list[str]) -> None:
    runs = Runs(door, change("a"), FunctionNode("bad", Failing(), after=["a"]), change("b", "bad"))
    assert runs.first().status == "failed"
    assert (runs.again().status, runs.worked, written) == ("done", ["bad", "b"], ["a", "b"])
    assert (runs.again().status, runs.worked) == ("done", [])


def test_what_may_fail_is_not_tried_again(door: Ares) -> None:
    runs = Runs(door, ToolNode("a", "fail", may_fail=True), FunctionNode("bad", Failing()))
    runs.first()
    assert (runs.again().status, runs.worked) == ("done", ["bad"])


def test_what_failed_inside_a_node_is_tried_again_where_it_was(door: Ares, written: list[str]) -> None:
    runs = Runs(door, SubGraph("s", Graph([change("a"), FunctionNode("bad", Failing(), after=["a"])])))
    runs.first()
    assert (runs.again().status, written) == ("done", ["a"])


def test_a_person_who_said_no_is_asked_anew() -> None:
    answers = [False, True]
    with Ares(plugins=[], approver=lambda approval: answers.pop(0)) as ares:
        runs = Runs(ares, AskNode("q", "Go on?"))
        assert (runs.first().status, runs.again().status) == ("failed", "done")


@pytest.mark.parametrize("decisions", [{}, {"read": "retry", "bad": "retry"}])
def test_what_was_taken_back_runs_before_all_that_came_after_it(
    door: Ares, written: list[str], decisions: dict[str, Any]
) -> None:
    nodes = [ToolNode("read", "facts", after=["mid"]), FunctionNode("bad", Failing(), after=["mid"])]
    runs = Runs(door, *nodes, ToolNode("mid", "facts", after=["write"]), change("write", undo=True))
    runs.first()
    assert runs.again(**decisions).status == "done"
    assert (runs.worked[:2], sorted(runs.worked[2:])) == (["write", "mid"], ["bad", "read"])
    assert written == ["write", "undo write", "write"]


def test_a_change_after_what_was_taken_back_stays_and_what_follows_waits(door: Ares, written: list[str]) -> None:
    nodes = [FunctionNode("bad", Failing(), after=["mid"]), change("mid", "write"), change("write", undo=True)]
    runs = Runs(door, *nodes)
    runs.first()
    assert (runs.again().status, runs.worked) == ("done", ["write", "bad"])
    assert written == ["write", "mid", "undo write", "write"]


def test_nothing_is_built_on_a_change_whose_ground_fails_the_second_time(door: Ares) -> None:
    ground = [1, 0]
    lay = Tool("lay", "Lay.", {"type": "object"}, lambda arguments, context: 1 / ground.pop(0), undo=lambda *_: None)
    door.register(lay)
    nodes = [ToolNode("write", "lay", undo=True), change("mid", "write"), FunctionNode("bad", Failing(), after=["mid"])]
    runs = Runs(door, *nodes)
    runs.first()
    result = runs.again()
    assert (result["mid"].status, result["bad"].status) == ("done", "skipped")
    assert result["bad"].error.message == "what 'mid' came after fails now"


def test_what_a_person_said_that_a_node_gave_stays_whatever_is_taken_back(door: Ares) -> None:
    look, bad = FunctionNode("look", Failing(), after=["write"], read_only=True), Failing(2)
    runs = Runs(door, change("write", undo=True), look, FunctionNode("bad", bad, after=["look"]))
    runs.first()
    runs.again(look={"data": "seen"})
    assert (runs.again()["look"].data, bad.left) == ("seen", 0)
    assert (runs.again()["look"].data, runs.worked) == ("seen", ["write", "bad"])


def test_what_is_decided_holds_even_after_what_is_retried(door: Ares) -> None:
    runs = Runs(door, ToolNode("a", "facts"), ToolNode("b", "facts", after=["a"]), ToolNode("c", "facts", after=["b"]))
    runs.first()
    result = runs.again(a="retry", b={"data": 5})
    assert (runs.worked, result["b"].data) == (["a", "c"], 5)


def test_a_copy_does_no_change_twice_either(door: Ares, written: list[str]) -> None:
    runs = Runs(
        door, change("write", undo=True), change("mid", "write"), FunctionNode("bad", Failing(2), after=["mid"])
    )
    runs.first()
    copy = asyncio.run(runs.graph.fork(door, "r", runs.kept))
    again = asyncio.run(runs.graph.resume(door, copy.run_id, runs.kept))
    assert (copy.status, again.status, written.count("mid")) == ("failed", "done", 1)


@st.composite
def layered(draw: st.DrawFn) -> list[tuple[str, str, list[str], int]]:
    """Draw nodes in any order: a name, what it does, what it comes after, and how often it fails first."""
    names = [f"n{place}" for place in range(draw(st.integers(3, 8)))]
    kinds, few = st.sampled_from(["reads", "changes", "undoes"]), st.integers(0, 2)
    ways = [draw(st.lists(st.sampled_from(names[:place]), max_size=2, unique=True)) if place else [] for place in
            range(len(names))]  # fmt: skip
    return draw(st.permutations([(name, draw(kinds), way, draw(few)) for name, way in zip(names, ways, strict=True)]))


@settings(max_examples=25, deadline=None)
@given(layered())
def test_whatever_fails_and_is_taken_back_all_is_done_once_and_in_its_order(drawn: Any) -> None:
    told: list[str] = []
    fails = {name: times for name, _, _, times in drawn}

    def body(arguments: Any, context: Any) -> str:
        fails[arguments["name"]] -= 1
        if fails[arguments["name"]] >= 0:
            raise ToolError("not yet")
        told.append(arguments["name"])
        return str(arguments["name"])

    with Ares(plugins=[]) as ares:
        ares.register(Tool("reads", "", {"type": "object"}, body, effects=Effects(read_only=True)))
        ares.register(Tool("changes", "", {"type": "object"}, body))
        ares.register(Tool("undoes", "", {"type": "object"}, body, undo=lambda one, _: told.append("-" + one["name"])))
        runs = Runs(ares, *[ToolNode(name, kind, {"name": name}, after=way, undo=kind == "undoes")
                            for name, kind, way, _ in drawn])  # fmt: skip
        result = runs.first()
        while result.status != "done":
            told.append("resumed")
            result = runs.again()
    ways = {name: way for name, _, way, _ in drawn}
    for part in " ".join(told).split("resumed"):
        done = [name for name in part.split() if name in ways]
        assert [name for count, name in enumerate(done) if set(done[count:]) & above(ways, name)] == []
    changes = [name for name, kind, _, _ in drawn if kind != "reads"]
    assert [told.count(name) - told.count(f"-{name}") for name in changes] == [1] * len(changes)


def above(ways: dict[str, list[str]], name: str) -> set[str]:
    return set(ways[name]).union(*(above(ways, one) for one in ways[name]))


@pytest.mark.parametrize("why", ["What is 'x'?", "Look here.", "It broke"])
def test_what_is_said_of_what_was_taken_back_is_a_sentence_of_its_own(door: Ares, why: str) -> None:
    result = Runs(door, change("a", undo=True), ToolNode("b", "fail", {"why": why}, after=["a"])).first()
    assert result.error.message == f"b: {why}{'' if why[-1] in '?.' else '.'} a was undone."


def test_what_is_wrong_with_an_inner_run_is_told_with_the_way_to_it(door: Ares) -> None:
    whole = Runs(door, SubGraph("s", Graph([ToolNode("w", "wait")], deadline=0.01))).first()
    assert whole.error.message.startswith("s: the run did not end within its deadline")
    part = Runs(door, SubGraph("s", Graph([change("a", undo=True), ToolNode("b", "fail", after=["a"])]))).first()
    assert part.error.message == "s: s.b: it broke. a was undone."
