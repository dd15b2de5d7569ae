"""What of a run is left to a person, also inside its nodes, and how they say it from the shell."""

from __future__ import annotations

from collections.abc import Iterator

from ares_plugin_graph.checkpoints import Checkpoints
from ares_plugin_graph.graph import Graph
from ares_plugin_graph.nodes import SubGraph
from ares_plugin_graph.results import NodeResult, not_done
from ares_plugin_graph.resuming import ends
from ares_plugin_graph.work import ASK

MOST = 5
"""How many nodes are named."""
CUT_OFF = not_done("unknown", "outcome_unknown", "it was cut off")
Left = list[tuple[str, NodeResult]]


def undecided(graph: Graph, checkpoints: Checkpoints, run_id: str, above: str = "") -> Left:
    """Give the nodes that wait for a person or whose outcome is unknown; one inside another as ``outer.inner``."""
    found: Left = []
    saved = checkpoints.load(run_id)
    if saved is None:
        return found
    for node in graph.nodes:
        result = saved.results.get(node.id, CUT_OFF if node.id in saved.started else None)
        if isinstance(node, SubGraph):
            for end in ends(node) if result is None or result.status != "done" else ():
                inner = f"{run_id}/{node.id}{end}"
                if checkpoints.load(inner) is None:
                    break
                found += undecided(node.graph, checkpoints, inner, f"{above}{node.id}.")
        elif result is not None and _is_left(result):
            found.append((above + node.id, result))
    return found


def _is_left(result: NodeResult) -> bool:
    """Whether a node waits for a person, not just for another node."""
    is_behind = result.error is not None and result.error.code == "waiting"
    return result.status in ("unknown", "waiting") and not is_behind


def ways_on(run_id: str, left: Left) -> Iterator[str]:
    """Say how to go on with a run."""
    again = f"ares graph resume {run_id}"
    if not left:
        yield f"Go on with it: {again}"
    for name, result in left[:MOST]:
        if result.status == "unknown":
            yield f"See whether {name} did its work, then: {again} --retry {name} | --skip {name} | --set {name}=JSON"
        elif result.approval:
            yield f"Answer {name}: ares approvals approve {result.approval} (or deny), then {again}"
        else:
            yield from _answers(again, name, is_question=result.tool == ASK.name)
    if len(left) > MOST:
        yield f"There are {len(left) - MOST} more: ares graph runs {run_id}"


def _answers(again: str, name: str, *, is_question: bool) -> Iterator[str]:
    yield f"Answer {name} at a terminal: {again}"
    yield f"Or say yes to all that ask: {again} --approve always"
    if is_question:
        yield f"Or to this alone: {again} --set '{name}={{\"approved\": true}}'"
    yield "With approvals.defer in the configuration, questions wait in 'ares approvals list'."


__all__ = ["Left", "undecided", "ways_on"]
