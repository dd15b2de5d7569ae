"""The bytes to and from the NATS server, through the network provider of Ares."""

from __future__ import annotations

import asyncio
import ssl
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

    def __init__(self, network: Callable[[], Network], own: set[tuple[str | None, int | None]]) -> None:
        self._network = network
        self._own = own
        self._stream: Any = None
        self._read = b""
        self._unsent: list[bytes] = []
        self._ended = False
        self._turn = asyncio.Lock()

    async def connect(self, uri: ParseResult, buffer_size: int, connect_timeout: int) -> None:
        """Open a connection."""
        purpose: Any = "operator" if (uri.hostname, uri.port) in self._own else "argument"
        opening = self._network().connect(purpose, uri.hostname or "", uri.port or 4222)
        self._stream = await asyncio.wait_for(opening, connect_timeout)
        self._read, self._unsent, self._ended = b"", [], False

    async def connect_tls(
        self, uri: str | ParseResult, ssl_context: ssl.SSLContext, buffer_size: int, connect_timeout: int
    ) -> None:
        """Go over to TLS."""
        name = uri if isinstance(uri, str) else uri.hostname
        self._stream = await self._stream.start_tls(ssl_context, name, connect_timeout)

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
        data: bytes = await _known(self._open().read(max(buffer_size, READ)))
        self._ended = not data
        return data

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

    def __bool__(self) -> bool:
        return True


async def _known(work: Any) -> Any:
    """Turn the errors of streams into the one that nats-py knows."""
    try:
        return await work
    except (OSError, asyncio.CancelledError):
        raise
    except Exception as error:
        raise ConnectionError(str(error) or type(error).__name__) from error
