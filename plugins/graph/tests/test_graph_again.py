"""What a resumed run takes up: routes, decisions, what was taken back, rounds of a loop, and copies of all that."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from ares_plugin_graph import (
    FunctionNode,
    Graph,
    GraphError,
    InsertNode,
    MemoryCheckpoints,
    SubGraph,
    ToolNode,
    read_graph,
)
from ares_plugin_graph.prepared import fingerprint
from ares_plugin_graph.written import written as document_of

from ares_core import Ares, Tool, ToolError


class Switch:
    """A function that fails while it is on."""

    def __init__(self) -> None:
        self.on = True

    def __call__(self, n: int = 0) -> int:
        if self.on and n in (0, 3):
            raise ToolError("not yet")
        return n + 1


def resumed(graph: Graph, door: Ares, kept: MemoryCheckpoints, **decisions: Any) -> Any:
    told = {name.replace("__", "."): decision for name, decision in decisions.items()}
    return asyncio.run(asyncio.wait_for(graph.resume(door, "r", kept, decisions=told), 100))


@pytest.fixture
def cut_off(door: Ares, until: Any) -> Any:
    """Cuts a run off as soon as something holds of it."""

    def cut_off(graph: Graph, kept: MemoryCheckpoints, when: Callable[[Any], Any]) -> Any:
        async def main() -> Any:
            run = graph.start(door, run_id="r", checkpoints=kept)
            await until(lambda: when(run))
            run.cancel()
            return await run.wait()

        return asyncio.run(main())

    return cut_off


def test_a_way_that_was_not_chosen_stays_closed_after_a_resume(door: Ares, written: list[str]) -> None:
    switch, kept = Switch(), MemoryCheckpoints()
    graph = Graph([
        ToolNode("a", "inc", {"n": 1}, route=[("a > 100", "big"), (None, "small")]),
        FunctionNode("stop", switch, after=["a"]),
        ToolNode("big", "change", {"name": "big"}, after=["stop"]),
        ToolNode("small", "change", {"name": "small"}, after=["stop"]),
    ])  # fmt: skip
    assert graph.run_sync(door, run_id="r", checkpoints=kept).status == "failed"
    switch.on = False
    assert resumed(graph, door, kept, stop="retry").status == "done"
    assert written == ["small"]


def test_what_a_person_decided_to_skip_is_never_run_by_a_later_resume(
    door: Ares, written: list[str], cut_off: Any
) -> None:
    kept = MemoryCheckpoints()
    graph = Graph([ToolNode("a", "change", {"name": "x", "seconds": 60}), ToolNode("b", "fail")])
    assert cut_off(graph, kept, lambda run: written and "b" in run.results)["a"].status == "unknown"
    for decisions in ({"a": "skip"}, {}, {"b": "retry"}):
        assert resumed(graph, door, kept, **decisions)["a"].status == "skipped"
    assert written == ["x"]


def test_what_was_taken_back_is_not_done_and_runs_again(door: Ares, written: list[str]) -> None:
    switch, kept = Switch(), MemoryCheckpoints()
    graph = Graph([ToolNode("a", "change", {"name": "x"}, undo=True), FunctionNode("stop", switch, after=["a"])])
    first = graph.run_sync(door, run_id="r", checkpoints=kept)
    assert (first["a"].status, first["a"].data, first["a"].error and first["a"].error.code) == (
        "cancelled",
        None,
        "undone",
    )
    switch.on = False
    assert resumed(graph, door, kept, stop="retry").status == "done"
    assert written == ["x", "undo x", "x"]


def test_nodes_done_before_a_resume_are_taken_back_too(door: Ares, written: list[str], cut_off: Any) -> None:
    kept = MemoryCheckpoints()
    nodes = [ToolNode("a", "change", {"name": "x"}, undo=True), ToolNode("w", "wait", after=["a"])]
    graph = Graph([*nodes, ToolNode("b", "fail", after=["w"])])
    cut_off(graph, kept, lambda run: "w" in run._working)
    assert resumed(graph, door, kept, w={"data": "enough"})["a"].status == "cancelled"
    assert written == ["x", "undo x"]


def looping(switch: Switch) -> Graph:
    inner = Graph([
        ToolNode("c", "change", {"name": "round ${input.n}"}),
        FunctionNode("x", switch, {"n": "${input.n}"}, after=["c"]),
    ])  # fmt: skip
    return Graph([SubGraph("l", inner, {"n": 1}, until="x > 4", max_iterations=9, carry={"n": "${x}"})])


def test_a_loop_goes_on_in_the_round_where_it_was(door: Ares, written: list[str]) -> None:
    switch, kept = Switch(), MemoryCheckpoints()
    graph = looping(switch)
    assert graph.run_sync(door, run_id="r", checkpoints=kept).status == "failed"
    switch.on = False
    copy = asyncio.run(graph.fork(door, "r", kept, at="l.x"))
    assert (copy.output, copy.run_id != "r") == (5, True)
    assert written == ["round 1", "round 2", "round 3", "round 4"]
    assert resumed(graph, door, kept, l__x="retry").output == 5
    assert written[4:] == ["round 4"]
    assert resumed(graph, door, kept, l="retry").output == 5
    assert written[5:] == ["round 1", "round 2", "round 3", "round 4"]
    assert [saved.run_id for saved in kept.newest() if "/" in saved.run_id] == []


def test_a_person_decides_about_what_is_unknown_inside_a_node(door: Ares, written: list[str], cut_off: Any) -> None:
    kept = MemoryCheckpoints()
    graph = Graph([SubGraph("s", Graph([ToolNode("c", "change", {"name": "x", "seconds": 60})]))])
    cut_off(graph, kept, lambda run: written)
    waiting = resumed(graph, door, kept)
    assert (waiting.status, waiting["s"].error.message[:4]) == ("waiting", "s.c:")
    assert resumed(graph, door, kept, s__c={"data": "x"}).output == "x"
    assert written == ["x"]
    with pytest.raises(GraphError, match="no such node"):
        resumed(graph, door, kept, s__z="retry")


def test_a_copy_of_a_run_begins_anew_at_a_node_and_leaves_the_run_as_it_was(door: Ares) -> None:
    kept, graph = MemoryCheckpoints(), Graph([ToolNode("a", "inc", {"n": 1}), ToolNode("b", "inc", {"n": "${a}"})])
    graph.run_sync(door, run_id="r", checkpoints=kept)
    seen: list[str] = []
    copy = asyncio.run(graph.fork(door, "r", kept, at="b", on_node=lambda name, _: seen.append(name)))
    assert (seen, copy.output, kept.load("r") is not None) == (["b"], 3, True)


def test_a_kept_document_follows_a_live_change(door: Ares) -> None:
    kept, changed = MemoryCheckpoints(), asyncio.Event()

    async def held(arguments: Any, context: Any) -> None:
        await changed.wait()

    door.register(Tool("held", "Wait for the change.", {"type": "object"}, held))
    graph = read_graph({"nodes": [{"id": "a", "tool": "held"}]})

    async def main() -> Any:
        run = graph.start(door, run_id="r", checkpoints=kept, document=document_of(graph))
        with pytest.raises(GraphError, match="no functions"):
            await run.apply(InsertNode(FunctionNode("f", print)))
        await run.apply(InsertNode(ToolNode("b", "inc", {"n": 1}, after=["a"])))
        changed.set()
        return await run.wait()

    assert asyncio.run(main())["b"].data == 2
    saved = kept.load("r")
    assert saved is not None
    again = read_graph(saved.graph)
    assert fingerprint(again) == saved.fingerprint
    assert asyncio.run(again.resume(door, "r", kept)).output == 2
