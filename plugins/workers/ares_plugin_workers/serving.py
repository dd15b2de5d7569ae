"""A worker: serves tools of an Ares in this process to all others that know the NATS server."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
import threading
from collections.abc import Iterable
from typing import Any, Self

from msgspec.structs import replace
from nats.errors import Error

from ares_core import Ares, Event, Tool, UsageError
from ares_plugin_workers.definitions import address, definition_of
from ares_plugin_workers.jobs import Jobs
from ares_plugin_workers.link import Link, Unavailable
from ares_plugin_workers.messages import (
    Ask,
    Bye,
    Call,
    Cancel,
    Definition,
    Go,
    Gone,
    Hello,
    Order,
    Parts,
    Probe,
    Progress,
    Unreadable,
    read_order,
)
from ares_plugin_workers.settings import Settings

log = logging.getLogger("ares.plugin.workers")
PLUGIN = "workers"
QUEUE = "workers"
BEAT = 0.1


class Worker:
    """Serves the tools of these names, or patterns such as ``mcp.files.*``, until it is stopped.

    Every call goes through its whole life here: the policies, limits and ledger are this Ares' own, whatever the
    caller's are. Tools that this Ares itself has from workers are not served again.

    Example::

        async with Worker(ares, ["calculator"], url="nats://127.0.0.1:4222") as worker:
            await worker.stopped()
    """

    def __init__(self, ares: Ares, tools: Iterable[str], *, url: str = "", name: str = "", **settings: Any) -> None:
        ares.ready()
        self._ares = ares
        self._host: Any = ares.host(PLUGIN)
        known = self._host.config
        if not isinstance(known, Settings):
            raise UsageError("this Ares was made without the plugin 'workers', which holds what a worker needs to know")
        self.settings = replace(known, **{"url": url or known.url, **settings})
        if not self.settings.url:
            raise UsageError("a worker needs the address of a NATS server: workers.url, or url=")
        tools = list(tools)
        ares.bring(tools)
        self._wanted = ares.bind(tools=tools)
        self.id = secrets.token_hex(8)
        self.name = name or f"{socket.gethostname()}-{os.getpid()}"
        self.served: dict[str, tuple[str, Definition]] = {}
        self._listening: dict[str, Any] = {}
        self._over = asyncio.Event()
        self._ending: list[Any] = []
        self._hears_progress = False
        self._turn = asyncio.Lock()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Connect, take calls, and tell everybody."""
        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()
        self._link = Link(self._host, self.settings, self.name, self._heard, self._announce)
        self._parts = Parts(self.settings.max_message_bytes)
        self._jobs = Jobs(self._ares, self._link, self.id, self.name, self.settings.max_message_bytes)
        await self._link.open()
        prefix = self.settings.prefix
        await self._link.listen(f"{prefix}.tools")
        await self._link.listen(f"{prefix}.worker.{self.id}")
        await self._serve()
        self._beat = self._loop.create_task(self._jobs.beat(BEAT))
        self._ending.append(self._ares.registry.on_change(self._tools_changed))

    async def _serve(self) -> None:
        """Take calls of the tools that there are now, and none of those that there are no more."""
        async with self._turn:
            now = {address(definition): (name, definition) for name, definition in self._definitions()}
            for at in [at for at in self._listening if at not in now]:
                await self._listening.pop(at).unsubscribe()
            for at in now:
                if at not in self._listening:
                    self._listening[at] = await self._link.listen(f"{self.settings.prefix}.call.{at}", QUEUE)
            self.served = now
            await self._link.flush()
            self._announce()

    def _definitions(self) -> Iterable[tuple[str, Definition]]:
        registry = self._ares.registry
        for name, tool in self._wanted.tools().items():
            if registry.owner(name) != PLUGIN and isinstance(tool, Tool):
                yield name, definition_of(tool)

    def _tools_changed(self) -> None:
        self._loop.call_soon_threadsafe(self._serve_again)

    def _serve_again(self) -> None:
        self._again = self._loop.create_task(self._served_again())

    async def _served_again(self) -> None:
        try:
            await self._serve()
        except (Unavailable, Error) as error:
            log.warning("the worker %s can't tell of its tools again: %s", self.name, error)

    def _announce(self, to: str = "") -> None:
        tools = {at: definition for at, (_, definition) in self.served.items()}
        self._link.send(to or f"{self.settings.prefix}.news", Hello(self.id, self.name, tools))

    def _heard(self, subject: str, reply: str, body: bytes, absent: bool) -> None:
        if absent:
            return
        try:
            whole = self._parts.take(body)
            order = None if whole is None else read_order(whole)
        except Unreadable as error:
            log.warning("a message on %s can't be used: %s", subject[:100], error)
            return
        if isinstance(order, Ask):
            self._announce(reply)
        elif isinstance(order, Call):
            self._take(subject, reply, order)
        elif order is not None:
            self._follow(reply, order)

    def _take(self, subject: str, reply: str, call: Call) -> None:
        """Take a call, if it came to the address of the tool that it names, with one to answer to."""
        at = subject.rpartition(".")[2]
        if not reply or at not in self.served or self.served[at][0] != call.tool:
            log.warning("a call of %r on %s is not taken: it names no tool that is served there", call.tool[:100], at)
            return
        self._listen_to_progress(wanted=call.heard)
        self._jobs.take(reply, call)

    def _follow(self, reply: str, order: Order) -> None:
        """Do what a caller says about a call that was taken."""
        job = self._jobs.find(getattr(order, "job", ""))
        if isinstance(order, Probe):
            if job is not None:
                job.tell()
            elif not self._jobs.repeat(order.job) and reply:
                self._link.send(reply, Gone())
        elif isinstance(order, Go) and job is not None:
            job.go(order.arguments)
        elif isinstance(order, Cancel) and job is not None:
            job.cancel()

    def _listen_to_progress(self, *, wanted: bool) -> None:
        """Listen to events from the first call on whose caller wants to hear of progress: until then nobody pays."""
        if wanted and not self._hears_progress:
            self._hears_progress = True
            self._ending.append(self._ares.on_event(self._progressed, kinds={"progress"}))

    def _progressed(self, event: Event) -> None:
        job = self._jobs.find(event.run or "")
        if job is None or not job.call.heard:
            return
        if self._thread == threading.get_ident():  # at once, so that it goes out before the answer does
            self._link.send(job.reply, Progress(event.data))
        else:
            self._loop.call_soon_threadsafe(self._link.send, job.reply, Progress(event.data))

    async def stopped(self) -> None:
        """Wait until somebody stops it."""
        await self._over.wait()

    async def stop(self, patience: float = 10.0) -> None:
        """Take no more calls, say so, and wait for those that run."""
        for end in self._ending:
            end()
        for taken in self._listening.values():
            await taken.unsubscribe()
        self._listening.clear()
        self._link.send(f"{self.settings.prefix}.news", Bye(self.id))
        await self._jobs.end(patience)
        self._beat.cancel()
        await self._link.close()
        self._over.set()
