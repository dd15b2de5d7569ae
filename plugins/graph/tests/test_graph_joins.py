"""How branches come together: the four ways in which one can end, under each join; conditions and routes."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import pytest
from ares_plugin_graph import AllOf, AnyOf, Edge, FunctionNode, Graph, NoneFailed, ToolNode

from ares_core import Ares

BRANCHES: dict[str, Any] = {
    "failed": lambda: ToolNode("a", "fail", after=["s"]),
    "skipped": lambda: ToolNode("a", "facts", after=["s"], when="1 > 2"),
    "cancelled": lambda: ToolNode("a", "wait", after=["s"]),
    "waiting": lambda: ToolNode("a", "careful", {"text": "x"}, after=["s"]),
}
EXPECTED = {
    ("failed", AllOf): "skipped", ("failed", AnyOf): "done", ("failed", NoneFailed): "skipped",
    ("skipped", AllOf): "skipped", ("skipped", AnyOf): "done", ("skipped", NoneFailed): "done",
    ("cancelled", AllOf): "skipped", ("cancelled", AnyOf): "done", ("cancelled", NoneFailed): "skipped",
    ("waiting", AllOf): "waiting", ("waiting", AnyOf): "done", ("waiting", NoneFailed): "waiting",
}  # fmt: skip


@pytest.mark.parametrize(("branch", "join"), EXPECTED)
def test_a_diamond_ends_as_its_join_says(door: Ares, branch: str, join: Any) -> None:
    nodes = [
        ToolNode("s", "facts"), BRANCHES[branch](), ToolNode("b", "facts", after=["s"]),
        ToolNode("j", "facts", after=["a", "b"], join=join), ToolNode("k", "facts", after=["j"]),
    ]  # fmt: skip

    async def main() -> Any:
        run = Graph(nodes).start(door)
        for _ in range(3_000 if branch == "cancelled" else 0):
            if run.cancel_node("a"):
                break
            await asyncio.sleep(0.01)
        return await run.wait()

    result = asyncio.run(main())
    assert (result["a"].status, result["b"].status, result["j"].status) == (branch, "done", EXPECTED[branch, join])
    assert result["k"].status == result["j"].status
    assert result["j"].data is None or result["j"].status == "done"
    wanted = {"failed": "failed", "cancelled": "failed", "skipped": "done", "waiting": "waiting"}[branch]
    assert result.status == wanted


@pytest.mark.parametrize(("limit", "taken"), [(2, "done"), (9, "skipped")])
def test_a_condition_looks_at_earlier_outputs(door: Ares, limit: int, taken: str) -> None:
    nodes = [ToolNode("a", "inc", {"n": 4}), ToolNode("b", "facts", when=f"a > {limit} and not input.dry")]
    assert Graph(nodes).run_sync(door, {"dry": False})["b"].status == taken


def test_an_edge_has_a_condition_of_its_own(door: Ares) -> None:
    nodes = [ToolNode(name, "facts") for name in "abc"]
    edges = [Edge("a", "b", "a.zero == 1"), Edge("a", "c", lambda seen: seen["a"]["text"] == "hi")]
    result = Graph(nodes, edges=edges).run_sync(door)
    assert (result["b"].status, result["c"].status) == ("skipped", "done")


@pytest.mark.parametrize(("n", "taken"), [(1, "small"), (50, "big"), (500, "huge")])
def test_a_route_lets_one_way_go_on(door: Ares, n: int, taken: str) -> None:
    route = [("a > 100", "huge"), ("a > 10", "big"), (None, "small")]
    nodes = [ToolNode("a", "inc", {"n": n}, route=route), *(ToolNode(x, "facts") for x in ("huge", "big", "small"))]
    nodes.append(ToolNode("end", "facts", after=["huge", "big", "small"], join=AnyOf))
    result = Graph(nodes).run_sync(door)
    assert [name for name in ("huge", "big", "small") if result[name].status == "done"] == [taken]
    assert (result["end"].status, result.status) == ("done", "done")


def test_a_route_may_be_a_function_and_one_that_raises_is_the_nodes_failure(door: Ares) -> None:
    after = [ToolNode("x", "facts", after=["a"]), ToolNode("y", "facts", after=["a"])]
    found = Graph([FunctionNode("a", lambda: 5, route=lambda data: ["y"]), *after]).run_sync(door)
    assert (found["x"].status, found["y"].status) == ("skipped", "done")
    broken = Graph([FunctionNode("a", lambda: 5, route=lambda data: data[0]), *after]).run_sync(door)
    assert (broken["a"].status, broken["y"].status) == ("failed", "skipped")
    lost = Graph([FunctionNode("a", lambda: 5, route=lambda data: "z"), *after]).run_sync(door)
    assert lost["a"].status == "failed"


def test_a_node_that_may_fail_does_not_fail_the_run(door: Ares) -> None:
    nodes = [
        ToolNode("a", "fail", may_fail=True),
        ToolNode("b", "facts", after=["a"], join=AnyOf),
        ToolNode("c", "facts"),
    ]
    result = Graph(nodes).run_sync(door)
    assert (result.status, result["a"].status, result["b"].status) == ("done", "failed", "skipped")


@pytest.mark.parametrize(
    "when",
    ["a[", "__import__('os')", "a.b()", "(lambda: 1)()", "2 ** 99999", "a if a else a", "[x for x in a]", "f'{a}'",
     "a@a", "a.__class__.__mro__()", "'x' * 10", "'%1000000d' % 5"],
)  # fmt: skip
def test_a_condition_can_compare_and_nothing_else(door: Ares, when: str) -> None:
    nodes = [ToolNode("a", "facts"), ToolNode("b", "facts", when=when, after=["a"])]
    problems = Graph(nodes).problems()
    result = None if problems else Graph(nodes).run_sync(door)
    assert problems or (result is not None and result["b"].status == "failed")


@pytest.mark.parametrize("limit", [1, 2])
@pytest.mark.parametrize("waits", [False, True])
def test_a_node_that_swallows_its_cancellation_costs_no_other_node(door: Ares, limit: int, waits: bool) -> None:
    async def stubborn() -> int:
        assert runs[0].cancel_node("a")
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(60 if waits else 0)
        return 1

    nodes = [
        FunctionNode("a", stubborn, read_only=True),
        ToolNode("b", "inc", {"n": 1}),
        ToolNode("c", "inc", {"n": "${a}"}),
    ]
    runs: list[Any] = []

    async def main() -> Any:
        runs.append(Graph(nodes, limit=limit).start(door))
        return await runs[0].wait()

    result = asyncio.run(main())
    assert [(node, one.status) for node, one in result.nodes.items()] == [("a", "done"), ("b", "done"), ("c", "done")]
