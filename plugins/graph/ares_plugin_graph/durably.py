"""``ares graph run --durable``: through whichever engine is installed under the entry-point group ``ares.engines``."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Any

import click
from msgspec import convert

from ares_core import Ares, cli
from ares_plugin_graph.graph import Graph
from ares_plugin_graph.jobs import JOB
from ares_plugin_graph.results import RunResult
from ares_plugin_graph.written import written


def run_durably(ares: Ares, graph: Graph, given: Mapping[str, Any], run_id: str | None, path: str) -> RunResult:
    """Have an engine run the graph: a process that ends in the middle leaves it to the next one."""
    engine, name = _engine(), run_id or uuid.uuid4().hex
    payload = {"graph": written(graph), "input": given, "path": path}

    async def work() -> Any:
        async with engine(ares) as durable:
            cli.note(f"run {name}, durable")
            return await durable.run(JOB, payload, id=name)

    return convert(asyncio.run(work()), RunResult)


def _engine() -> Any:
    found = sorted(entry_points(group="ares.engines"), key=lambda entry: entry.name)
    if not found:
        raise click.UsageError("No engine for durable runs is installed; pip install ares-plugin-durable.")
    return found[0].load()
