"""One configured server: connected when it is first needed, again after it was lost, and what it offers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from ares_core import AresError, Failure, Host, ToolError
from ares_plugin_mcp.client.breaker import Breaker
from ares_plugin_mcp.client.configured import Server, filled
from ares_plugin_mcp.client.pins import Definition, Pins, what_changed

if TYPE_CHECKING:
    from ares_plugin_mcp.client.connection import Connection

PATIENT = 1.0
"""How many seconds before a server may be tried again are waited for instead of refusing."""
MOST_NOTES = 50
LONGEST_END = 8.0


class Unavailable(Exception):
    """The server can't be used now, and why; nothing was sent."""


class Peer:
    """A server. Everything that waits runs on the connections' own event loop."""

    def __init__(self, server: Server, host: Host, changed: Callable[[], None]) -> None:
        self.server = server
        self.host = host
        self.pins = Pins(server)
        self.breaker = Breaker()
        self.notes: list[str] = []
        self._untold: list[str] = []
        self.connection: Connection | None = None
        self.instructions = ""
        self.was_asked = False
        self.listed_at = self.called_at = 0.0
        self._changed = changed
        self._opening: asyncio.Task[Connection] | None = None
        self._listing: asyncio.Task[None] | None = None
        self._is_stale = False
        self._since = 0.0

    @property
    def name(self) -> str:
        """What it is called in the configuration; what it calls itself counts nowhere."""
        return self.server.name

    @property
    def is_stale(self) -> bool:
        """Whether it said that its tools changed, and they were not listed again yet."""
        return self._is_stale or self._listing is not None and not self._listing.done()

    def wants_asking(self, *, by_name: bool) -> bool:
        """Whether asking it may bring tools: it was not asked, can be tried again, or did something meanwhile."""
        if not self.was_asked or self.is_stale:
            return True
        if self.connection is not None and self.connection.is_open:
            return by_name and self.called_at > self.listed_at
        return self.pins.is_new and not self.breaker.pause and not (by_name and self.breaker.is_untold)

    def definitions(self) -> list[Definition]:
        """Give the tools that it offers, as far as that is known."""
        wanted = self.server.tools
        return [tool for tool in self.pins.offered() if wanted is None or tool["name"] in wanted]

    def state(self) -> str:
        """Say in a few words how it stands."""
        if self.connection is not None and self.connection.is_open:
            return "connected"
        if self.is_starting:
            return "starting"
        if self.breaker.failures:
            return f"failed: {self.breaker.reason}"
        return "not connected yet" if not self.was_asked else "not connected"

    @property
    def is_starting(self) -> bool:
        """Whether it is being connected."""
        return self._opening is not None and not self._opening.done()

    def note(self, text: str) -> None:
        """Remember what was odd about it, and log it."""
        if self._keep(text):
            self.host.log.warning("MCP server %s: %s", self.name, text)

    def _keep(self, text: str) -> bool:
        is_new = text not in self.notes and len(self.notes) < MOST_NOTES
        if is_new:
            self.notes.append(text)
        return is_new

    def tell_withheld(self, but: str = "") -> None:
        """Log which tools turned out to be withheld, without the one whose caller hears it anyway."""
        names, self._untold = self._untold, []
        for name in names:
            if name != but:
                self.host.log.warning("MCP server %s: %s", self.name, self.withheld(name))

    async def ready(self, patience: float | None = None) -> Connection:
        """Give the open connection, after connecting if need be; it goes on when patience ends before that."""
        if self.connection is not None and self.connection.is_open:
            return self.connection
        if self._opening is None or self._opening.done():
            await self._pause(patience)
            if self._opening is None or self._opening.done():
                self._since = time.monotonic()
                self._opening = asyncio.get_running_loop().create_task(self._open())
                self._opening.add_done_callback(_seen)
        try:
            return await asyncio.wait_for(asyncio.shield(self._opening), patience)
        except TimeoutError:
            spent = time.monotonic() - self._since
            raise Unavailable(f"it is still starting, for {spent:.0f} s so far; call again in a while") from None

    async def _pause(self, patience: float | None) -> None:
        pause = self.breaker.pause
        if pause > min(PATIENT, PATIENT if patience is None else patience):
            raise Unavailable(f"it is tried again in {pause:.0f} s; {self.breaker.reason}")
        if pause:
            await asyncio.sleep(pause)

    async def _open(self) -> Connection:
        """Connect and list; what goes wrong is told in a sentence, and counts for the breaker."""
        old, self.connection = self.connection, None
        if old is not None and not old.is_retired:
            await old.close()
        self.was_asked = True
        try:
            connection = await self._connected()
        except Exception as error:
            reason = await self._reason(error)
            self.breaker.failed(reason)
            raise Unavailable(reason) from None
        self.connection = connection
        if self._is_stale:  # it was said while the tools were being listed for the first time
            self.changed_there()
        return connection

    async def _connected(self) -> Connection:
        from ares_plugin_mcp.client.opening import Opening

        opening = Opening(self)
        try:
            async with asyncio.timeout(self.server.startup_timeout):
                return await opening.run(filled(self.server, self.host.secrets))
        except TimeoutError:
            raise Unavailable(
                f"it gave no answer within {self.server.startup_timeout:g} s of its start (startup_timeout)"
            ) from None

    async def _reason(self, error: Exception) -> str:
        from ares_plugin_mcp.client.connection import masked
        from ares_plugin_mcp.client.opening import start_trouble

        if isinstance(error, Unavailable | AresError):
            return str(error)
        return masked(filled(self.server, self.host.secrets), start_trouble(self.server, error))

    def take(self, listed: list[Definition], notes: Mapping[str, None]) -> None:
        """Take in what it lists now."""
        before = self.definitions()
        self.listed_at = time.monotonic()
        self.pins.compare(listed)
        for text in notes:
            self.note(text)
        self._untold += [name for name in self.pins.changed if self._keep(self.withheld(name) or "")]
        if self.pins.trouble:
            self.note(self.pins.trouble)
        if self.definitions() != before:
            self._changed()

    def agree(self, names: Iterable[str]) -> None:
        """Use tools that changed as they are now."""
        self.pins.trust(names)
        self._changed()

    def withheld(self, name: str) -> str | None:
        """Say why a tool is not offered although the server has it, if that is so."""
        return f"tool {name!r} is {self.why_withheld(name)}" if name in self.pins.changed else None

    def why_withheld(self, name: str) -> str:
        """Say what a tool that changed is, and what to do about it."""
        parts = " and ".join(what_changed(self.pins.pinned[name], self.pins.changed[name]))
        agree = f"to see the change and agree to it: ares mcp trust {self.name}"
        return f"withheld: its {parts} changed since it was first used; {agree}"

    def why_not(self, name: str) -> Failure | ToolError:
        """Say why a call of a tool that is not there can't be made."""
        if (withheld := self.withheld(name)) is not None:
            return Failure("denied", f"MCP server {self.name!r}: {withheld}.")
        if self.is_starting:
            return Failure("tool_error", f"MCP server {self.name!r} is still starting; call again in a while.",
                           blame="world")  # fmt: skip
        if self.breaker.failures and (self.connection is None or not self.connection.is_open):
            return self._broken()
        if any(tool["name"] == name for tool in self.definitions()):
            why = f"it can't be taken in; to see why: ares mcp check {self.name}"
            return Failure("unknown_tool", f"MCP server {self.name!r} has {name!r:.80}, but {why}.")
        if (odd := next((text for text in self.notes if f"tool {name!r:.80} is" in text), None)) is not None:
            return Failure("unknown_tool", f"MCP server {self.name!r}: {odd}.")
        offered = ", ".join(tool["name"] for tool in self.definitions()[:20]) or "none"
        return Failure("unknown_tool", f"MCP server {self.name!r} has no tool {name!r:.80}. It has: {offered}.")

    def _broken(self) -> ToolError:
        from ares_plugin_mcp.client.opening import apart

        why, words = apart(self.breaker.reason)
        message = f"MCP server {self.name!r} can't be used: {why}."
        return ToolError(f"{message} It said:" if words else message, blame="world").with_words(words)

    def changed_there(self) -> None:
        """Have the tools listed again; however often it is said meanwhile, that is once more at most."""
        self._is_stale = True
        if self._listing is None or self._listing.done():
            self._listing = asyncio.get_running_loop().create_task(self._list_again())

    async def _list_again(self) -> None:
        from ares_plugin_mcp.client.opening import list_tools

        while self._is_stale and self.connection is not None and self.connection.is_open:
            self._is_stale = False
            try:
                async with asyncio.timeout(self.server.startup_timeout):
                    self.take(*await list_tools(self.connection, self))
                    self.tell_withheld()
            except Exception as error:
                self.note(f"its tools could not be listed again ({type(error).__name__})")
                return

    async def settled(self) -> None:
        """Wait until the tools are listed again, if they may have changed."""
        if self.called_at > self.listed_at and not self.is_stale:
            self.changed_there()
        if self._listing is not None:
            await asyncio.wait([self._listing])

    def disown(self) -> None:
        """Forget a connection that another process holds."""
        self.connection = self._opening = self._listing = None
        self.was_asked = False

    async def close(self) -> None:
        """End the connection."""
        tasks = [task for task in (self._opening, self._listing) if task is not None and not task.done()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=LONGEST_END)  # what was being started is ended there
        if self.connection is not None:
            await self.connection.close()


def _seen(task: asyncio.Task[Connection]) -> None:
    """Take note of a failure that nobody waited for any more."""
    if not task.cancelled():
        task.exception()
