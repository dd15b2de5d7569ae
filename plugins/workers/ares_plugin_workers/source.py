"""All tools that workers serve: where they come from, and the way from a call to a worker."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ares_core import AresError, Background, Effects, Failure, Host, Tool, ToolContext, ToolError
from ares_plugin_workers.definitions import tool_of
from ares_plugin_workers.messages import Call, Definition, encode_data
from ares_plugin_workers.roster import Roster
from ares_plugin_workers.settings import Settings, without_secret

if TYPE_CHECKING:
    from ares_plugin_workers.calling import Exchange
    from ares_plugin_workers.desk import Desk

AGAIN = 2.0
"""Seconds after a failed connection, and after asking for a name in vain, before it is tried anew."""
PATIENCE = 2.0
"""Seconds that a call waits for a connection that was lost to come back."""


class Workers:
    """The source of the tools of one Ares that run elsewhere; nothing is connected before it is needed."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.settings: Settings = host.config
        self._home = Background("workers")
        self._tools: dict[str, Tool] = {}
        self._restart()
        host.add_source(self)
        host.on_close(lambda: self._home.close(self._close))
        host.on_close(host.registry.on_change(self._look_around))

    def _restart(self) -> None:
        self.roster = Roster(self._changed)
        self.desk: Desk | None = None
        self._salt = secrets.token_hex(8)
        self._opening: asyncio.Task[Desk] | None = None
        self._left_out: dict[str, str] = {}
        self._trouble, self._failed_at, self._asked_at = "", 0.0, 0.0

    def tools(self) -> list[Tool]:
        """Give the tools that are known of, without those whose names others have here."""
        offered = dict(self.roster.offered)
        self._left_out = {name: owner for name in offered if (owner := self._owner(name))}
        for at, definition in offered.values():
            if at not in self._tools:  # the same tool stays in the table as it is
                self._tools[at] = tool_of(at, definition, self._run)
        return [self._tools[at] for name, (at, _) in offered.items() if name not in self._left_out]

    def _owner(self, name: str) -> str:
        """Tell who has a tool of this name here, unless it is ours."""
        registry = self._host.registry
        if self._host.settings.tools.prefer.get(name) == self._host.name or registry.get(name) is None:
            return ""
        owner = registry.owner(name)
        return "" if owner == self._host.name else owner or "the program"

    def _look_around(self) -> None:
        """After tools came or went here: have ours asked for again if others have, or gave up, one of their names."""
        owners = {name: owner for name in self.roster.offered if (owner := self._owner(name))}
        missing = {name for name in self.roster.offered if name not in owners and self._host.registry.get(name) is None}
        if owners != self._left_out or missing & self._left_out.keys():
            self._home.soon(self._changed)

    def waiting(self) -> dict[str, str]:
        """Give what is not known yet, and what is left out, with why."""
        found = {}
        if self.desk is None:
            found["workers"] = f"failed: {self._trouble}" if self._trouble else "not connected yet"
        for name, owner in self._left_out.items():
            found[f"workers.{name}"] = f"left out: a tool {name!r} is here already, from {owner}"
        for name, others in self.roster.differing.items():
            found[f"workers.{name} of {', '.join(others)}"] = f"left out: {name!r} is served in another form already"
        return found

    def bring(self, name: str | None = None) -> Future[None] | None:
        """Connect, and ask who serves what; later only for a name that nobody has said so far."""
        self._leave_to_parent()
        now = time.monotonic()
        if self.desk is None:
            return self._home.submit(self._survey()) if now - self._failed_at > AGAIN else None
        if name is None or name in self.roster.offered or now - self._asked_at < AGAIN:
            return None
        return self._home.submit(self._survey())

    async def _survey(self) -> None:
        try:
            desk = await self._ready()
        except ToolError as error:
            self._host.log.warning("%s", error.message)
            return
        self._asked_at = time.monotonic()
        await desk.survey()

    def why_not(self, name: str) -> Failure | None:
        """Say why a tool that is not here can't be called, if it may be one of a worker's."""
        if name in self.roster.known:
            return Failure("tool_error", f"no worker serves {name!r} now. Nothing was sent.", blame="world")
        if self.desk is None and self._trouble:
            return Failure("unknown_tool", f"There is no tool {name!r:.80} here, and {self._trouble}.")
        return None

    async def _ready(self) -> Desk:
        """Give the open connection, after connecting if need be."""
        if self.desk is None:
            if self._opening is None or self._opening.done():
                self._opening = asyncio.get_running_loop().create_task(self._open())
            return await asyncio.shield(self._opening)
        if not await self.desk.link.comes_back(PATIENCE):
            raise ToolError(f"the NATS server at {self._where} was lost. Nothing was sent", blame="world")
        return self.desk

    @property
    def _where(self) -> str:
        return without_secret(self.settings.url)

    async def _open(self) -> Desk:
        from ares_plugin_workers.desk import Desk
        from ares_plugin_workers.link import Unavailable

        try:
            desk = Desk(self._host, self.settings, self.roster)
            await desk.open()
        except (Unavailable, AresError, OSError, ValueError) as error:
            self._failed_at = time.monotonic()
            self._trouble = f"the NATS server at {self._where} can't be used: {error}"[:400]
            said = "" if "nothing was sent" in self._trouble else ". Nothing was sent"
            raise ToolError(f"{self._trouble}{said}", blame="world") from None
        self._trouble, self.desk = "", desk
        return desk

    async def _run(self, at: str, definition: Definition, arguments: Mapping[str, Any], context: ToolContext) -> Any:
        """Have a call run elsewhere; whoever is cancelled here cancels it there."""
        from ares_plugin_workers.calling import Wish

        self._leave_to_parent()
        body = encode_data(arguments)
        if len(body) > self.settings.max_message_bytes:
            most = self.settings.max_message_bytes
            raise ToolError(
                f"the arguments have {len(body)} bytes, and {most} may be sent (workers.max_message_bytes). "
                "Nothing was sent", blame="input",
            )  # fmt: skip
        effects = context.call.effects or Effects()
        wish = Wish(
            at, self._call(definition.name, context, effects), body, effects, context.deadline,
            context.emit if context.is_heard else None,
        )  # fmt: skip
        return await self._answer(wish)

    async def _answer(self, wish: Any) -> Any:
        here = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = here.create_future()
        out: list[Exchange] = []

        def done(outcome: Any) -> None:
            with suppress(RuntimeError):  # nobody is there any more
                here.call_soon_threadsafe(_settle, answer, outcome)

        def begin() -> None:
            if self.desk is not None and self.desk.link.is_up:
                out.append(self.desk.begin(wish, done))
            else:
                task = asyncio.ensure_future(self._begin_later(wish, done, out))
                waiting.append(task)

        def cancel() -> None:
            for task in waiting:
                task.cancel()
            for exchange in out:
                exchange.cancel()

        waiting: list[asyncio.Task[None]] = []
        self._home.soon(begin)
        try:
            return await answer
        except asyncio.CancelledError:
            self._home.soon(cancel)
            raise

    async def _begin_later(self, wish: Any, done: Any, out: list[Exchange]) -> None:
        try:
            desk = await self._ready()
        except ToolError as error:
            done(error)
            return
        out.append(desk.begin(wish, done))

    def _call(self, name: str, context: ToolContext, effects: Effects) -> Call:
        """Say which call it is. A key of our own making is ours alone: another program's must never be taken for it."""
        call = context.call
        key = call.key
        if key is None and not effects.read_only:
            key = f"{self._salt}-{context.idempotency_key}"
        return Call(name, id=call.id, key=key, session=call.session, turn=call.turn)

    def _leave_to_parent(self) -> None:
        """Make a connection of one's own in a forked child."""
        if self._home.is_inherited:
            self._home = Background("workers")
            self._restart()

    def _changed(self) -> None:
        self._host.tools_changed()

    async def _close(self) -> None:
        if self._opening is not None and not self._opening.done():
            self._opening.cancel()
        if self.desk is not None:
            await self.desk.close()


def _settle(answer: asyncio.Future[Any], outcome: Any) -> None:
    if answer.done():
        return
    if isinstance(outcome, Exception):
        answer.set_exception(outcome)
    elif outcome is None:
        answer.cancel()
    else:
        answer.set_result(outcome)
