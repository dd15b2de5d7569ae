"""Taking a run up again: what stays as it is, what runs again, and what a person has to say."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from ares_core import AresError
from ares_plugin_graph.checkpoints import Checkpoints, Saved, fork
from ares_plugin_graph.graph import Graph, GraphError, GraphProblem
from ares_plugin_graph.nodes import SubGraph
from ares_plugin_graph.prepared import fingerprint, ready_steps
from ares_plugin_graph.results import NodeResult, not_done

DECISIONS = ("retry", "skip")


class UnknownRun(AresError):
    """A run that is not kept."""


def taken_up(
    graph: Graph, run_id: str, checkpoints: Checkpoints, decisions: Mapping[str, Any]
) -> tuple[Saved, dict[str, str]]:
    """Give what of a run stays, after the decisions, and the approvals that its nodes wait for.

    Raises ``GraphError`` when it can't go on.
    """
    saved = kept(checkpoints, run_id)
    if saved.fingerprint and saved.fingerprint != fingerprint(graph):
        says = f"it is not the graph that run {run_id} began with; go on with that one, or begin a new run"
        raise GraphError(graph.name, [GraphProblem("", says)])
    _check(graph, decisions)
    results = _certain(graph, saved)
    again = _decided(graph, results, decisions)
    dropped = tuple(name for name in {*saved.results, *saved.started} if name not in results or name in again)
    checkpoints.forget(run_id, dropped)
    stays = {name: result for name, result in results.items() if name not in again}
    for name, result in stays.items():
        if saved.results.get(name) != result:
            checkpoints.save(run_id, name, result)
    checkpoints.status(run_id, "running")
    approvals = {name: one.approval for name, one in saved.results.items() if one.status == "waiting" and one.approval}
    return replace(saved, results=stays, started=frozenset(saved.started - set(dropped))), approvals


def kept(checkpoints: Checkpoints, run_id: str) -> Saved:
    """Give a run that is kept; raises ``UnknownRun`` in a sentence."""
    saved = checkpoints.load(run_id)
    if saved is None:
        raise UnknownRun(f"there is no run {run_id!r:.80}; 'ares graph runs' lists those that are kept")
    return saved


def forked(graph: Graph, saved: Saved, checkpoints: Checkpoints, decisions: Mapping[str, Any]) -> Saved:
    """Begin a new run with what of another stays after the decisions; the other is left as it is."""
    _check(graph, decisions)
    results = _certain(graph, saved)
    again = _decided(graph, results, decisions)
    kept = {name: result for name, result in results.items() if name not in again}
    return fork(checkpoints, saved.run_id, uuid.uuid4().hex, kept)


def _check(graph: Graph, decisions: Mapping[str, Any]) -> None:
    known = {node.id for node in graph.nodes}
    problems = []
    for name, decision in decisions.items():
        if name not in known:
            problems.append(GraphProblem(name[:60], "there is no such node to decide about"))
        elif decision not in DECISIONS and not (isinstance(decision, Mapping) and set(decision) == {"data"}):
            problems.append(GraphProblem(name, f"decide 'retry', 'skip' or {{'data': …}}, not {decision!r:.60}"))
    if problems:
        raise GraphError(graph.name, problems)


def _certain(graph: Graph, saved: Saved) -> dict[str, NodeResult]:
    """Give what is certain: what is done or failed, and that the outcome of what was cut off is unknown."""
    results = {name: one for name, one in saved.results.items() if one.status in ("done", "failed", "unknown")}
    whole = {node.id for node in graph.nodes if not isinstance(node, SubGraph)}
    for name in saved.started & whole:
        if name not in saved.results:
            says = "its process ended while it may have changed something; see whether it did, and decide"
            results[name] = not_done("unknown", "outcome_unknown", says)
    return results


def _decided(graph: Graph, results: dict[str, NodeResult], decisions: Mapping[str, Any]) -> set[str]:
    """Carry out the decisions; gives the nodes that run again: those to be retried, and what came after them."""
    again: set[str] = set()
    for name, decision in decisions.items():
        if decision == "skip":
            results[name] = not_done("skipped", "not_taken", "a person decided to skip it")
        elif decision == "retry":
            again.add(name)
        else:
            results[name] = NodeResult("done", decision["data"])
    grown = True
    while grown:
        after = {step.id for step in ready_steps(graph) if again & set(step.depends_on)}
        grown = not after <= again
        again |= after
    return again


__all__ = ["UnknownRun", "forked", "kept", "taken_up"]
