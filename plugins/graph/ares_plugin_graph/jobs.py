"""A run of a graph as a job of an engine that survives crashes: the engine starts it again, the run goes on."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any

from msgspec import convert

from ares_plugin_graph.files import read_graph
from ares_plugin_graph.results import RunResult
from ares_plugin_graph.run import Run
from ares_plugin_graph.sqlite import SqliteCheckpoints

if TYPE_CHECKING:
    from ares_plugin_graph.checkpoints import Saved

JOB = "ares_plugin_graph.jobs:run"


async def run(job: Any, payload: Mapping[str, Any]) -> Any:
    """Begin the run whose id is the job's, or go on with it; nodes that are done are not done again.

    ``job`` has an ``id`` and a ``door``, through which the calls go; the payload has the graph's document, the run's
    input and the file that it is kept in.
    """
    graph, kept = read_graph(payload["graph"]), SqliteCheckpoints(payload["path"])
    try:
        begun: Run
        if kept.load(job.id) is None:
            begun = Run.begin(graph, job.door, payload["input"], job.id, kept, None, None, payload["graph"])
        else:
            begun = Run.resume(graph, job.door, job.id, kept, {}, None, None)
        return (await begun.wait()).to_dict()
    finally:
        kept.close()


def run_stands(id: str, payload: Mapping[str, Any], outcome: Any) -> tuple[str, str] | None:
    """Give the status of a run that has gone on since its job ended, and the command that shows it."""
    if not os.path.exists(payload["path"]):
        return None
    with closing(SqliteCheckpoints(payload["path"])) as kept:
        saved = kept.load(id)
        if saved is None or not has_gone_on(saved, convert(outcome, RunResult) if outcome else None):
            return None
        return kept.state(saved), f"ares graph runs {id}"


def has_gone_on(saved: Saved, ended: RunResult | None) -> bool:
    """Whether a run went on by itself after the job that began it had ended, or had been stopped."""
    if ended is None:
        return saved.status not in ("running", "cancelled")
    then = {name: (one.status, one.approval) for name, one in ended.nodes.items() if name in saved.results}
    return saved.status != ended.status or then != {n: (one.status, one.approval) for n, one in saved.results.items()}
