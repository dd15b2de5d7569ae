"""Runs and nodes that are cut off at odd moments: each says what became of it, and leaves nothing behind."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from ares_plugin_graph import (
    FunctionNode,
    Graph,
    GraphError,
    MemoryCheckpoints,
    NodeResult,
    SqliteCheckpoints,
    SubGraph,
    ToolNode,
)

from ares_core import Ares, Tool


async def stubborn() -> int:
    """End well when cancelled."""
    with suppress(asyncio.CancelledError):
        await asyncio.sleep(60)
    return 1


async def gives_up() -> None:
    raise asyncio.CancelledError


def test_a_run_cancelled_before_it_begins_ends_like_any_other(door: Ares) -> None:
    kept = MemoryCheckpoints()

    async def main() -> Any:
        run = Graph([ToolNode("a", "facts")]).start(door, run_id="r", checkpoints=kept)
        run.cancel()
        return await run.wait()

    assert (asyncio.run(main()).status, kept.take("r")) == ("cancelled", True)


def test_a_run_whose_waiter_is_cancelled_before_it_begins_is_given_up(door: Ares) -> None:
    kept = MemoryCheckpoints()

    async def main() -> None:
        run = Graph([ToolNode("a", "facts")]).start(door, run_id="r", checkpoints=kept)
        run._task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run.wait()

    asyncio.run(main())
    saved = kept.load("r")
    assert (saved and saved.status, kept.take("r")) == ("cancelled", True)


@pytest.mark.parametrize("after", [[], ["a"]])
def test_to_cancel_a_node_twice_is_to_cancel_it_once(door: Ares, until: Any, after: list[str]) -> None:
    async def main() -> Any:
        run = Graph([ToolNode("a", "wait"), ToolNode("b", "facts", after=after)]).start(door)
        await until(lambda: "a" in run._working)
        assert [run.cancel_node("a"), run.cancel_node("a")] == [True, True]
        return await run.wait()

    result = asyncio.run(main())
    wanted = ("failed", "cancelled", "skipped" if after else "done")
    assert (result.status, result["a"].status, result["b"].status) == wanted


@pytest.mark.parametrize("others", [[], [ToolNode("c", "facts")]])
def test_a_function_that_ends_as_if_cancelled_costs_no_other_node(door: Ares, others: list[Any]) -> None:
    nodes = [FunctionNode("a", gives_up, read_only=True), *others, ToolNode("b", "facts", after=["a"])]
    result = Graph(nodes).run_sync(door)
    assert (result.status, result["a"].status, result["b"].status) == ("failed", "cancelled", "skipped")


@pytest.mark.parametrize("others", [[], [ToolNode("x", "wait")]])
def test_nothing_starts_after_the_deadline_though_a_node_swallows_it(
    door: Ares, written: list[str], others: list[Any]
) -> None:
    nodes = [FunctionNode("a", stubborn), *others, ToolNode("b", "change", {"name": "b"}, after=["a"])]

    async def main() -> Any:
        result = await Graph(nodes, deadline=0.5).run(door)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return result

    result = asyncio.run(main())
    assert (result.status, result.error.code, result["a"].data) == ("failed", "timeout", 1)
    assert (result["b"].status, written) == ("skipped", [])


def test_a_listener_that_runs_out_of_time_is_not_the_deadline(door: Ares) -> None:
    def late(name: str, result: NodeResult) -> None:
        raise TimeoutError("nobody answers")

    result = Graph([ToolNode("a", "facts")]).run_sync(door, on_node=late)
    assert result.error is not None
    assert (result.status, result["a"].status, result.error.code) == ("failed", "done", "internal_error")


def test_what_was_taken_back_is_told_though_the_disk_is_full(door: Ares, written: list[str]) -> None:
    class Full(MemoryCheckpoints):
        def save(self, run_id: str, node: str, result: NodeResult) -> None:
            if result.error is not None:
                raise OSError("the disk is full")
            super().save(run_id, node, result)

    kept = Full()
    nodes = [ToolNode("a", "change", {"name": "x"}, undo=True), ToolNode("b", "fail", after=["a"])]
    result = Graph(nodes).run_sync(door, run_id="r", checkpoints=kept)
    assert (result.status, written, kept.take("r")) == ("failed", ["x", "undo x"], True)
    assert result.error is not None
    assert "could not be kept: OSError: the disk is full" in result.error.message


def test_a_change_that_was_cut_off_is_unknown_though_the_store_can_not_be_read(
    door: Ares, written: list[str], until: Any
) -> None:
    class Blind(MemoryCheckpoints):
        def load(self, run_id: str) -> Any:
            raise OSError("not now")

    async def main() -> Any:
        run = Graph([ToolNode("a", "change", {"name": "x", "seconds": 60})]).start(door, checkpoints=Blind())
        await until(lambda: written)
        run.cancel()
        return await run.wait()

    assert asyncio.run(main())["a"].status == "unknown"


def test_what_is_being_taken_back_is_taken_back_whole_when_the_run_is_cancelled(door: Ares) -> None:
    told: list[str] = []

    async def undo(arguments: Any, data: Any) -> None:
        runs[0].cancel()
        await asyncio.sleep(0)
        told.append("undone")

    door.register(Tool("mark", "Mark.", {"type": "object"}, lambda arguments, context: 1, undo=undo))
    runs: list[Any] = []

    async def main() -> Any:
        runs.append(Graph([ToolNode("a", "mark", undo=True), ToolNode("b", "fail", after=["a"])]).start(door))
        return await runs[0].wait()

    assert (asyncio.run(main()).status, told) == ("failed", ["undone"])


def test_a_run_that_another_process_has_is_left_as_it_is(
    door: Ares, written: list[str], until: Any, tmp_path: Path
) -> None:
    one, other = SqliteCheckpoints(tmp_path / "runs.db"), SqliteCheckpoints(tmp_path / "runs.db")
    slow = ToolNode("b", "change", {"name": "y", "seconds": 60}, after=["a"])
    graph = Graph([ToolNode("a", "change", {"name": "x"}), slow])

    async def main() -> Any:
        run = graph.start(door, run_id="r", checkpoints=one)
        await until(lambda: written == ["x", "y"])
        before = one.load("r")
        with pytest.raises(GraphError, match="under way in another process"):
            await graph.resume(door, "r", other, decisions={"a": "retry", "b": "skip"})
        assert one.load("r") == before
        run.cancel()
        return await run.wait()

    assert asyncio.run(main())["b"].status == "unknown"
    one.close()
    other.close()


def test_what_an_inner_graph_takes_back_it_takes_back_whole(door: Ares) -> None:
    told: list[str] = []
    kept = MemoryCheckpoints()

    async def undo(arguments: Any, data: Any) -> None:
        runs[0].cancel()
        await asyncio.sleep(0.01)
        told.append("undone")

    door.register(Tool("mark", "Mark.", {"type": "object"}, lambda arguments, context: 1, undo=undo))
    inner = Graph([ToolNode("a", "mark", undo=True), ToolNode("b", "fail", after=["a"])])
    runs: list[Any] = []

    async def main() -> Any:
        runs.append(Graph([SubGraph("s", inner)]).start(door, run_id="r", checkpoints=kept))
        return await runs[0].wait()

    assert (asyncio.run(main()).status, told) == ("cancelled", ["undone"])
    saved = kept.load("r/s")
    assert saved is not None
    assert (saved.status, saved.results["a"].status) == ("failed", "cancelled")


def test_an_approved_change_that_is_cut_off_is_unknown_too() -> None:
    kept, begun = MemoryCheckpoints(), asyncio.Event()

    async def erase(arguments: Any, context: Any) -> None:
        begun.set()
        await asyncio.sleep(60)

    graph = Graph([ToolNode("a", "erase")])

    async def main(ares: Ares) -> Any:
        first = await graph.run(ares, run_id="r", checkpoints=kept)
        ares.approvals.approve(first["a"].approval or "")
        going_on = asyncio.ensure_future(graph.resume(ares, "r", kept))
        await begun.wait()
        going_on.cancel()
        await asyncio.gather(going_on, return_exceptions=True)
        return first["a"].status, await graph.resume(ares, "r", kept)

    with Ares(plugins=[], config={"approvals": {"defer": True}}) as ares:
        ares.register(Tool("erase", "Erase.", {"type": "object"}, erase, requires_approval=True))
        waiting, again = asyncio.run(main(ares))
    assert (waiting, again.status, again["a"].status) == ("waiting", "waiting", "unknown")
