"""A run of a graph as a job of an engine that survives crashes: the engine starts it again, the run goes on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ares_plugin_graph.files import read_graph
from ares_plugin_graph.run import Run
from ares_plugin_graph.sqlite import SqliteCheckpoints

if TYPE_CHECKING:
    from ares_plugin_graph.results import RunResult

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
        result: RunResult = await begun.wait()
        return result.to_dict()
    finally:
        kept.close()
