"""One connection to the NATS server: what is said over it, and what is heard. All of it on one event loop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
import time
from collections.abc import Callable, Coroutine
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error

from ares_core import Host, ToolError
from ares_plugin_workers.messages import PART, Order, Reply, encode, parts
from ares_plugin_workers.settings import Settings, filled, servers, without_secret
from ares_plugin_workers.transport import Carried

log = logging.getLogger("ares.plugin.workers")
Hear = Callable[[str, str, bytes, bool], None]
"""Takes subject, address for the answer, body, and whether it is the server's word that nobody is there."""
CONNECT = 5.0
ABSENT = "503"


class Unavailable(Exception):
    """There is no connection, and why; nothing was sent."""


class Link:
    """A connection, which comes back by itself after it was lost. ``hear`` must not raise; ``back`` is told then."""

    def __init__(self, host: Host, settings: Settings, label: str, hear: Hear, back: Callable[[], None]) -> None:
        self.settings = filled(settings, host.secrets)
        self._hear = hear
        self._back = back
        self._label = label
        self._own = {(parsed.hostname, parsed.port or 4222) for parsed in map(urlsplit, servers(self.settings))}
        self._carried = Carried(lambda: host.network, self._own)
        self._client = _Client(self._carried)
        self._errors: list[str] = []
        self._trouble: asyncio.Future[None] | None = None
        self._waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.up_since = 0.0

    @property
    def is_up(self) -> bool:
        """Whether something can be sent now."""
        return bool(self._client.is_connected)

    @property
    def age(self) -> float:
        """For how many seconds it has been there without a break."""
        return time.monotonic() - self.up_since if self.is_up else 0.0

    @property
    def target(self) -> str:
        """Where it leads, for sentences."""
        return ", ".join(map(without_secret, servers(self.settings)))

    @property
    def part(self) -> int:
        """How many bytes go in one message: what the server takes, without what stands around them."""
        return max(min(PART, self._client.max_payload - 256), 256)

    def new_inbox(self) -> str:
        """Give an address that nobody can guess."""
        return str(self._client.new_inbox())

    async def open(self) -> None:
        """Connect, or say why that fails; it does not go on trying."""
        if self.settings.creds and find_spec("nkeys") is None:
            raise Unavailable("workers.creds needs a package more: pip install 'ares-plugin-workers[creds]'")
        loop = asyncio.get_running_loop()
        self._trouble = loop.create_future()
        connecting = loop.create_task(self._client.connect(**self._options()))
        try:
            await asyncio.wait({connecting, self._trouble}, timeout=CONNECT, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not self.is_up:
                connecting.cancel()
                await asyncio.wait({connecting})
                await self.close()
        if not self.is_up:
            raise Unavailable(self._reason(connecting))
        self.up_since = time.monotonic()

    def _options(self) -> dict[str, Any]:
        settings = self.settings
        given = {"user": settings.user, "password": settings.password, "token": settings.token,
                 "user_credentials": settings.creds, "tls_hostname": settings.tls_hostname}  # fmt: skip
        return {
            **{name: value for name, value in given.items() if value},
            "servers": servers(settings), "name": self._label, "tls": _tls(settings), "error_cb": self._failed,
            "reconnected_cb": self._reconnected, "connect_timeout": 3, "reconnect_time_wait": 0.2,
            "max_reconnect_attempts": -1, "ping_interval": 5, "max_outstanding_pings": 2,
        }  # fmt: skip

    def _reason(self, connecting: asyncio.Task[None]) -> str:
        error = connecting.exception() if connecting.done() and not connecting.cancelled() else None
        return self._errors[-1] if self._errors else f"{error or f'no answer within {CONNECT:g} s'}"[:300]

    async def _failed(self, error: Exception) -> None:
        self._errors = [*self._errors[-20:], _said(error)]
        log.debug("NATS server %s: %s", self.target, _said(error))
        if self._trouble is not None and not self._trouble.done() and len(self._errors) >= len(self._own):
            self._trouble.set_result(None)

    async def _reconnected(self) -> None:
        self.up_since = time.monotonic()
        waiting, self._waiting = self._waiting, asyncio.get_running_loop().create_future()
        waiting.set_result(None)
        self._back()

    async def comes_back(self, seconds: float) -> bool:
        """Wait for a connection that was lost; gives whether there is one."""
        if not self.is_up:
            await asyncio.wait([self._waiting], timeout=seconds)
        return self.is_up

    async def listen(self, subject: str, queue: str = "") -> Subscription:
        """Hear what is sent to a subject; of several with one ``queue`` only one hears each message."""
        try:
            return await self._client.subscribe(subject, queue=queue, cb=self._heard, pending_bytes_limit=0)
        except Error as error:
            raise Unavailable(_said(error)) from None

    async def flush(self) -> None:
        """Wait until the server has taken what was sent so far."""
        with contextlib.suppress(Error, OSError):
            await self._client.flush(timeout=2)

    async def _heard(self, message: Msg) -> None:
        status = (message.headers or {}).get("Status") if message.headers else None
        if status is not None and status != ABSENT:
            return
        self._hear(message.subject, message.reply, message.data, status == ABSENT)

    def send(self, subject: str, message: Order | Reply, reply: str = "") -> None:
        """Send a message; what can't be sent is lost, as on any network."""
        self.send_body(subject, encode(message), reply)

    def send_body(self, subject: str, body: bytes, reply: str = "") -> None:
        """Send a message that is written already."""
        if not self.is_up:
            return
        try:
            for part in parts(body, self.part):
                _write(self._client.publish(subject, part, reply))
        except (Error, OSError) as error:
            log.debug("a message to %s was not sent: %s", subject, _said(error))

    async def close(self) -> None:
        """Send what waits, and end the connection."""
        try:
            with contextlib.suppress(Error, OSError, AssertionError, AttributeError):
                await asyncio.wait_for(self._client.close(), 2)
        finally:
            with contextlib.suppress(OSError):
                await self._carried.end()  # the client gives up before it comes to that when it is in trouble


class _Client(Client):
    """The client of nats-py, on a transport of ours."""

    def __init__(self, transport: Carried) -> None:
        super().__init__()
        self._transport = transport


def _write(publishing: Coroutine[Any, Any, None]) -> None:
    """Put a message into the client's buffer, without a turn of the loop.

    nats-py pauses only after that, until there is room for more; what is sent here is bounded already.
    """
    try:
        publishing.send(None)
    except StopIteration:
        return
    publishing.close()


def _tls(settings: Settings) -> ssl.SSLContext | None:
    if not (settings.tls_ca or settings.tls_cert or settings.url.startswith("tls://")):
        return None
    context = ssl.create_default_context(cafile=settings.tls_ca or None)
    if settings.tls_cert:
        context.load_cert_chain(settings.tls_cert, settings.tls_key or None)
    return context


def _said(error: BaseException) -> str:
    said = error.message if isinstance(error, ToolError) else str(error)
    return (said or type(error).__name__).removeprefix("nats: ").strip("'\r\n ")[:300]
