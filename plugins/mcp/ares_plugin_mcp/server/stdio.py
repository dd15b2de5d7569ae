"""Serving one client over stdin and stdout, with nothing but messages on either.

While it serves, file descriptor 1 leads to stderr and 0 to nowhere: a tool that prints, or starts a program that does,
harms nothing. Messages are bounded in length and in number: beyond that they are answered with an error, not read on.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError as Cancelled
from contextlib import contextmanager, suppress
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import JSONRPCError, JSONRPCRequest, JSONRPCResponse

from ares_plugin_mcp.server.messages import Lines, Refused, read, refused, write

MOST_OPEN = 1_000
BUSY = -32000
CHUNK = 65_536
LAST_ANSWERS = 1.5
"""Seconds that answers may still take after the client has closed its side."""
Inbox = MemoryObjectSendStream[SessionMessage | Exception]
Answers = MemoryObjectSendStream[SessionMessage]
Outbox = MemoryObjectReceiveStream[SessionMessage]


@contextmanager
def claimed() -> Iterator[tuple[int, int]]:
    """Take stdin and stdout for messages alone; gives the descriptors that lead to the client."""
    sys.stdout.flush()
    source, sink = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.dup2(2, 1)
    os.close(nowhere)
    try:
        yield source, sink
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
        os.dup2(source, 0)
        os.dup2(sink, 1)
        os.close(sink)  # the other stays open: a thread may be reading it


async def serve_stdio(server: Server[Any], source: int, sink: int) -> None:
    """Serve until the client closes its side."""
    to_server, from_client = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    client = _Client(source, sink)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(client.send, from_server)
        tasks.start_soon(client.receive, to_server, to_client.clone())
        await server.run(from_client, to_client, server.create_initialization_options())
        tasks.cancel_scope.cancel()


class _Client:
    """The other side of the pipes."""

    def __init__(self, source: int, sink: int) -> None:
        self._source = source
        self._sink = sink
        self._open = 0
        self._all_answered = asyncio.Event()
        self._lines: asyncio.Queue[list[bytes | None] | None] = asyncio.Queue(maxsize=2)

    async def receive(self, server: Inbox, answers: Answers) -> None:
        """Give messages to the server, and refuse what is none or too much."""
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, args=(loop,), name="ares-mcp-stdin", daemon=True).start()
        async with server, answers:
            while (lines := await self._lines.get()) is not None:
                for line in lines:
                    await self._take(line, server, answers)
            with suppress(TimeoutError):
                async with asyncio.timeout(LAST_ANSWERS):
                    await self._last_answers()

    async def _take(self, line: bytes | None, server: Inbox, answers: Answers) -> None:
        message = read(line)
        if message is None:
            return
        if isinstance(message, JSONRPCRequest):
            if self._open >= MOST_OPEN:
                text = f"{MOST_OPEN:,} requests are open; wait for answers, then send this one again."
                message = refused(message.id, BUSY, text)
            else:
                self._open += 1
        if isinstance(message, Refused):
            self._open += 1
            await answers.send(SessionMessage(message.answer))
        else:
            await server.send(SessionMessage(message, ServerMessageMetadata(on_request_unanswered=self._settle)))

    async def send(self, messages: Outbox) -> None:
        """Write what the server says."""
        async with messages:
            async for item in messages:
                if data := write(item.message):
                    await asyncio.to_thread(self._write, data)
                if isinstance(item.message, JSONRPCResponse | JSONRPCError):
                    await self._settle()

    async def _settle(self) -> None:
        self._open -= 1
        if not self._open:
            self._all_answered.set()

    async def _last_answers(self) -> None:
        self._all_answered.clear()
        if self._open:
            await self._all_answered.wait()

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            try:
                left = left[os.write(self._sink, left) :]
            except OSError:  # nobody reads any more; the end of what is read ends the server
                return

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        """Read in a thread, never more than the server keeps up with."""
        lines = Lines()
        with suppress(OSError, RuntimeError, Cancelled):
            while data := os.read(self._source, CHUNK):
                if found := lines.feed(data):
                    asyncio.run_coroutine_threadsafe(self._lines.put(found), loop).result()
        with suppress(RuntimeError, Cancelled):
            asyncio.run_coroutine_threadsafe(self._lines.put(lines.rest()), loop).result()
            asyncio.run_coroutine_threadsafe(self._lines.put(None), loop).result()
