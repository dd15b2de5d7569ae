"""A server as a child process: messages are lines of its stdin and stdout.

Whatever else it writes there costs nobody but itself: noise is skipped, what is too long or too much ends it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self, cast

import anyio
import msgspec
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp_types import METHOD_NOT_FOUND, JSONRPCRequest

from ares_plugin_mcp.client.configured import Server
from ares_plugin_mcp.client.messages import Reader
from ares_plugin_mcp.client.unread import Stdin
from ares_plugin_mcp.settings import DEPTH

GRACE, FORCE = 1.0, 1.0
"""Seconds that a process gets to end by itself after its stdin is closed, and after it was told to end."""
DISCOVERY_SECONDS = 10.0
MOST_WAITING = 1_000
NOT_OFFERED = ("roots/list", "sampling/createMessage")
"""What servers may not ask, which is a matter for the protocol and for nobody here."""
WROTE = "; it wrote to stderr: "
STDERR_KEPT = 2_000


def environment() -> dict[str, str]:
    """Give the variables that every server gets: the few that the SDK takes for harmless, and how deep this is."""
    depth = os.environ.get(DEPTH)
    return {**get_default_environment(), **({DEPTH: depth} if depth else {})}


class Process(asyncio.SubprocessProtocol):
    """The process of one server, and the lines that it writes."""

    def __init__(self, limit: int, reader: Reader, patience: float) -> None:
        self._limit = limit
        self._patience = patience
        self.reader = reader
        self._buffer = bytearray()
        self._seen = 0
        self.messages: deque[SessionMessage] = deque()
        self.stderr = bytearray()
        self.trouble = ""
        self.ended = asyncio.Event()
        self.exited = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self._waiter: asyncio.Future[None] | None = None
        self._paused = False
        self._unanswered = 0
        self.transport: asyncio.SubprocessTransport | None = None
        self._stdin = Stdin()
        self._reached = self._left_unread = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take in the transport."""
        self.transport = cast("asyncio.SubprocessTransport", transport)
        self._stdin.hold(self._pipe(0).get_extra_info("pipe"))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Take in what the process wrote."""
        if fd == 2:
            self.stderr += data
            del self.stderr[:-STDERR_KEPT]
            return
        if self.ended.is_set():
            return
        self._buffer += data
        self._take_lines()
        if len(self._buffer) > self._limit:
            self.end(f"it sent a message of more than {self._limit:,} bytes (max_message_bytes)")
        self._wake()

    def _take_lines(self) -> None:
        start = 0
        while (end := self._buffer.find(b"\n", max(start, self._seen))) >= 0 and not self.ended.is_set():
            self._take(bytes(self._buffer[start:end]))
            start = end + 1
        del self._buffer[:start]
        self._seen = len(self._buffer)

    def _take(self, line: bytes) -> None:
        if len(line) > self._limit:
            self.end(f"it sent a message of more than {self._limit:,} bytes (max_message_bytes)")
            return
        for item in self.reader.read(line):
            self._stdin.let_go()
            asks = isinstance(item.message, JSONRPCRequest)
            self._unanswered += asks and not self._writable.is_set()
            if isinstance(item.message, JSONRPCRequest) and item.message.method in NOT_OFFERED:
                self._refuse(item.message)
            else:
                self.messages.append(item)
        if self.reader.is_flooded:
            self.end("it writes too much to stdout that is no message")
        elif self._unanswered > MOST_WAITING:
            self.end(f"it asked more than {MOST_WAITING:,} times without reading an answer")
        elif len(self.messages) > MOST_WAITING and not self._paused:
            self._pipe(1).pause_reading()
            self._paused = True

    def _refuse(self, request: JSONRPCRequest) -> None:
        error = {"code": METHOD_NOT_FOUND, "message": f"{request.method} is not offered"}
        self._pipe(0).write(msgspec.json.encode({"jsonrpc": "2.0", "id": request.id, "error": error}) + b"\n")

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Read what stands after the last line's end; the server will say no more."""
        if fd == 0 and exc is not None:
            self._reached = False
        if fd == 1 and not self.ended.is_set():
            if self._buffer:
                self._take(bytes(self._buffer))
            self.end("")

    def process_exited(self) -> None:
        """Note the end of the process; a child of its own may hold the pipes open for longer."""
        self.exited.set()
        asyncio.get_running_loop().call_later(0.2, self.end, "")

    def pause_writing(self) -> None:
        """Let those who send wait: the process does not read."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """Let them go on."""
        self._writable.set()
        self._unanswered = 0

    def end(self, trouble: str) -> None:
        """Take nothing more from it, and remember why."""
        self.trouble = self.trouble or trouble
        self._left_unread = self._left_unread or self._stdin.is_unread()
        self._stdin.let_go()
        self.ended.set()
        self._writable.set()
        self._buffer.clear()
        self._wake()

    @property
    def was_deaf(self) -> bool:
        """Whether it ended without having read anything, or said a word."""
        return self._left_unread or not self._reached

    def sends(self, message: Any) -> None:
        """Note what goes out. Silence about the newer era counts as a no: some leave unknown requests unanswered."""
        self.reader.open.sent(message)
        if isinstance(message, JSONRPCRequest) and message.method == "server/discover":
            asyncio.get_running_loop().call_later(self._patience, self._is_of_the_old_era, message.id)

    def _is_of_the_old_era(self, id: int | str) -> None:
        error = {"code": METHOD_NOT_FOUND, "message": "no answer"}
        if (answer := self.reader.open.overdue(id, error)) is not None:
            self.messages.append(SessionMessage(answer))
            self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def next(self) -> SessionMessage:
        """Give the next message; raises ``StopAsyncIteration`` when there will be none."""
        while not self.messages:
            if self.ended.is_set():
                raise StopAsyncIteration
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        if self._paused and len(self.messages) < MOST_WAITING // 2:
            self._paused = False
            self._pipe(1).resume_reading()
        return self.messages.popleft()

    async def write(self, data: bytes) -> None:
        """Send to the process, as fast as it reads."""
        if self.ended.is_set():
            raise anyio.ClosedResourceError
        self._reached = not self._pipe(0).is_closing()
        self._pipe(0).write(data)
        if not self._writable.is_set():
            await self._writable.wait()

    def _pipe(self, fd: int) -> Any:
        return self.transport.get_pipe_transport(fd) if self.transport is not None else None

    async def stop(self) -> None:
        """End the process and all that it started: ask, then tell, then force."""
        self.end("")
        transport = self.transport
        if transport is None:
            return
        if (stdin := transport.get_pipe_transport(0)) is not None:
            stdin.close()
        if not await self.has_exited(GRACE):
            _signal(transport, "SIGTERM")
            await self.has_exited(FORCE)
        _signal(transport, "SIGKILL")
        await self.has_exited(FORCE)
        transport.close()

    async def has_exited(self, seconds: float) -> bool:
        """Wait for its end, no longer than that; tells whether it came."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.exited.wait(), seconds)
        return self.exited.is_set()

    def why(self) -> str:
        """Say how it ended."""
        code = self.transport.get_returncode() if self.transport is not None else None
        said = self.stderr.decode("utf-8", "replace").strip()
        tail = f"{WROTE}{said[-500:]}" if said else ""
        if self.trouble:
            return self.trouble
        if code is None:
            return f"it closed its stdout{tail}"
        how = f"with code {code}" if code >= 0 else f"by signal {-code}"
        return f"its process ended {how}{tail}"


