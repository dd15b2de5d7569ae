"""Graphs in graphs, once or in a bounded loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from ares_core import counted
from ares_plugin_graph.nodes import SubGraph
from ares_plugin_graph.prepared import test_of
from ares_plugin_graph.references import ReferenceFault, compiled
from ares_plugin_graph.results import NodeError, NodeResult, RunResult, not_done

if TYPE_CHECKING:
    from ares_plugin_graph.run import Run


async def run_inner(run: Run, node: SubGraph, given: Mapping[str, Any]) -> NodeResult:
    """Run the inner graph; again as long as ``until`` doesn't hold."""
    ends, carry = test_of(node.until), compiled(node.carry)
    rounds = node.max_iterations or 1
    for count in range(1, rounds + 1):
        inner = run.inner(node, f"{run.run_id}/{node.id}" + (f"/{count}" if rounds > 1 else ""), given)
        result = await inner.wait()
        if result.status != "done":
            return _not_done(node, result, count)
        try:
            if ends is None and count == rounds or ends is not None and ends(inner.state):
                return NodeResult("done", result.output, attempts=count)
            given = {**given, **(carry(inner.state) if carry else node.carry)}
        except ReferenceFault as error:
            return not_done("failed", "missing_input", str(error), attempts=count)
    return not_done(
        "failed",
        "budget_exhausted",
        f"{node.id} did not come to its end in {counted(rounds, 'round')}",
        attempts=rounds,
    )


def _not_done(node: SubGraph, result: RunResult, count: int) -> NodeResult:
    error = result.error or NodeError("step_failed", f"it is {result.status}")
    status: Any = result.status if result.status in ("waiting", "cancelled") else "failed"
    name = error.message.partition(":")[0].partition(".")[0]
    way = f"{node.id}." if name in result.nodes else ""  # what is wrong with the inner run as a whole is no node's
    return NodeResult(status, None, replace(error, message=f"{way}{error.message}"[:500]), attempts=count)


__all__ = ["run_inner"]
