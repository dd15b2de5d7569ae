"""One call of a client while it runs: its way back to that client, for questions and for progress."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any

from mcp.server import ServerRequestContext
from mcp_types import ElicitRequest, ElicitResult

from ares_core import Ares, Event, Scoped

EXCHANGE: ContextVar[Exchange | None] = ContextVar("ares_mcp_exchange", default=None)
"""The client's call that what happens here belongs to, also in the calls and threads that it starts."""
MOST_WAITING = 256
LONGEST_SEND = 5.0
Ask = Callable[[ElicitRequest], Awaitable[ElicitResult]]


class Exchange:
    """Lives as long as the request ``tools/call``; a stateless client's call goes on in its next request."""

    def __init__(self, door: Ares | Scoped, context: ServerRequestContext[Any, Any], ask: Ask | None) -> None:
        self.door = door
        self.context = context
        self.ask = ask
        self.loop = asyncio.get_running_loop()
        self._steps: asyncio.Queue[Event | None] = asyncio.Queue()
        self._last = -1.0

    @property
    def wants_progress(self) -> bool:
        """Whether the client asked to be told how far the call has come."""
        return bool(self.context.meta and self.context.meta.get("progress_token") is not None)

    def take(self, event: Event) -> None:
        """Note how far the call has come; from any thread."""
        self.loop.call_soon_threadsafe(self._put, event)

    def _put(self, event: Event | None) -> None:
        if event is None or self._steps.qsize() < MOST_WAITING:
            self._steps.put_nowait(event)

    async def tell(self) -> None:
        """Send what was noted, in order, until ``end``."""
        while (event := await self._steps.get()) is not None:
            step, total = _number(event.data.get("progress")), _number(event.data.get("total"))
            step = max(self._last, 0.0) + 1 if step is None else step
            if step > self._last:  # the protocol wants it to rise
                self._last = step
                words = str(event.data.get("message") or "") or None
                await self.context.session.report_progress(step, total, words)

    async def end(self, telling: asyncio.Task[None]) -> None:
        """Let everything that was noted go out before the answer does, unless the client doesn't read."""
        self.loop.call_soon_threadsafe(self._put, None)  # behind the steps that are still on their way
        done, _ = await asyncio.wait({telling}, timeout=LONGEST_SEND)
        if not done:
            telling.cancel()


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def heard(event: Event) -> None:
    """Give an event to the client's call that it belongs to."""
    exchange = EXCHANGE.get()
    if exchange is not None and event.kind == "progress" and exchange.wants_progress:
        exchange.take(event)
