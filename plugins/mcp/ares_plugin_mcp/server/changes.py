"""Telling clients that tools came, went or became others."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from mcp.server import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ToolsListChanged

from ares_core import Ares, Scoped

MOST_CLIENTS = 1_000
PAUSE = 0.05
"""Seconds in which further changes are told in one."""
LONGEST_SEND = 5.0


class Changes:
    """Watches the tools in scope; clients that hold a connection are notified, others through their subscription."""

    def __init__(self, door: Ares | Scoped) -> None:
        self.bus = InMemorySubscriptionBus()
        self._door = door
        self._clients: OrderedDict[str, ServerSession] = OrderedDict()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._telling: asyncio.Task[None] | None = None
        self._seen: dict[str, int] = {}
        self._stop: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Begin to watch, on the running loop."""
        self._loop = asyncio.get_running_loop()
        self._seen = self._shown()
        self._stop = self._door.ares.registry.on_change(self._changed)

    def stop(self) -> None:
        """End it."""
        self._stop()
        if self._telling is not None:
            self._telling.cancel()
        self._loop = None

    async def met(self, context: ServerRequestContext[Any, Any], params: object) -> None:
        """Remember a client that holds a connection."""
        key = _key(context)
        self._clients[key] = context.session
        while len(self._clients) > MOST_CLIENTS:
            self._clients.popitem(last=False)

    def heard_of(self, context: ServerRequestContext[Any, Any]) -> None:
        """Note that a client is still there: the ones not heard of for longest are forgotten first."""
        key = _key(context)
        if key in self._clients:
            self._clients.move_to_end(key)

    def _shown(self) -> dict[str, int]:
        return {name: id(tool) for name, tool in self._door.tools().items()}

    def _changed(self) -> None:
        """Be told by the registry, in any thread."""
        if (loop := self._loop) is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._soon)

    def _soon(self) -> None:
        if self._telling is None or self._telling.done():
            self._telling = asyncio.ensure_future(self._tell())

    async def _tell(self) -> None:
        shown = None
        while shown != self._seen:  # what changes while this is told is told too
            await asyncio.sleep(PAUSE)
            before, self._seen = self._seen, self._shown()
            if before != self._seen:
                clients = [_send(session) for session in self._clients.values()]
                await asyncio.gather(self.bus.publish(ToolsListChanged()), *clients, return_exceptions=True)
            shown = self._shown()


async def _send(session: ServerSession) -> None:
    async with asyncio.timeout(LONGEST_SEND):
        await session.send_tool_list_changed()


def _key(context: ServerRequestContext[Any, Any]) -> str:
    """Tell connections apart: over HTTP by the session's id; over stdio there is one."""
    headers = getattr(context.request, "headers", None)
    return (headers.get("mcp-session-id") or "") if headers is not None else ""
