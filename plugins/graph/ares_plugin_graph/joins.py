"""Whether a node's turn has come: what the branches that lead to it have come to, and what its join makes of that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ares_plugin_graph.references import ReferenceFault
from ares_plugin_graph.results import NodeResult, not_done

if TYPE_CHECKING:
    from ares_plugin_graph.prepared import Step, Way
    from ares_plugin_graph.run import Run

Branch = Literal["done", "not_taken", "failed", "waiting"]
BRANCH: dict[str, Branch] = {
    "done": "done", "skipped": "not_taken", "failed": "failed", "cancelled": "failed", "waiting": "waiting",
    "unknown": "waiting",
}  # fmt: skip

UNFOUNDED: dict[str, Branch] = {"dependency_failed": "failed", "waiting": "waiting"}
"""What a node that stays done counts as when it would not run now, by the code that says why not."""


def verdict(run: Run, step: Step) -> NodeResult | None:
    """Say why a node doesn't run, or ``None`` if it does."""
    if not run.chosen and not run.unfounded:
        results = run.results
        for way in step.ways:
            if way.test is not None or results[way.source].status != "done":
                break
        else:
            return None
    try:
        branches = [_branch(run, step, way) for way in step.ways]
    except ReferenceFault as error:
        return not_done("failed", "missing_input", str(error))
    return _joined(run, step, branches)


def passed(run: Run, step: Step) -> NodeResult:
    """Let a node's turn pass that stays as it was: what comes after it waits for what it came after itself.

    If that fails this time, or waits, so does the way through the node, as if it had not run.
    """
    run.kept.discard(step.id)
    found = verdict(run, step)
    if found is not None and found.error is not None:
        branch = UNFOUNDED.get(found.error.code)
        if branch is not None:
            run.unfounded[step.id] = branch
    return run.results[step.id]


def _branch(run: Run, step: Step, way: Way) -> Branch:
    result = run.results[way.source]
    branch = BRANCH[result.status]
    if branch != "done" or way.source in run.unfounded:
        return run.unfounded.get(way.source, branch)
    chosen = run.chosen.get(way.source)
    if chosen is not None and not chosen(step.id):
        return "not_taken"
    return "done" if way.test is None or way.test(run.state) else "not_taken"


def _joined(run: Run, step: Step, branches: list[Branch]) -> NodeResult | None:
    join = step.node.join
    if join == "any":
        if not branches or "done" in branches:
            return None
        return (
            _waits(run, step, branches) if "waiting" in branches else _skipped(run, step, branches, "no branch is done")
        )
    if "failed" in branches:
        return _skipped(run, step, branches, "")
    if join == "all" and "not_taken" in branches:
        return _skipped(run, step, branches, "")
    return _waits(run, step, branches) if "waiting" in branches else None


def _skipped(run: Run, step: Step, branches: list[Branch], why: str) -> NodeResult:
    kind: Branch = "failed" if "failed" in branches else "not_taken"
    source = step.ways[branches.index(kind)].source
    status = run.results[source].status
    if kind == "failed" and status == "done":
        return not_done("skipped", "dependency_failed", f"what {source!r} came after fails now")
    said = "its way here was not taken" if kind == "not_taken" and status == "done" else f"it is {status}"
    code = "dependency_failed" if kind == "failed" else "not_taken"
    return not_done("skipped", code, f"{why + ': ' if why else ''}it comes after {source!r}, and {said}")


def _waits(run: Run, step: Step, branches: list[Branch]) -> NodeResult:
    source = step.ways[branches.index("waiting")].source
    if run.results[source].status == "done":
        return not_done("waiting", "waiting", f"what {source!r} came after is waiting")
    return not_done("waiting", "waiting", f"it comes after {source!r}, which is {run.results[source].status}")


__all__ = ["Branch", "passed", "verdict"]
