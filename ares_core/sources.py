"""Tools that come late: where asking which there are costs time, they are asked for only when one may be needed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING

from ares_core.call import failed_alone, is_known, quoting_alone
from ares_core.table import is_seconds

if TYPE_CHECKING:
    from ares_core.app import Ares
    from ares_core.calls import Failure, Result, ToolCall
    from ares_core.door import Door
    from ares_core.errors import ToolError
    from ares_core.planner import ExecutionPlan
    from ares_core.protocols import ToolSource

Sources = list["ToolSource"]


async def bring(sources: Sources, name: str | None = None) -> None:
    """Have every source bring in the tools that a name may mean, or all it has; takes as long as the slowest."""
    await arrival([future for source in tuple(sources) if (future := source.bring(name)) is not None])


async def arrival(futures: list[Future[None]]) -> None:
    """Wait for what sources bring."""
    for future in futures:
        await asyncio.wrap_future(future)


def bring_and_wait(sources: Sources, name: str | None = None) -> None:
    """The same for those who can't await."""
    futures = [future for source in tuple(sources) if (future := source.bring(name)) is not None]
    for future in futures:
        future.result()


def better_than(plan: ExecutionPlan, ares: Ares, door: Door) -> list[Future[None]]:
    """Have the sources bring in what may do better than a plan, and give what is to be waited for."""
    if not ares.sources or not door.may_come_late(None):
        return []
    by_rules = plan.error is None and not plan.is_guessed
    return [future for source in tuple(ares.sources) if (future := _bring_for_plan(source, by_rules)) is not None]


def _bring_for_plan(source: ToolSource, by_rules: bool) -> Future[None] | None:
    bring: Callable[[bool], Future[None] | None] | None = getattr(source, "bring_for_plan", None)
    return source.bring() if bring is None else bring(by_rules)


def is_missing(ares: Ares, door: Door, name: object) -> bool:
    """Whether a call has a name that no tool has so far, although one may come."""
    if not isinstance(name, str) or name in door.view.entries:
        return False
    return door.may_come_late(name) and not is_known(name, door.view, ares.table)


async def call_late(
    ares: Ares, door: Door, call: ToolCall, run: Callable[[], Awaitable[Result]], timeout: float | None
) -> Result:
    """Bring in what the name may mean, then run the call, or say why the tool that is meant can't be called."""
    limits = (timeout, call.timeout, ares.settings.limits.timeout)
    with suppress(TimeoutError):
        await asyncio.wait_for(bring(ares.sources, door.outer_name(call.name)), next(filter(is_seconds, limits)))
    return refusal(ares, door, call) or await run()


def refusal(ares: Ares, door: Door, call: ToolCall) -> Result | None:
    """Say why the tool that is meant can't be called, if it is a source's; not through a door that hides tools."""
    if door.hides or not isinstance(call.name, str) or is_known(call.name, door.view, ares.table):
        return None
    why = why_not(ares, door.outer_name(call.name))
    if why is None:
        return None
    result = failed_alone(call, why.code, why.message, blame=why.blame)
    said = getattr(why, "said", "")
    return quoting_alone(ares.runner, result, said, call.name) if said else result


def why_not(ares: Ares, name: str) -> Failure | ToolError | None:
    """Have the sources say why the tool that a name means can't be called, if it is one of theirs."""
    said = (source.why_not(name) for source in tuple(ares.sources))
    return next((why for why in said if why is not None), None)


async def given(result: Result) -> Result:
    """Give a result to whoever awaits one."""
    return result
