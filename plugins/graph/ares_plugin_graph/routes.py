"""Which followers of a node go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ares_plugin_graph.prepared import test_of
from ares_plugin_graph.results import NodeResult, not_done

if TYPE_CHECKING:
    from ares_plugin_graph.prepared import Step
    from ares_plugin_graph.run import Run


def chooser(run: Run, step: Step, made: NodeResult) -> NodeResult:
    """Note which followers of a node that is done go on; a route that can't be told is the node's failure."""
    run.results[step.id] = made
    try:
        run.chosen[step.id] = _chosen(run, step, made)
    except Exception as error:
        return not_done("failed", "tool_error", f"its route can't be told: {error}"[:500], tool=made.tool)
    return made


def _chosen(run: Run, step: Step, made: NodeResult) -> Callable[[str], bool]:
    route = step.node.route
    if callable(route):
        found = route(made.data)
        names = {found} if isinstance(found, str) else set(found or ())
        unknown = names - {node.id for node in run.graph.nodes}
        if unknown:
            raise ValueError(f"it leads to {min(unknown)!r:.60}, which is no node")
        return lambda name: name in names
    targets = {target for _, target in route or ()}
    taken = None
    for when, target in route or ():
        test = test_of(when)
        if test is None or test(run.state):
            taken = target
            break
    return lambda name: name == taken or name not in targets


__all__ = ["chooser"]
