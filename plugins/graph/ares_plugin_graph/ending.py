"""The end of a run: what did not run, what is taken back, what the run came to."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from ares_core import within
from ares_plugin_graph.cutting import whole
from ares_plugin_graph.nodes import ToolNode
from ares_plugin_graph.prepared import Step, ready_steps
from ares_plugin_graph.references import ReferenceFault, compiled
from ares_plugin_graph.results import UNDONE, NodeError, NodeResult, RunResult, RunStatus, not_done
from ares_plugin_graph.state import sinks
from ares_plugin_graph.work import take_back

if TYPE_CHECKING:
    from ares_plugin_graph.run import Run


async def ended(run: Run, *, is_cancelled: bool) -> bool:
    """Note what did not run, and take back what is to be taken back when a run fails; a cancelled one may go on.

    Tells whether it was cancelled meanwhile.
    """
    is_cut_off = False
    why = run.error.message if run.error else "the run was cancelled before its turn came"
    for node in run.graph.nodes:
        if node.id not in run.results:
            run.results[node.id] = not_done("skipped" if run.error else "cancelled", "not_executed", why)
    if not is_cancelled and status_of(run) == "failed":
        told: list[str] = []
        is_cut_off = await whole(_undone(run, told))
        if told:
            first = _first(run, ("failed",))
            error = run.error or (_named(run, first) if first else None) or NodeError("step_failed", "it failed")
            taken_back = _sentence("; ".join(one.rstrip(".") for one in told))
            run.error = replace(error, message=f"{_sentence(error.message)} {taken_back}"[:2000])
    return is_cut_off


async def _undone(run: Run, told: list[str]) -> None:
    """Take back, last first, what nodes did that say how."""
    steps = {step.id: step for step in ready_steps(run.graph)}
    for name in reversed(list(dict.fromkeys(run.order))):
        step, result = steps.get(name), run.results[name]
        if step is not None and isinstance(step.node, ToolNode) and step.node.undo and result.status == "done":
            told.append(await _taken_back(run, step, step.node, result))


async def _taken_back(run: Run, step: Step, node: ToolNode, result: NodeResult) -> str:
    try:
        arguments: Any = step.constant if step.arguments is None else step.arguments(run.state)
    except ReferenceFault as fault:
        return f"{step.id} could not be undone: {fault}"[:300]
    with within(run.run_id, step.id):
        is_undone, says = await take_back(run, node, result, arguments)
    if is_undone:
        run.results[step.id] = made = not_done("cancelled", UNDONE, "it was done and taken back", tool=result.tool)
        told = {"code": "undone", "text": says, "tool": result.tool, "duration_ms": result.duration_ms}
        run.ares.tell("node.cancelled", told, run=run.run_id, node=step.id, session=run.session)
        try:
            run.checkpoints.save(run.run_id, step.id, made)
        except Exception as error:
            return f"{says}, which could not be kept: {type(error).__name__}: {error}"[:300]
    return says


def status_of(run: Run) -> RunStatus:
    """Say what the nodes come to together."""
    if run.error is not None:
        return "failed"
    found = {node.id: run.results[node.id].status for node in run.graph.nodes if not node.may_fail}
    every = {run.results[node.id].status for node in run.graph.nodes}
    if every & {"waiting", "unknown"}:
        return "waiting"
    return "failed" if set(found.values()) & {"failed", "cancelled"} else "done"


def result_of(run: Run, status: str | None) -> RunResult:
    """Make the result of a run that has ended."""
    made: Any = status or status_of(run)
    error, output = run.error, None
    if made == "done":
        try:
            output = _output(run)
        except ReferenceFault as fault:
            made, error = "failed", NodeError("missing_input", f"output: {fault}")
    elif error is None and made != "cancelled":
        bad = _first(run, ("failed", "unknown", "waiting", "cancelled"))
        error = _named(run, bad) if bad else None
    nodes = {node.id: run.results[node.id] for node in run.graph.nodes}
    try:
        keys = run.state.keys()
    except Exception:  # a node that could not be reduced has failed and said so
        keys = {}
    return RunResult(run.run_id, made, nodes, output, keys, error, (time.perf_counter() - run.begun) * 1000)


def _output(run: Run) -> Any:
    if run.graph.output is not None:
        make = compiled(run.graph.output)
        return make(run.state) if make else run.graph.output
    done = {name: run.results[name].data for name in sinks(ready_steps(run.graph)) if _is_done(run.results[name])}
    return next(iter(done.values())) if len(done) == 1 else done


def _is_done(result: NodeResult) -> bool:
    return result.status == "done"


def _named(run: Run, name: str) -> NodeError | None:
    error = run.results[name].error
    return error and replace(error, message=f"{name}: {error.message}")


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!", "…")) else f"{text}."


def _first(run: Run, wanted: tuple[str, ...]) -> str | None:
    for status in wanted:
        for node in run.graph.nodes:
            if run.results[node.id].status == status and not (node.may_fail and status == "failed"):
                return node.id
    return None


__all__ = ["ended", "result_of", "status_of"]
