"""Tools that come late: where asking which there are costs time, they are asked for only when one may be needed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from ares_core.call import failed_alone, is_known
from ares_core.table import is_seconds

if TYPE_CHECKING:
    from ares_core.app import Ares
    from ares_core.calls import Result, ToolCall
    from ares_core.door import Door
    from ares_core.protocols import ToolSource

Sources = list["ToolSource"]


async def bring(sources: Sources, name: str | None = None) -> None:
    """Have every source bring in the tools that a name may mean, or all it has; takes as long as the slowest."""
    futures = [future for source in tuple(sources) if (future := source.bring(name)) is not None]
    for future in futures:
        await asyncio.wrap_future(future)


def bring_and_wait(sources: Sources, name: str | None = None) -> None:
    """The same for those who can't await."""
    futures = [future for source in tuple(sources) if (future := source.bring(name)) is not None]
    for future in futures:
        future.result()


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
    name = door.outer_name(call.name)
    failure = next(filter(None, (source.why_not(name) for source in tuple(ares.sources))), None)
    return None if failure is None else failed_alone(call, failure.code, failure.message)


async def given(result: Result) -> Result:
    """Give a result to whoever awaits one."""
    return result
