"""Runs checked graphs of calls: independent steps side by side, runners-up, undo."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from graphlib import TopologicalSorter
from typing import Any, Protocol, TypeVar

from msgspec.structs import replace

from ares_core.call import failed_alone
from ares_core.calls import Failure, Result, ToolCall
from ares_core.planner.arguments import as_schema
from ares_core.planner.plan import ExecutionPlan, PlanStep
from ares_core.tools import Tool

RunCall = Callable[[ToolCall], Awaitable[Result]]
RETRIED_ELSEWHERE = frozenset({"tool_error", "timeout", "rate_limited", "queue_full", "unknown_tool", "internal_error"})
"""Failures after which a runner-up may do a reader's work; a call that was refused stays refused."""
HANDED_OVER = (
    "result", "output", "text", "content", "value", "number", "vector", "embedding", "body", "data", "id", "ids",
    "results", "extracted", "matches", "path", "url",
)  # fmt: skip
"""Which part of a step's data goes into the next step, the first that is there."""


class Node(Protocol):
    """What a graph consists of."""

    @property
    def id(self) -> str: ...
    @property
    def depends_on(self) -> Sequence[str]: ...


N = TypeVar("N", bound=Node)
R = TypeVar("R")


async def run_graph(
    nodes: Sequence[N], run: Callable[[N, Mapping[str, R]], Awaitable[R]], *,
    alone: Callable[[N], bool] = lambda node: False, is_good: Callable[[R], bool] = lambda result: True,
) -> dict[str, R]:  # fmt: skip
    """Run the nodes of a checked graph, each after those it depends on; gives the results of those that ran.

    Nodes that wait for nothing run side by side, except those that must run ``alone``. After a result that is not
    good nothing more is started; what runs is waited for.
    """
    known = {node.id: node for node in nodes}
    sorter = TopologicalSorter({node.id: node.depends_on for node in nodes})
    sorter.prepare()
    results: dict[str, R] = {}
    running: dict[asyncio.Task[R], str] = {}
    ready: list[str] = []
    stopped = False
    try:
        while True:
            ready = sorted([*ready, *sorter.get_ready()], key=list(known).index)
            for name in () if stopped else tuple(ready):
                if running and (alone(known[name]) or any(alone(known[other]) for other in running.values())):
                    continue
                ready.remove(name)
                running[asyncio.ensure_future(run(known[name], results))] = name
            if not running:
                return results
            done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in sorted(done, key=lambda task: list(known).index(running[task])):
                name = running.pop(task)
                results[name] = task.result()
                stopped = stopped or not is_good(results[name])
                sorter.done(name)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def run_plan(plan: ExecutionPlan, run: RunCall, tools: Mapping[str, Tool]) -> Result:
    """Run a plan through ``run``, which gives each call its whole life; gives one result with those of all steps.

    A plan with an error runs nothing. When a step fails, what the finished steps gave stays in the answer, and
    what they changed is undone, last first, where their tools can.
    """
    if plan.error is not None:
        return refused(plan.error)
    started = time.perf_counter()
    results = await run_graph(
        plan.steps, lambda step, before: _run_step(step, before, run, tools),
        alone=lambda step: not step.read_only, is_good=lambda result: result.success,
    )  # fmt: skip
    done = [(step, results[step.id]) for step in plan.steps if step.id in results]
    metadata = {
        "duration_ms": round((time.perf_counter() - started) * 1000, 3),
        "attempts": sum(result.metadata.get("attempts", 1) for _, result in done),
        "confidence": plan.confidence,
    }
    failed = next(((step, result) for step, result in done if not result.success), None)
    if failed is not None:
        return await _failed(plan, failed, done, tools, metadata)
    return _answered(plan, results, tuple(result for _, result in done), metadata)


def refused(failure: Failure) -> Result:
    """Make the result of a plan that does not run."""
    return Result(False, error=failure, text=failure.message, metadata={"duration_ms": 0.0, "attempts": 0})


async def _run_step(step: PlanStep, before: Mapping[str, Result], run: RunCall, tools: Mapping[str, Tool]) -> Result:
    """Run a step, and its runners-up if it fails for a reason of the tool's own; a change is never tried twice."""
    result = await run(_call(step, step.tool, step.arguments, before, tools))
    for other in step.fallbacks if step.read_only else ():
        if (
            result.success
            or result.error is None
            or result.error.code not in RETRIED_ELSEWHERE
            or result.error.blame == "input"
        ):
            break
        second = await run(_call(step, other.tool, other.arguments, before, tools))
        if second.success:
            return replace(second, metadata={**second.metadata, "instead_of": step.tool})
    return result


