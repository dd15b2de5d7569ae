"""One connection: opened, held and closed by one task of its own, so that nobody else's cancellation breaks it."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable, Iterator
from contextvars import ContextVar
from typing import Any

from mcp import MCPError
from mcp.client import Client, ClientRequestContext
from mcp_types import (
    CONNECTION_CLOSED,
    ElicitResult,
    Implementation,
    LoggingMessageNotificationParams,
    PromptListChangedNotification,
    ResourceListChangedNotification,
    ToolListChangedNotification,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from ares_core import Host
from ares_plugin_mcp.client.asking import DECLINED, Asking
from ares_plugin_mcp.client.configured import Server
from ares_plugin_mcp.client.links import Link

Emit = Callable[..., None]
MOST_PAGES = 1_000
LISTEN_SECONDS = 5.0
"""How long a server gets to agree to tell of changes before calls go out all the same."""
LOG_LEVEL = "io.modelcontextprotocol/logLevel"
"""What asks a server of the newer era to tell what it logs during a request."""
NO_ANSWER = ("SSE stream ", "Connection closed")
"""How the SDK begins to say that a request can't be answered any more."""
SECRET_NAME = re.compile(r"auth|token|key|secret|passw|credential|cookie", re.IGNORECASE)
SHORTEST_SECRET = 6
CHANGED = (ToolListChangedNotification, ResourceListChangedNotification, PromptListChangedNotification)
LEVELS = {"debug": 10, "info": 20, "notice": 20, "warning": 30}


class Underway:
    """One call that waits for its server's answer: how to tell of it, and whom to ask."""

    __slots__ = ("asking", "emit")

    def __init__(self, emit: Emit | None, asking: Asking) -> None:
        self.emit = emit
        self.asking = asking

    async def progress(self, progress: float, total: float | None, message: str | None) -> None:
        """Tell how far the server has come."""
        if self.emit is not None:
            self.emit(message or "progress", progress=progress, total=total)


UNDERWAY: ContextVar[Underway | None] = ContextVar("ares_mcp_underway", default=None)


def masked(server: Server, text: str) -> str:
    """Take the secrets that a server is configured with out of what it says."""
    given = [value for part in (server.headers, server.env) for key, value in part.items() if SECRET_NAME.search(key)]
    for secret in (server.bearer, *given, *(value.rpartition(" ")[2] for value in given)):
        if len(secret) >= SHORTEST_SECRET:
            text = text.replace(secret, "[redacted]")
    return text


