"""A graph may change while it runs, between two nodes; each change has its inverse, and none that breaks it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from ares_plugin_graph import (
    AddEdge,
    Edge,
    Graph,
    GraphError,
    InsertNode,
    RemoveEdge,
    RemoveNode,
    ReplaceNode,
    SubGraph,
    ToolNode,
)

from ares_core import Ares

NODES = (ToolNode("a", "wait", {"seconds": 0.5}), ToolNode("b", "facts", after=["a"]), ToolNode("c", "facts"))
BASE = Graph(NODES, edges=(Edge("b", "c"),))


@pytest.fixture
def begun(door: Ares, until: Any) -> Any:
    """Starts a run, and waits until its first node works."""

    async def begun() -> Any:
        run = BASE.start(door)
        await until(lambda: "a" in run._working)
        return run

    return begun


@pytest.mark.parametrize(
    "change",
    [
        InsertNode(ToolNode("x", "facts"), [Edge("a", "x"), Edge("x", "b")]),
        RemoveNode("c"),
        ReplaceNode(ToolNode("b", "inc", {"n": 1}, after=["a"])),
        AddEdge(Edge("a", "c")),
        RemoveEdge("b", "c"),
    ],
    ids=lambda change: type(change).__name__,
)
def test_every_change_is_taken_back_by_its_inverse(change: Any) -> None:
    changed, inverse = BASE.changed(change)
    assert changed != BASE
    assert BASE.changed(change)[0].changed(inverse)[0] == BASE


@pytest.mark.parametrize(
    "change",
    [
        RemoveNode("a"), RemoveNode("z"), ReplaceNode(ToolNode("z", "facts")), RemoveEdge("a", "c"),
        AddEdge(Edge("c", "a")), InsertNode(ToolNode("a", "facts")), AddEdge(Edge("a", "z")),
    ],
)  # fmt: skip
def test_a_change_that_breaks_the_graph_is_refused(change: Any) -> None:
    with pytest.raises(GraphError):
        BASE.changed(change)


def test_a_run_takes_a_change_between_two_nodes(begun: Any) -> None:
    async def main() -> Any:
        run = await begun()
        inverse = await run.apply(InsertNode(ToolNode("x", "inc", {"n": 41}), [Edge("a", "x"), Edge("x", "b")]))
        with pytest.raises(GraphError, match="has begun already"):
            await run.apply(ReplaceNode(ToolNode("a", "facts")))
        return inverse, await run.wait()

    inverse, result = asyncio.run(main())
    assert inverse == RemoveNode("x")
    assert (result.status, result["x"].data, result["c"].status) == ("done", 42, "done")


def test_no_route_is_laid_to_what_has_begun(begun: Any) -> None:
    async def main() -> Any:
        run = await begun()
        with pytest.raises(GraphError, match="has begun already"):
            await run.apply(InsertNode(ToolNode("x", "facts", route=[(None, "a")])))
        return await run.wait()

    assert asyncio.run(main()).status == "done"


def test_a_change_after_the_end_is_refused(door: Ares) -> None:
    async def main() -> None:
        run = Graph([ToolNode("a", "facts")]).start(door)
        await run.wait()
        await run.apply(RemoveNode("a"))

    with pytest.raises(GraphError, match="has ended"):
        asyncio.run(main())


def test_a_loop_goes_on_until_its_condition_holds_and_never_beyond_its_bound(door: Ares) -> None:
    body = Graph([ToolNode("x", "inc", {"n": "${input.n}"})])
    loop = SubGraph("l", body, {"n": 0}, until="x >= 5", max_iterations=10, carry={"n": "${x}"})
    assert Graph([loop]).run_sync(door).output == 5
    short = SubGraph("l", body, {"n": 0}, until="x >= 5", max_iterations=3, carry={"n": "${x}"})
    result = Graph([short]).run_sync(door)
    assert result["l"].status == "failed"
    assert result["l"].error is not None
    assert "did not come to its end in 3 rounds" in result["l"].error.message
