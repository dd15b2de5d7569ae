"""Taking a run up again: what stays as it is, what runs again, and what a person has to say."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ares_core import UsageError
from ares_plugin_graph.checkpoints import Checkpoints, Saved, fork
from ares_plugin_graph.graph import Graph, GraphError, GraphProblem
from ares_plugin_graph.nodes import SubGraph
from ares_plugin_graph.ordering import in_order
from ares_plugin_graph.prepared import fingerprint, ready_steps
from ares_plugin_graph.results import UNDONE, NodeResult, not_done

DECISIONS = ("retry", "skip")
ENDED = ("failed", "cancelled")
"""How a run ended whose failures are to be tried again; one that was killed or waits has not ended."""
DECIDED = "decided"
"""The code of a node that a person decided to skip: it stays skipped, whatever else runs again."""
Decisions = Mapping[str, Any]


class UnknownRun(UsageError):
    """A run that is not kept."""


class TakenUp(Struct, frozen=True):
    """What a run goes on with.

    That is what is kept of it, the approvals that nodes wait for, and decisions about what lies inside its nodes;
    ``order`` has the nodes that are done, each after those it came after; ``kept`` those that stay as they are although
    something that they came after is yet to run.
    """

    saved: Saved
    approvals: dict[str, str]
    inner: dict[str, dict[str, Any]]
    order: list[str]
    kept: set[str]


def taken_up(graph: Graph, run_id: str, checkpoints: Checkpoints, decisions: Decisions) -> TakenUp:
    """Give what of a run stays, after the decisions. Raises ``GraphError`` when it can't go on."""
    saved = kept(checkpoints, run_id)
    if saved.fingerprint and saved.fingerprint != fingerprint(graph):
        says = f"it is not the graph that run {run_id} began with; go on with that one, or begin a new run"
        raise GraphError(graph.name, [GraphProblem("", says)])
    _check(graph, decisions)
    results = _certain(graph, saved)
    again, anew = _decided(graph, results, decisions)
    dropped = tuple(name for name in {*saved.results, *saved.started} if name not in results or name in again)
    checkpoints.forget(run_id, dropped)
    for name in anew:
        checkpoints.drop_inside(run_id, name)
    stays = {name: result for name, result in results.items() if name not in again}
    for name, result in stays.items():
        if saved.results.get(name) != result:
            checkpoints.save(run_id, name, result)
    _note_told(checkpoints, run_id, decisions, stays)
    checkpoints.status(run_id, "running")
    approvals = {name: one.approval for name, one in saved.results.items() if one.status == "waiting" and one.approval}
    made = replace(saved, results=stays, started=frozenset(saved.started - set(dropped)))
    before = {step.id: step.depends_on for step in ready_steps(graph)}
    order = [name for name in in_order(before) if name in stays and stays[name].status == "done"]
    waiting = _with_followers(graph, {node.id for node in graph.nodes} - set(stays))
    return TakenUp(made, approvals, inside(decisions), order, waiting & set(stays))


def kept(checkpoints: Checkpoints, run_id: str) -> Saved:
    """Give a run that is kept; raises ``UnknownRun`` in a sentence."""
    saved = checkpoints.load(run_id)
    if saved is None:
        raise UnknownRun(f"there is no run {run_id!r:.80}; 'ares graph runs' lists those that are kept")
    return saved


def forked(graph: Graph, saved: Saved, checkpoints: Checkpoints, decisions: Decisions) -> Saved:
    """Begin a new run with what of another stays after the decisions; the other is left as it is."""
    _check(graph, decisions)
    results = _certain(graph, saved)
    again, anew = _decided(graph, results, decisions)
    stays = {name: result for name, result in results.items() if name not in again}
    made = fork(checkpoints, saved.run_id, uuid.uuid4().hex, stays)
    _note_told(checkpoints, made.run_id, decisions, stays)
    _copy_inside(graph, checkpoints, (saved.run_id, made.run_id), anew)
    return made


def _note_told(checkpoints: Checkpoints, run_id: str, decisions: Decisions, stays: Mapping[str, NodeResult]) -> None:
    """Note what a person said that a node gave like what changed something: it stays, whatever is taken back."""
    for name, decision in decisions.items():
        if name in stays and decision not in DECISIONS:
            checkpoints.start(run_id, name)


