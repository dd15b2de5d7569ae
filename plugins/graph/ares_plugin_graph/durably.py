"""``ares graph run --durable``: through whichever engine is installed under the entry-point group ``ares.engines``."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping
from contextlib import closing
from importlib.metadata import entry_points
from typing import Any

import click
from msgspec import convert

from ares_core import Ares, UsageError, cli
from ares_plugin_graph.graph import Graph
from ares_plugin_graph.jobs import JOB, has_gone_on
from ares_plugin_graph.results import NodeError, RunResult
from ares_plugin_graph.run import Run
from ares_plugin_graph.sqlite import SqliteCheckpoints
from ares_plugin_graph.written import written

BAD = ("failed", "unknown", "waiting", "cancelled")


def run_durably(ares: Ares, graph: Graph, given: Mapping[str, Any], run_id: str | None, path: str) -> RunResult:
    """Have an engine run the graph: a process that ends in the middle leaves it to the next one.

    An id that was used with another input is refused, which the engine says with an error that has a ``result``.
    """
    engine, name = _engine(), run_id or uuid.uuid4().hex
    payload = {"graph": written(graph), "input": given, "path": path}

    async def work() -> RunResult:
        async with engine(ares) as durable:
            await durable.start(JOB, payload, id=name)
            cli.note(f"run {name}, durable")
            ended = convert(await durable.attend(name, cli.note), RunResult)
            return await as_it_stands(ended, graph, ares, path)

    try:
        return asyncio.run(work())
    except UsageError as error:
        refused = getattr(error, "result", None)
        if refused is None:
            raise
        cli.show(ares, refused)
        raise click.exceptions.Exit(cli.exit_code(refused, called=True)) from None


async def as_it_stands(ended: RunResult, graph: Graph, ares: Ares, path: str) -> RunResult:
    """Give how a run stands now: one that was not done when its job ended may have gone on by itself since."""
    if ended.status == "done":
        return ended
    with closing(SqliteCheckpoints(path)) as kept:
        saved = kept.load(ended.run_id)
        if saved is None or not has_gone_on(saved, ended):
            return ended
        if saved.status == "done":
            return await Run.resume(graph, ares, ended.run_id, kept, {}, None, None).wait()
    status: Any = saved.status
    bad = next(((name, one.error) for name, one in saved.results.items() if one.status in BAD and one.error), None)
    error = NodeError(bad[1].code, f"{bad[0]}: {bad[1].message}") if bad else None
    return RunResult(saved.run_id, status, saved.results, error=error)


def _engine() -> Any:
    found = sorted(entry_points(group="ares.engines"), key=lambda entry: entry.name)
    if not found:
        raise click.UsageError("No engine for durable runs is installed; pip install ares-plugin-durable.")
    return found[0].load()
