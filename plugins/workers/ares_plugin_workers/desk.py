"""The caller's end of the connection: sends orders, hands what comes back to the calls, and keeps watch over them."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from ares_core import Host
from ares_plugin_workers.calling import INLINE, Exchange, Wish
from ares_plugin_workers.link import Link
from ares_plugin_workers.messages import (
    Ask,
    Bye,
    Call,
    Cancel,
    Hello,
    Order,
    Parts,
    Started,
    Unreadable,
    encode,
    read_reply,
)
from ares_plugin_workers.roster import Roster
from ares_plugin_workers.settings import Settings

log = logging.getLogger("ares.plugin.workers")
EVERY = 0.2
FIRST_QUIET = 0.15
"""When so long no further worker has said what it serves, all who are there have."""


class Desk:
    """A connection, once it is open, and the calls that are out."""

    def __init__(self, host: Host, settings: Settings, roster: Roster) -> None:
        self.link = Link(host, settings, "ares", self._heard, self._came_back)
        self.inbox = self.link.new_inbox()
        self._settings = settings
        self._roster = roster
        self._parts = Parts(settings.max_message_bytes)
        self._calls: dict[str, Exchange] = {}
        self._numbers = 0
        self._loop = asyncio.get_running_loop()
        self._watch: asyncio.Task[None] | None = None
        self._told_at = 0.0
        self._nobody_there = asyncio.Event()
        self._has_broken = False

    @property
    def age(self) -> float:
        """For how long the connection has been back, if it ever broke; else for ever."""
        return self.link.age if self._has_broken else float("inf")

    async def open(self) -> None:
        """Connect, and hear of workers that come and go."""
        await self.link.open()
        await self.link.listen(f"{self.inbox}.>")
        await self.link.listen(f"{self._settings.prefix}.news")
        self._watch = self._loop.create_task(self._keep_watch())

    async def survey(self) -> None:
        """Ask all workers what they serve, and wait until they have said it."""
        until = time.monotonic() + self._settings.wait
        self._told_at, self._nobody_there = 0.0, asyncio.Event()
        self._ask()
        while (now := time.monotonic()) < until and not self._nobody_there.is_set():
            if self._told_at and now - self._told_at > FIRST_QUIET:
                break
            await asyncio.sleep(0.02)
        self._roster.is_settled = True

    def _ask(self) -> None:
        self.link.send(f"{self._settings.prefix}.tools", Ask(), f"{self.inbox}.survey")

    def begin(self, wish: Wish, done: Callable[[Any], None]) -> Exchange:
        """Send a call out."""
        self._numbers += 1
        number = str(self._numbers)
        wish = replace(wish, inline=min(INLINE, self.link.part // 2))
        exchange = self._calls[number] = Exchange(self, number, wish, done)
        exchange.offer()
        return exchange

    def forget(self, number: str) -> None:
        """A call is over."""
        self._calls.pop(number, None)

    def later(self, seconds: float, fn: Callable[[], None]) -> asyncio.TimerHandle:
        """Run a function after a while."""
        return self._loop.call_later(seconds, fn)

    def offer(self, address: str, call: Call, job: str) -> bool:
        """Put a call to whoever serves its tool; not one of several parts, each of which another worker could get."""
        try:
            body = encode(call)
        except UnicodeEncodeError:
            return False
        if len(body) > self.link.part:
            return False
        self.link.send_body(f"{self._settings.prefix}.call.{address}", body, job)
        return True

    def order(self, worker: str, order: Order, reply: str = "") -> None:
        """Tell one worker something."""
        if worker.isalnum():  # what a worker calls itself becomes a part of a subject
            self.link.send_body(f"{self._settings.prefix}.worker.{worker}", encode(order), reply)

    def nobody(self, address: str) -> None:
        """Take in that nobody serves an address any more."""
        self._roster.nobody(address)

    def name_of(self, worker: str) -> str:
        """Give the name of a worker."""
        return self._roster.name_of(worker)

    def odd(self, what: str) -> None:
        """Note what should not come; it changes nothing."""
        log.debug("from the NATS server: %s", what)

    def _heard(self, subject: str, reply: str, body: bytes, absent: bool) -> None:
        number, _, rest = subject.removeprefix(f"{self.inbox}.").partition(".")
        offer, _, about = rest.partition(".")
        call = self._calls.get(number)
        if absent:
            if number == "survey":
                self._nobody_there.set()
            elif call is not None:
                call.absent(offer, about)
            return
        try:
            whole = self._parts.take(body)
            message = None if whole is None else read_reply(whole)
        except Unreadable as error:
            self.odd(str(error))
            if call is not None and offer and body.startswith(b"#"):
                call.refuse(f"its answer can't be used: {error}")
            return
        if isinstance(message, Hello | Bye):
            self._told_at = time.monotonic()
            self._roster.take(message)
        elif message is not None and call is not None:
            call.hear(offer, message)
        elif isinstance(message, Started):
            self.order(message.worker, Cancel(subject))  # nobody waits for it any more

    def _came_back(self) -> None:
        self._has_broken = True
        for call in list(self._calls.values()):
            call.hear_again()
        self._ask()

    async def _keep_watch(self) -> None:
        silence, looked_at = self._settings.silence, time.monotonic()
        while True:
            await asyncio.sleep(EVERY)
            now = time.monotonic()
            missed, looked_at = now - looked_at - EVERY, now  # while this process stood still it heard nobody
            for call in list(self._calls.values()):
                call.hear_again(missed)
                call.look(now, silence)

    async def close(self) -> None:
        """End the connection."""
        if self._watch is not None:
            self._watch.cancel()
        for call in list(self._calls.values()):
            call.cancel()
        await self.link.close()
