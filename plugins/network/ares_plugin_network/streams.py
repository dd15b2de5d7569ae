"""Opening a connection: find the addresses once, check them all, connect to the very ones that were checked."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from collections.abc import Iterable

import httpcore

from ares_core import counted
from ares_plugin_network.addresses import Address, as_address
from ares_plugin_network.errors import NetworkError
from ares_plugin_network.gates import Gate
from ares_plugin_network.names import ascii_name

MOST_ADDRESSES = 64
TRIED_OF_EACH_FAMILY = 2
REFUSED = os.strerror(errno.ECONNREFUSED).lower()
LISTENS = "Nothing listens at that port: check the host and the port, or start the server."
SocketOptions = Iterable[
    tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]
]  # fmt: skip


class Backend(httpcore.AsyncNetworkBackend):
    """Opens the connections of an HTTP client, redirects and later requests included: the pool has no other way."""

    def __init__(self, gate: Gate, timeout: float) -> None:
        self._gate = gate
        self._timeout = timeout

    async def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, local_address: str | None = None,
        socket_options: SocketOptions | None = None,
    ) -> httpcore.AsyncNetworkStream:  # fmt: skip
        """Open a checked connection."""
        return await open_stream(self._gate, host, port, min(timeout or self._timeout, self._timeout))

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: SocketOptions | None = None
    ) -> httpcore.AsyncNetworkStream:
        """Refuse: a socket in the file system is no address on the network."""
        raise NetworkError(f"a connection to the socket {path} is refused; nothing was sent")

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


async def open_stream(gate: Gate, host: str, port: int, timeout: float) -> httpcore.AsyncNetworkStream:
    """Open a connection through a gate, within ``timeout`` seconds."""
    name, literal = target(host, port)
    gate.check_name(name, port)
    try:
        async with asyncio.timeout(timeout):
            addresses = [literal] if literal else await _resolve(name, port)
            gate.check_addresses(name, port, [_without_wrapping(address) for address in addresses])
            return await _connect(name, port, _worth_trying(addresses), timeout)
    except TimeoutError:
        message = f"no connection to {name}:{port} within {timeout:g} s; nothing was sent"
        raise NetworkError(message, retriable=True) from None


def target(host: str, port: int) -> tuple[str, str]:
    """Give the name to ask about, and the address if the host is one already."""
    if not 0 < port < 65536:
        raise NetworkError(f"{port} is no port; there are 1 to 65535; nothing was sent", blame="input")
    bare = host.strip("[]")
    if as_address(bare) is not None:
        return bare, bare
    name = ascii_name(bare)
    if not name:
        raise NetworkError(f"{host!r:.100} is no host name; nothing was sent", blame="input")
    return name, ""


async def _resolve(name: str, port: int) -> list[str]:
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(name, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    except (OSError, UnicodeError) as error:
        temporary = isinstance(error, socket.gaierror) and error.errno == socket.EAI_AGAIN
        message = f"the host {name} can't be found ({_reason(error)}); nothing was sent."
        raise NetworkError(message, retriable=temporary, hint="Check the spelling of the host.") from None
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if not 0 < len(addresses) <= MOST_ADDRESSES:
        raise NetworkError(f"the host {name} has {counted(len(addresses), 'address', 'addresses')}; nothing was sent")
    return addresses


def _without_wrapping(address: str) -> Address:
    plain = as_address(address)
    if plain is None:
        raise NetworkError(f"the resolver gave {address!r:.60}, which is no address; nothing was sent")
    return plain


def _worth_trying(addresses: list[str]) -> list[str]:
    """Leave out all but the first of each family, in the resolver's order."""
    families = ([one for one in addresses if (":" in one) is is_v6][:TRIED_OF_EACH_FAMILY] for is_v6 in (False, True))
    chosen = {address for family in families for address in family}
    return [address for address in addresses if address in chosen]


async def _connect(name: str, port: int, addresses: list[str], timeout: float) -> httpcore.AsyncNetworkStream:
    backend = httpcore.AnyIOBackend()
    for address in addresses:
        try:
            stream = await backend.connect_tcp(address, port, timeout / len(addresses))
        except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
            reason = _reason(error)
            continue
        peer = stream.get_extra_info("server_addr")
        if peer and as_address(str(peer[0])) == as_address(address):
            return stream
        await stream.aclose()
        raise NetworkError(
            f"the connection to {name}:{port} led to {peer!r:.60} instead of {address}; nothing was sent"
        )
    message = f"no connection to {name}:{port} ({reason}); nothing was sent"
    raise NetworkError(message, retriable=True, hint=LISTENS if reason == REFUSED else None)


def _reason(error: BaseException) -> str:
    """Give the reason of the operating system, which lies below what others made of it."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno:
            said = cause.strerror if isinstance(cause, socket.gaierror) else os.strerror(cause.errno)
            return str(said).lower()[:200]
        inner = cause.exceptions[0] if isinstance(cause, BaseExceptionGroup) else cause.__cause__
        cause = inner or cause.__context__
    return (str(error) or type(error).__name__).lower()[:200]