class Connection:
    """A server that is connected. ``on_change`` is told when the server says that its tools changed."""

    def __init__(self, server: Server, link: Link, host: Host, on_change: Callable[[], None]) -> None:
        self._server = server
        self._host = host
        self._on_change = on_change
        self.link = link
        self.calls: list[Underway] = []
        self._stop = asyncio.Event()
        self._owner: asyncio.Task[None] | None = None
        self.reason = ""
        self.loss_is_told = False
        self.is_retired = False
        era = "legacy" if server.transport == "sse" else server.era
        self.client = Client(
            link, mode=era, cache=None, logging_callback=self._logged, client_info=_about_us(),
            message_handler=self._received, elicitation_callback=self._asked,
        )  # fmt: skip

    @property
    def is_open(self) -> bool:
        """Whether calls may go out."""
        ended = self.is_retired or self.link.ended.is_set()
        return self._owner is not None and not self._owner.done() and not ended

    def is_severed_by(self, error: MCPError) -> bool:
        """Whether an error says that the connection broke; servers use the code of the SDK for errors of their own."""
        return error.code == CONNECTION_CLOSED and error.message.startswith(NO_ANSWER)

    def masked(self, text: str) -> str:
        """Take the secrets that the server is configured with out of what it says."""
        return masked(self._server, text)

    async def open(self) -> None:
        """Connect, in the task that will also close it; whoever waits may go away without harm."""
        opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._owner = asyncio.get_running_loop().create_task(self._own(opened))
        try:
            await opened
        except asyncio.CancelledError:
            self._owner.cancel()
            raise

    async def _own(self, opened: asyncio.Future[None]) -> None:
        try:
            async with self.client:
                await self._hold(opened)
        except BaseException as error:
            self.reason = said(error)
            if not opened.done():
                opened.set_exception(_bare(error))
            elif isinstance(error, asyncio.CancelledError):
                raise

    async def _hold(self, opened: asyncio.Future[None]) -> None:
        """Stay until it is to be closed or the other side is gone; in the newer era, listen for changes."""
        waits = [asyncio.ensure_future(event.wait()) for event in (self._stop, self.link.ended)]
        heard = asyncio.Event()
        tasks = [*waits, asyncio.ensure_future(self._listen(heard))]
        try:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(heard.wait(), LISTEN_SECONDS)
            if not opened.done():
                opened.set_result(None)
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def is_modern(self) -> bool:
        """Whether the server speaks the era without sessions."""
        return self.client.protocol_version in MODERN_PROTOCOL_VERSIONS

    async def _listen(self, heard: asyncio.Event) -> None:
        tools = self.client.server_capabilities.tools
        if not self.is_modern or tools is None or not tools.list_changed:
            heard.set()
            return
        while True:
            try:
                async with self.client.listen(tools_list_changed=True) as changes:
                    heard.set()
                    async for _ in changes:
                        self._on_change()
            except Exception as error:
                self._host.log.debug("server %s: listening for changes ended: %s", self._server.name, error)
            heard.set()
            await asyncio.sleep(1)
            self._on_change()

    def retire(self) -> None:
        """Take no more calls; those that wait for an answer still get theirs, and then it is closed."""
        self.is_retired = True
        if not self.calls:
            self._stop.set()

    async def close(self) -> None:
        """Close it, and wait until it is."""
        self._stop.set()
        if self._owner is not None:
            await asyncio.wait([self._owner], timeout=8)
            self._owner.cancel()

    async def pages(
        self, ask: Callable[[str | None], Awaitable[Any]], notes: dict[str, None] | None = None
    ) -> list[Any]:
        """Ask for a listing page by page; an empty cursor, and one that comes again, is the end.

        A further page that can't be had costs only itself where ``notes`` can take a word of it.
        """
        found: list[Any] = []
        cursor, seen = None, set()
        for _ in range(MOST_PAGES):
            try:
                page = await ask(cursor)
            except (MCPError, ValidationError) as error:
                if not found or notes is None or self.link.ended.is_set():
                    raise
                notes[f"page {len(found) + 1} of its list can't be had, so the list is not whole: {error!s:.200}"] = (
                    None
                )
                break
            found.append(page)
            cursor = page.next_cursor
            if not cursor or cursor in seen:
                break
            seen.add(cursor)
        return found

    async def _asked(self, context: ClientRequestContext, params: Any) -> ElicitResult:
        call = UNDERWAY.get() or (self.calls[-1] if self.calls else None)
        return await call.asking.ask(params) if call is not None else DECLINED

    async def _received(self, message: Any) -> None:
        if isinstance(message, CHANGED):
            self._on_change()

    async def _logged(self, params: LoggingMessageNotificationParams) -> None:
        text = params.data if isinstance(params.data, str) else str(params.data)
        self._host.log.log(min(LEVELS.get(params.level, 30), 20), "server %s: %.2000s", self._server.name, text)
        for call in self.calls[-1:]:
            if call.emit is not None:
                call.emit(text[:2000], level=params.level, logger=params.logger)


def _about_us() -> Implementation:
    from ares_core import __version__

    return Implementation(name="ares", version=__version__)


def said(error: BaseException) -> str:
    """Give what the innermost exceptions say."""
    return "; ".join(dict.fromkeys(_leaves(error)))[:600]


def in_words(error: ValidationError) -> str:
    """Say the first thing that is wrong with a message."""
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"[:400]


def _bare(error: BaseException) -> Exception:
    """Take an exception out of the groups that task groups put around it."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error if isinstance(error, Exception) else ConnectionError(said(error))


def _leaves(error: BaseException) -> Iterator[str]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield f"{error}" or type(error).__name__