def _copy_inside(graph: Graph, checkpoints: Checkpoints, ids: tuple[str, str], anew: set[str]) -> None:
    """Copy the runs of graphs in nodes: what they have done is not done again in the copy either."""
    for node in graph.nodes:
        if isinstance(node, SubGraph) and node.id not in anew:
            for end in ends(node):
                saved = checkpoints.load(f"{ids[0]}/{node.id}{end}")
                if saved is None:
                    break
                new = f"{ids[1]}/{node.id}{end}"
                fork(checkpoints, saved.run_id, new, _certain(node.graph, saved))
                checkpoints.status(new, saved.status)
                _copy_inside(node.graph, checkpoints, (saved.run_id, new), set())


def ends(node: SubGraph) -> Iterator[str]:
    """Give what the ids of the runs inside a node end in, round by round."""
    rounds = node.max_iterations or 1
    yield from (f"/{count}" for count in range(1, rounds + 1)) if rounds > 1 else ("",)


def inside(decisions: Decisions) -> dict[str, dict[str, Any]]:
    """Give the decisions about nodes of graphs in nodes, by the node that they lie in.

    >>> inside({"a": "retry", "sub.x": "skip"})
    {'sub': {'x': 'skip'}}
    """
    found: dict[str, dict[str, Any]] = {}
    for name, decision in decisions.items():
        outer, dot, inner = name.partition(".")
        if dot:
            found.setdefault(outer, {})[inner] = decision
    return found


def _check(graph: Graph, decisions: Decisions) -> None:
    known = {node.id: node for node in graph.nodes}
    problems = []
    for name, decision in decisions.items():
        outer, dot, inner = name.partition(".")
        node = known.get(outer)
        if node is None or (dot and not isinstance(node, SubGraph)):
            problems.append(GraphProblem(name[:60], "there is no such node to decide about"))
        elif isinstance(node, SubGraph) and dot:
            _check(node.graph, {inner: decision})
        elif decision not in DECISIONS and not (isinstance(decision, Mapping) and set(decision) == {"data"}):
            problems.append(GraphProblem(name, f"decide 'retry', 'skip' or {{'data': …}}, not {decision!r:.60}"))
    if problems:
        raise GraphError(graph.name, problems)


def _certain(graph: Graph, saved: Saved) -> dict[str, NodeResult]:
    """Give what is certain: what is done or decided, and that the outcome of what was cut off is unknown.

    What failed is certain as long as the run has not ended, or if it may fail; otherwise it is to run again.
    """
    spared = {node.id for node in graph.nodes if node.may_fail or saved.status not in ENDED}
    results = {name: one for name, one in saved.results.items() if _is_certain(one, is_spared=name in spared)}
    whole = {node.id for node in graph.nodes if not isinstance(node, SubGraph)}
    for name in saved.started & whole:
        if name not in saved.results:
            says = "its process ended while it may have changed something; see whether it did, and decide"
            results[name] = not_done("unknown", "outcome_unknown", says)
    for name in _unfounded(graph, saved) & (whole - saved.started):
        if name in results and _code(results[name]) != DECIDED:
            del results[name]
    return results


def _is_certain(one: NodeResult, *, is_spared: bool) -> bool:
    return one.status in ("done", "unknown") or (one.status == "failed" and is_spared) or _code(one) == DECIDED


def _code(one: NodeResult) -> str:
    return one.error.code if one.error is not None else ""


def _unfounded(graph: Graph, saved: Saved) -> set[str]:
    """Give what came after nodes that were taken back: if it only read, it is to read again."""
    return _with_followers(graph, {name for name, one in saved.results.items() if _code(one) == UNDONE})


def _decided(graph: Graph, results: dict[str, NodeResult], decisions: Decisions) -> tuple[set[str], set[str]]:
    """Carry out the decisions; gives the nodes that run again, and which of them begin anew with what is inside them.

    Those are the nodes to be retried, and what came after them unless that was decided too; of a node about whose
    inside was decided, the inside goes on where it was.
    """
    anew: set[str] = set()
    for name, decision in decisions.items():
        if "." in name:
            continue
        if decision == "skip":
            results[name] = not_done("skipped", DECIDED, "a person decided to skip it")
        elif decision == "retry":
            anew.add(name)
        else:
            results[name] = NodeResult("done", decision["data"])
    reopened = set(inside(decisions)) - anew
    told = set(decisions) - anew
    again = _with_followers(graph, anew | reopened) - told
    return again, again - reopened


def _with_followers(graph: Graph, names: set[str]) -> set[str]:
    """Add what comes after some nodes."""
    steps = {step.id: step.depends_on for step in ready_steps(graph)}
    found = set(names)
    for name in in_order(steps) if names else ():
        if found.intersection(steps[name]):
            found.add(name)
    return found


__all__ = ["TakenUp", "UnknownRun", "ends", "forked", "kept", "taken_up"]
