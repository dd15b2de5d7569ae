"""The ways to reach a server: a child process, streamable HTTP, or the older HTTP with server-sent events."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any, Protocol, Self

import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp_types import METHOD_NOT_FOUND, ErrorData, JSONRPCError, JSONRPCRequest, JSONRPCResponse

from ares_core import Network
from ares_plugin_mcp.client.auth import Open, auth_of
from ares_plugin_mcp.client.configured import Server
from ares_plugin_mcp.client.http import client_of
from ares_plugin_mcp.client.matching import Open as OpenRequests
from ares_plugin_mcp.client.stdio import NOT_OFFERED, Pipes


class Link(Protocol):
    """What the SDK's client talks through; ``ended`` is set when the other side is gone.

    ``was_deaf``: it went without having read anything, so not because of what it was asked.
    """

    @property
    def ended(self) -> asyncio.Event: ...

    @property
    def was_deaf(self) -> bool: ...

    async def why(self) -> str:
        """Say how it ended, as far as that is known."""

    async def __aenter__(self) -> Any: ...
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> bool | None: ...


class Child(Pipes):
    """A child process."""

    @property
    def ended(self) -> asyncio.Event:
        """Whether it writes no more."""
        return self.process.ended

    @property
    def was_deaf(self) -> bool:
        """Whether it ended without having read anything."""
        return self.process.was_deaf

    async def why(self) -> str:
        """Say how it ended; its last words may come a little after the end."""
        if not self.process.trouble:
            await self.process.has_exited(2)
        return self.process.why()


class Remote:
    """A server at an address."""

    was_deaf = False

    def __init__(self, server: Server, network: Callable[[], Network], ask: Open, note: Callable[[str], None]) -> None:
        self._server = server
        self._network = network
        self._ask = ask
        self._note = note
        self._stack = AsyncExitStack()
        self._open = OpenRequests(note)
        self.ended = asyncio.Event()

    async def why(self) -> str:
        """Say how it ended."""
        return "the connection was closed"

    async def __aenter__(self) -> Any:
        server = self._server
        headers = dict(server.headers)
        if server.bearer:
            headers["Authorization"] = f"Bearer {server.bearer}"
        async with AsyncExitStack() as stack:
            auth = await auth_of(server, self._ask, stack)
            network = self._network()

            def client(headers: Any = None, timeout: Any = None, auth: Any = None) -> httpx2.AsyncClient:
                return client_of(network, server.url, headers or {}, server.max_message_bytes, auth)

            if server.transport == "sse":
                opened = sse_client(
                    server.url, headers, sse_read_timeout=86_400, httpx_client_factory=client, auth=auth
                )
            else:
                http = await stack.enter_async_context(client(headers, auth=auth))
                opened = streamable_http_client(
                    server.url, http_client=http, max_sse_event_size=server.max_message_bytes
                )
            read, write = await stack.enter_async_context(opened)
            self._stack = stack.pop_all()
        return Tidied(read, write, self.ended, self._open), Noted(write, self._open)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> bool | None:
        return await self._stack.__aexit__(kind, error, at)


class Passing:
    """One direction of a connection, looked at on the way."""

    def __init__(self, stream: Any, requests: OpenRequests) -> None:
        self._stream = stream
        self._requests = requests

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self._stream.__aexit__(kind, error, at)


class Tidied(Passing):
    """What comes from a server, mended on the way."""

    def __init__(self, stream: Any, back: Any, ended: asyncio.Event, requests: OpenRequests) -> None:
        super().__init__(stream, requests)
        self._back = back
        self._ended = ended

    @property
    def last_context(self) -> Any:
        """The context of whoever sent the last message, as the SDK wants to know it."""
        return getattr(self._stream, "last_context", None)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        while True:
            try:
                item = await self._stream.__anext__()
            except StopAsyncIteration:
                self._ended.set()
                raise
            if not await self._is_refused(item):
                return self._tidied(item)

    async def receive(self) -> Any:
        """Give the next message."""
        while await self._is_refused(item := await self._stream.receive()):
            pass
        return self._tidied(item)

    async def _is_refused(self, item: Any) -> bool:
        """Answer what servers may not ask; tells whether it was that."""
        asked = item.message if isinstance(item, SessionMessage) else None
        if not isinstance(asked, JSONRPCRequest) or asked.method not in NOT_OFFERED:
            return False
        error = ErrorData(code=METHOD_NOT_FOUND, message=f"{asked.method} is not offered")
        await self._back.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=asked.id, error=error)))
        return True

    def _tidied(self, item: Any) -> Any:
        if isinstance(item, SessionMessage) and isinstance(item.message, JSONRPCResponse):
            self._requests.mended(item.message)
        return item


class Noted(Passing):
    """What goes to a server, and which of it waits for an answer."""

    async def send(self, item: Any) -> None:
        """Send one message."""
        self._requests.sent(item.message)
        await self._stream.send(item)


def link_to(server: Server, network: Callable[[], Network], ask: Open, note: Callable[[str], None]) -> Link:
    """Make the way to a server; it is opened by entering it."""
    return Child(server, note) if server.transport == "stdio" else Remote(server, network, ask, note)
