"""The bytes to and from the NATS server, through the network provider of Ares."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import sys
from collections.abc import Callable
from typing import Any
from urllib.parse import ParseResult

from nats.aio.transport import Transport

from ares_core import Network

READ = 65_536


class Carried(Transport):
    """A transport of nats-py on a checked stream.

    The configured servers are reached as the operator said; an address that a server names counts as one that came
    from outside.
    """

    def __init__(self, network: Callable[[], Network], own: set[tuple[str | None, int]]) -> None:
        self._network = network
        self._own = own
        self._stream: Any = None
        self._read = b""
        self._unsent: list[bytes] = []
        self._ended = False
        self._is_over = False
        self._turn = asyncio.Lock()

    async def connect(self, uri: ParseResult, buffer_size: int, connect_timeout: int) -> None:
        """Open a connection, and let go of the one before."""
        await self.wait_closed()
        purpose: Any = "operator" if (uri.hostname, uri.port) in self._own else "argument"
        opening = self._network().connect(purpose, uri.hostname or "", uri.port or 4222)
        checked = await asyncio.wait_for(opening, connect_timeout)
        try:
            stream = await Socket.of(checked) if _is_idle(checked) else checked
        except BaseException:
            await checked.aclose()
            raise
        await self._take(stream)
        self._read, self._unsent, self._ended = b"", [], False

    async def _take(self, stream: Any) -> None:
        """Go on with a stream, unless all was over while it was opened."""
        self._stream = stream
        if self._is_over:
            await self.wait_closed()
            raise ConnectionError("the connection is closed")

    async def connect_tls(
        self, uri: str | ParseResult, ssl_context: ssl.SSLContext, buffer_size: int, connect_timeout: int
    ) -> None:
        """Go over to TLS."""
        name = uri if isinstance(uri, str) else uri.hostname
        await self._take(await self._open().start_tls(ssl_context, name, connect_timeout))

    def write(self, payload: bytes) -> None:
        """Have bytes sent by the next ``drain``."""
        self._unsent.append(payload)

    def writelines(self, payload: list[bytes]) -> None:
        """Have all of these sent by the next ``drain``."""
        self._unsent += payload

    async def drain(self) -> None:
        """Send what waits, in order, whoever asks."""
        async with self._turn:
            unsent, self._unsent = b"".join(self._unsent), []
            if unsent:
                await _known(self._open().write(unsent))

    async def read(self, buffer_size: int) -> bytes:
        """Read what has come."""
        if self._read:
            data, self._read = self._read, b""
            return data
        fresh: bytes = await _known(self._open().read(max(buffer_size, READ)))
        self._ended = not fresh
        return fresh

    async def readline(self) -> bytes:
        """Read up to the end of a line."""
        while b"\n" not in self._read:
            data: bytes = await _known(self._open().read(READ))
            if not data:
                self._ended = True
                break
            self._read += data
        line, end, self._read = self._read.partition(b"\n")
        return line + end

    def _open(self) -> Any:
        if self._stream is None:
            raise ConnectionError("the connection is closed")
        return self._stream

    def at_eof(self) -> bool:
        """Whether the other side has closed it."""
        return self._ended and not self._read

    def close(self) -> None:
        """Nothing is sent any more; ``wait_closed`` closes it."""
        self._ended = True

    async def wait_closed(self) -> None:
        """Close it."""
        stream, self._stream = self._stream, None
        if stream is not None:
            await stream.aclose()

    async def end(self) -> None:
        """Close it for good: a connection that is being opened meanwhile is closed too."""
        self._is_over = True
        await self.wait_closed()

    def __bool__(self) -> bool:
        return True


class Socket:
    """The socket of a checked stream, read and written by asyncio itself, in half the time."""

    def __init__(self, checked: Any, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._checked, self._reader, self._writer = checked, reader, writer

    @classmethod
    async def of(cls, checked: Any) -> Socket:
        """Take over."""
        own = socket.socket(fileno=os.dup(checked.get_extra_info("socket").fileno()))
        own.setblocking(False)
        return cls(checked, *await asyncio.open_connection(sock=own, limit=READ))

    async def read(self, most: int) -> bytes:
        """Read what has come."""
        return await self._reader.read(most)

    async def write(self, data: bytes) -> None:
        """Send bytes, and wait if too many wait already."""
        self._writer.write(data)
        await self._writer.drain()

    async def start_tls(self, context: ssl.SSLContext, name: str | None, timeout: float) -> Any:
        """Give the connection back, and have it go over to TLS."""
        self._writer.close()
        return await self._checked.start_tls(context, name, timeout)

    async def aclose(self) -> None:
        """Close it."""
        self._writer.close()
        try:
            await self._checked.aclose()
        finally:
            self._writer.transport.abort()


def _is_idle(stream: Any) -> bool:
    """Whether a stream reads nothing before it is asked to, so that its socket can be taken over: httpcore's do so."""
    is_httpcore = type(stream).__module__.partition(".")[0] == "httpcore"
    return is_httpcore and sys.platform != "win32" and stream.get_extra_info("socket") is not None


async def _known(work: Any) -> Any:
    """Turn the errors of streams into the one that nats-py knows."""
    try:
        return await work
    except (OSError, asyncio.CancelledError):
        raise
    except Exception as error:
        raise ConnectionError(str(error) or type(error).__name__) from error
