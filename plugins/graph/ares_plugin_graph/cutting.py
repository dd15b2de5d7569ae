"""What keeps a run whole when it is cut off: whose it is, whom a cancellation is meant for, who asks it to stop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from ares_plugin_graph.graph import Graph, GraphError, GraphProblem

if TYPE_CHECKING:
    from ares_plugin_graph.checkpoints import Checkpoints
    from ares_plugin_graph.run import Run

log = logging.getLogger("ares.plugin.graph")
POLL_SECONDS = 0.5


@contextmanager
def taking(checkpoints: Checkpoints, graph: Graph, run_id: str) -> Iterator[None]:
    """Make a run one's own before anything of it is read or changed; it is given up if the work within raises."""
    if not checkpoints.take(run_id):
        raise GraphError(graph.name, [GraphProblem("", f"run {run_id} is under way in another process")])
    try:
        yield
    except BaseException:
        checkpoints.release(run_id)
        raise


def is_for_the_run(task: asyncio.Task[Any] | None, is_for_the_node: bool) -> bool:
    """Whether a cancellation that reached a node is meant for the whole run: not its own, nor one that it raised."""
    return task is None or task.cancelling() > is_for_the_node


async def absorbed(task: asyncio.Task[Any] | None) -> None:
    """Take in the cancellation of a node that ended, with it or in spite of it; it must not reach the next node."""
    with suppress(asyncio.CancelledError):
        await asyncio.sleep(0)
    if task is not None:
        task.uncancel()


async def whole(work: Coroutine[Any, Any, None]) -> bool:
    """Do work to its end, cancelled or not; tells whether it was cancelled meanwhile."""
    task, is_cancelled = asyncio.ensure_future(work), False
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            is_cancelled = True
    task.result()
    return is_cancelled


async def watch(run: Run) -> None:
    """Look whether another process asks to stop."""
    while True:
        await asyncio.sleep(POLL_SECONDS)
        try:
            is_cancelled = run.checkpoints.is_cancelled(run.run_id)
        except Exception as error:  # the next look may tell
            log.warning("run %s can't see whether it is to stop: %s", run.run_id, error)
        else:
            if is_cancelled:
                return run.cancel()


__all__ = ["absorbed", "is_for_the_run", "taking", "watch", "whole"]
