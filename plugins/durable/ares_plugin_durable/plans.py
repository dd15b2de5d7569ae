"""Plans whose steps are kept: side by side, with runners-up and undo, in an order that a restart repeats.

What was kept is found again by its number.
"""

from __future__ import annotations

import asyncio
import inspect
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import msgspec
from dbos import DBOS, StepReservation

from ares_core import ExecutionPlan, Result, Tool, ToolCall, ToolError, replace, run_plan
from ares_plugin_durable.steps import plain

if TYPE_CHECKING:
    from ares_plugin_durable.steps import Job

_numbers: ContextVar[Iterator[StepReservation]] = ContextVar("numbers")


async def run_kept(job: Job, plan: ExecutionPlan, run: Any, tools: Mapping[str, Tool]) -> Result:
    """Run a plan as steps of a job; calls go the job's way instead of through ``run``."""

    async def kept(call: ToolCall) -> Result:
        number = next(_numbers.get())
        name, key = f"step-{number.step_id}", f"{job.id}/{number.step_id}"
        made = plain(ToolCall(call.name, call.arguments, name, key))
        return msgspec.convert(await number.run_async({"name": call.name}, job.durable.run_call, made), Result)

    names = {name for step in plan.steps for name in (step.tool, *(other.tool for other in step.fallbacks))}
    return await run_plan(plan, kept, {name: _undone_once(tools[name]) for name in names if name in tools}, in_waves)


async def in_waves(
    steps: Sequence[Any], run: Callable[..., Any], *, alone: Callable[[Any], bool], is_good: Callable[[Any], bool]
) -> dict[str, Any]:
    """Run all steps that wait for nothing side by side, then all that waited for these; one that is alone by itself.

    Each has its numbers before any of its wave begins: one for its tool, and one for each runner-up.
    """
    results: dict[str, Any] = {}
    waiting = list(steps)
    while waiting and all(is_good(result) for result in results.values()):
        ready = [step for step in waiting if results.keys() >= set(step.depends_on)]
        wave = ready[:1] if alone(ready[0]) else [step for step in ready if not alone(step)]
        numbers = [[DBOS.reserve_step() for _ in range(1 + len(step.fallbacks))] for step in wave]
        before = dict(results)
        work = [_numbered(run(step, before), iter(given)) for step, given in zip(wave, numbers, strict=True)]
        results.update(zip((step.id for step in wave), await asyncio.gather(*work), strict=True))
        waiting = [step for step in waiting if step.id not in results]
    return results


async def _numbered(work: Any, numbers: Iterator[StepReservation]) -> Any:
    _numbers.set(numbers)
    return await work


def _undone_once(tool: Tool) -> Tool:
    """Give the tool with an undo that a restart does not repeat: one that was cut off in the middle is not known."""
    if (undo := tool.undo) is None:
        return tool
    mine = uuid.uuid4().hex

    async def begin() -> str:
        return mine

    async def once(begun: str, arguments: Any, data: Any) -> None:
        if begun != mine:
            raise ToolError("it was cut off in the middle; look whether it was done", blame="world")
        value = await asyncio.to_thread(undo, arguments, data)
        if inspect.isawaitable(value):
            await value

    async def kept(arguments: Any, data: Any) -> None:
        begun = await DBOS.run_step_async({"name": f"begin to undo {tool.name}"}, begin)
        await DBOS.run_step_async({"name": f"undo {tool.name}"}, once, begun, arguments, data)

    return replace(tool, undo=kept)