def _call(
    step: PlanStep, tool: str, arguments: Mapping[str, Any], before: Mapping[str, Result], tools: Mapping[str, Tool]
) -> ToolCall:
    properties = tools[tool].parameters.get("properties", {}) if tool in tools else {}
    bound = {
        binding.argument: handed_over(before[binding.step].data, properties.get(binding.argument, {}))
        for binding in step.bindings
    }
    return ToolCall(tool, {**arguments, **bound})


def handed_over(data: Any, schema: Mapping[str, Any]) -> Any:
    """Give what a step gave as the argument of the next.

    >>> handed_over({"expression": "1+2", "result": 3}, {"type": "string"})
    '3'
    """
    if isinstance(data, Mapping):
        found = next((data[name] for name in HANDED_OVER if data.get(name) is not None), None)
        data = found if found is not None else next(iter(data.values())) if len(data) == 1 else data
    if isinstance(data, list) and len(data) == 1 and schema.get("type") != "array":
        data = data[0]
    if isinstance(data, float) and data.is_integer():
        data = int(data)
    shaped = as_schema(schema, data)
    if shaped is None and schema.get("type") == "string":
        return json.dumps(data, ensure_ascii=False)
    return data if shaped is None else shaped


def _answered(
    plan: ExecutionPlan, results: Mapping[str, Result], steps: tuple[Result, ...], metadata: dict[str, Any]
) -> Result:
    """Make the answer: what the only sink gave, or what each of several gave."""
    last = results[plan.sinks[-1]]
    if len(plan.sinks) == 1:
        merged = {**last.metadata, **metadata}
        return replace(last, steps=steps, metadata=merged)
    data = {name: results[name].data for name in plan.sinks}
    text = "\n".join(f"{name}: {results[name].text}" for name in plan.sinks)
    return Result(True, data, None, text, last.call, last.edits, steps, metadata)


async def _failed(
    plan: ExecutionPlan, failed: tuple[PlanStep, Result], done: list[tuple[PlanStep, Result]],
    tools: Mapping[str, Tool], metadata: dict[str, Any],
) -> Result:  # fmt: skip
    """Undo what was changed, and say what failed, what was kept and what was not started."""
    step, result = failed
    steps = tuple(one for _, one in done)
    if len(plan.steps) == 1:
        return replace(result, steps=steps, metadata={**result.metadata, **metadata})
    why = result.error or Failure("internal_error", "it gave no reason", blame="tool")
    undone = await _undo([one for one in done if one[1].success and not one[0].read_only], tools)
    kept = {one.id: each.data for one, each in done if each.success}
    waiting = [one.id for one in plan.steps if one.id not in {each.id for each, _ in done}]
    sentences = [f"Step {step.id} ({step.tool}) failed: {why.message}", *undone]
    sentences += [f"Finished: {', '.join(kept)}; their results are kept."] if kept else []
    sentences += [f"Not executed: {', '.join(waiting)}."] if waiting else []
    error = Failure("step_failed", " ".join(sentences), why.issues, why.retriable, blame=why.blame)
    return Result(False, kept or None, error, error.message, result.call, result.edits, steps, metadata)


async def _undo(changed: list[tuple[PlanStep, Result]], tools: Mapping[str, Tool]) -> list[str]:
    """Take back what steps changed, last first; gives a sentence on each."""
    told = []
    for step, result in reversed(changed):
        name = result.call.name if result.call else step.tool
        told.append(f"{step.id} ({name}) {await _undo_one(tools.get(name), result)}.")
    return told


async def _undo_one(tool: Tool | None, result: Result) -> str:
    if tool is None or tool.undo is None:
        return "could not be undone: its tool has no undo"
    arguments = result.call.arguments if result.call else {}
    try:
        if asyncio.iscoroutinefunction(tool.undo):
            await tool.undo(arguments, result.data)
        else:
            await asyncio.to_thread(tool.undo, arguments, result.data)
    except Exception as error:
        return f"could not be undone: {type(error).__name__}: {error!s:.200}"
    return "was undone"


__all__ = ["failed_alone", "handed_over", "refused", "run_graph", "run_plan"]