def _signal(transport: asyncio.SubprocessTransport, name: str) -> None:
    """Send a signal to the process and those that it started."""
    number = getattr(signal, name, None)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg") and number is not None:
            os.killpg(transport.get_pid(), number)
        else:
            transport.kill()


class Pipes:
    """The transport that the SDK's client talks through."""

    def __init__(self, server: Server, log: Callable[[str], None]) -> None:
        self._server = server
        self._folder = os.path.expanduser(server.cwd) or None
        patience = min(DISCOVERY_SECONDS, server.startup_timeout / 3)
        self.process = Process(server.max_message_bytes, Reader(log), patience)

    async def __aenter__(self) -> tuple[Incoming, Outgoing]:
        server = self._server
        await asyncio.get_running_loop().subprocess_exec(
            lambda: self.process, server.command, *server.args, env={**environment(), **server.env},
            cwd=self._folder, start_new_session=True,
        )  # fmt: skip
        return Incoming(self.process), Outgoing(self.process)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        # Whoever cancels must not leave a process behind; every wait inside is bounded.
        with anyio.CancelScope(shield=True):
            await self.process.stop()


class _End:
    """One direction; that the SDK is done with it ends nothing by itself."""

    def __init__(self, process: Process) -> None:
        self.process = process

    async def aclose(self) -> None:
        """Nothing: the process is ended by ``Pipes``."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None


class Incoming(_End):
    """What comes from the server."""

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        return await self.process.next()

    async def receive(self) -> SessionMessage:
        """Give the next message."""
        try:
            return await self.process.next()
        except StopAsyncIteration:
            raise anyio.EndOfStream from None


class Outgoing(_End):
    """What goes to the server."""

    async def send(self, item: SessionMessage) -> None:
        """Send one message as a line."""
        self.process.sends(item.message)
        message = item.message.model_dump(by_alias=True, exclude_unset=True)
        await self.process.write(msgspec.json.encode(message) + b"\n")
