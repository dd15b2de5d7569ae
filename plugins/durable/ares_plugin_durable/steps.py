"""What a job does its work with: calls that are kept as its steps."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec
from dbos import DBOS

from ares_core import Result, ToolCall

if TYPE_CHECKING:
    from ares_plugin_durable.engine import Durable


class Job:
    """What a job is given: its id, the Ares, and a way to make calls that are kept."""

    def __init__(self, durable: Durable, id: str) -> None:
        self.durable = durable
        self.id = id
        self.ares = durable.ares
        self._count = 0

    async def call(self, tool: str, arguments: Mapping[str, Any] | None = None) -> Result:
        """Call a tool as a step of the job: what it gave is kept, and after a crash it is not made again."""
        self._count += 1
        key = f"{self.id}/{self._count}"
        call = ToolCall(tool, dict(arguments or {}), f"step-{self._count}", key)
        made = await DBOS.run_step_async({"name": tool}, self.durable.run_call, plain(call))
        return msgspec.convert(made, Result)

    @property
    def door(self) -> Door:
        """The Ares, with calls of tools that have a queue going through it: for engines with steps of their own."""
        return Door(self.durable)


class Door:
    """An Ares whose calls of tools with a queue wait for their turn among all processes."""

    def __init__(self, durable: Durable) -> None:
        self._durable = durable

    def __getattr__(self, name: str) -> Any:
        return getattr(self._durable.ares, name)

    def call(self, call: Any, arguments: Any = None, **options: Any) -> Awaitable[Result]:
        """Call a tool; one with a queue through the queue."""
        made = call if isinstance(call, ToolCall) else ToolCall(call, {} if arguments is None else arguments)
        if self._durable.is_queued(made.name):
            return self._durable.through_queue(made)
        return self._durable.here(made, **options)


def plain(value: Any) -> Any:
    """Make plain data of a call or a result."""
    return msgspec.to_builtins(value, enc_hook=str)
