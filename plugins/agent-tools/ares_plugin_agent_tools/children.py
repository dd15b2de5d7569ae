"""Sub-agents at work: begun with a part of their caller's tools and budget, waited for, stopped, looked up."""

from __future__ import annotations

import asyncio
import re
import secrets
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Any

from msgspec import Struct

from ares_core import Budget, Host, RegistrationError, Scoped, ToolContext, ToolError
from ares_plugin_agent_tools.agents import make_agent
from ares_plugin_agent_tools.cleaning import cleaned
from ares_plugin_agent_tools.database import Database
from ares_plugin_agent_tools.records import Record, Records, ended, of_run
from ares_plugin_agent_tools.settings import Settings

NAME = "delegate_task"
MOST_AT_ONCE = 64
MOST_ROOTS = 10_000


class Line(Struct, frozen=True):
    """Where a sub-agent stands: how deep, and below whom."""

    depth: int
    root: str


LINE: ContextVar[Line | None] = ContextVar("ares_sub_agent", default=None)


class Child:
    """A sub-agent at work; ``end`` holds the record of how it ended."""

    def __init__(self, owner: str, record: Record) -> None:
        self.owner = owner
        self.record = record
        self.end: Future[Record] = Future()
        self.end.set_running_or_notify_cancel()  # who waits for it and is cancelled must not cancel it
        self.work: asyncio.Task[None] | None = None

    def stop(self) -> None:
        """Have it end, from whatever thread."""
        work = self.work
        if work is not None and not work.get_loop().is_closed():
            work.get_loop().call_soon_threadsafe(work.cancel)

    async def wait(self, seconds: float) -> Record:
        """Wait for its end, so long at most; gives how it stands."""
        end = asyncio.wrap_future(self.end)
        try:
            await asyncio.wait([end], timeout=max(seconds, 0.0))
        finally:
            end.cancel()
        return self.now()

    def now(self) -> Record:
        """Tell how it stands; one whose event loop was closed can't go on."""
        if not self.end.done() and self.work is not None and self.work.get_loop().is_closed():
            self.end.set_result(ended(self.record, "interrupted", "The event loop that it ran in was closed."))
        return self.end.result() if self.end.done() else self.record


class Children:
    """The sub-agents of one Ares."""

    def __init__(self, host: Host, settings: Settings, database: Database) -> None:
        self._host = host
        self._settings = settings
        self._records = Records(database, host.log)
        self._children: dict[str, Child] = {}
        self._at_work: Counter[str] = Counter()
        self._begun: dict[str, int] = {}
        self._lock = threading.Lock()
        host.on_close(self._stop_all)

    async def begin(self, task: str, tools: Sequence[str] | None, context: ToolContext) -> Child:
        """Begin; raises ``ToolError`` if that is not possible, before anything is done."""
        handle = f"d-{secrets.token_hex(6)}"
        above = LINE.get()
        line = Line(above.depth + 1 if above else 1, above.root if above else context.session or handle)
        if line.depth > self._settings.depth:
            raise ToolError(f"sub-agents may stand {self._settings.depth} deep, and this would be one more; nothing "
                            "was begun", hint="Do the work yourself.", blame="input")  # fmt: skip
        session = f"{context.session}/{handle}" if context.session else handle
        budget = self._budget(context, handle)
        door = await asyncio.to_thread(self._door, tools, session, budget, line)
        agent = make_agent(self._settings, door, session, budget)
        self._enter(line.root)
        until = time.time() + self._settings.seconds
        child = Child(owner_of(context), Record(handle, cleaned(task)[:2_000], time.time(), until, session))
        self._children[handle] = child
        child.work = asyncio.create_task(self._work(child, agent, task, line), name=f"sub-agent {handle}")
        return child

    def find(self, handle: str, context: ToolContext) -> Child | Record:
        """Give one of this session; another session's is not known here."""
        owner = owner_of(context)
        child = self._children.get(handle)
        if child is not None and child.owner == owner:
            return child
        record = self._records.find(owner, handle)
        if record is None:
            raise ToolError(f"there is no sub-agent {handle!r:.80} of this session",
                            hint="Take the handle from the answer of delegate_task, or from the operation list.",
                            blame="input")  # fmt: skip
        return record

    def list(self, context: ToolContext) -> list[Record]:
        """Give the newest of this session, newest first."""
        if context.session is None:
            raise ToolError("this call belongs to no session, so it has no list of sub-agents",
                            hint="Name one by its handle.", blame="input")  # fmt: skip
        owner = owner_of(context)
        found = {record.handle: record for record in self._records.newest(owner)}
        found |= {c.record.handle: c.now() for c in list(self._children.values()) if c.owner == owner}
        return sorted(found.values(), key=lambda record: record.begun, reverse=True)

    def _door(self, tools: Sequence[str] | None, session: str, budget: Budget, line: Line) -> Scoped:
        """Give a part of the caller's tools; without ``delegate_task`` where nobody may stand deeper."""
        try:
            chosen = self._host.bind()
            if tools is not None:
                chosen = chosen.bind([_meant(name, chosen.view.entries) for name in tools])
            may_go_on = line.depth < self._settings.depth
            names = [name for name, entry in chosen.view.entries.items() if may_go_on or entry.tool.name != NAME]
            door: Scoped = chosen.bind(names, session=session, budget=budget)
        except RegistrationError as error:
            raise ToolError(f"{error}; nothing was begun", hint="Name tools that you have yourself, or leave "
                            "'tools' out.", blame="input") from error  # fmt: skip
        return door

    def _budget(self, context: ToolContext, handle: str) -> Budget:
        """Take half of what the caller has left, so that it can still answer."""
        left = context.budget.left()
        half: dict[str, Any] = {kind: None if amount is None else int(amount // 2) for kind, amount in left.items()}
        if 0 in half.values():
            raise ToolError("too little is left of the budget for a sub-agent; nothing was begun", blame="input",
                            hint="Do the rest yourself.")  # fmt: skip
        half["iterations"] = min(half["iterations"] or self._settings.iterations, self._settings.iterations)
        half["time"] = min(half["time"] or self._settings.seconds, self._settings.seconds)
        return context.budget.child(**half, name=f"sub-agent {handle}")

    def _enter(self, root: str) -> None:
        with self._lock:
            most = self._settings.children
            if self._at_work[root] >= most or self._at_work.total() >= MOST_AT_ONCE:
                raise ToolError(f"{min(most, self._at_work[root]) or MOST_AT_ONCE} sub-agents are at work already, "
                                "and no more may be; nothing was begun", hint="Wait for one with the operation "
                                "result, or stop one.", blame="input")  # fmt: skip
            begun = self._begun.pop(root, 0)
            self._begun[root] = begun
            if begun >= self._settings.delegations:
                raise ToolError(f"this session has had its {begun} sub-agents; nothing was begun",
                                hint="Do the rest yourself.", blame="input")  # fmt: skip
            self._begun[root] = begun + 1
            self._at_work[root] += 1
            if len(self._begun) > MOST_ROOTS:
                del self._begun[next(iter(self._begun))]

    def _leave(self, root: str) -> None:
        with self._lock:
            self._at_work[root] -= 1
            self._at_work += Counter()  # forgets those at zero

    async def _work(self, child: Child, agent: Any, task: str, line: Line) -> None:
        LINE.set(line)
        record = child.record
        try:
            await asyncio.to_thread(self._records.keep, child.owner, record)
            record = of_run(record, await agent.run(task))
            await asyncio.to_thread(self._records.keep, child.owner, record)
        except asyncio.CancelledError:
            if record.ended is None:
                last = getattr(agent, "last", None)
                record = ended(record, "interrupted", "It was stopped before it had the answer.", last)
            self._records.keep(child.owner, record)
            raise
        except Exception as error:
            record = ended(record, "failed", f"{type(error).__name__}: {error}"[:2_000])
            self._records.keep(child.owner, record)
        finally:
            self._leave(line.root)
            if not child.end.done():
                child.end.set_result(record if record.ended else ended(record, "failed", "It ended without a word."))
            self._forget_old()

    def _forget_old(self) -> None:
        """Leave those that ended to the file, but for the newest."""
        over = [handle for handle, child in list(self._children.items()) if child.end.done()]
        for handle in over[:-MOST_AT_ONCE]:
            self._children.pop(handle, None)

    def _stop_all(self) -> None:
        for child in list(self._children.values()):
            child.stop()


def owner_of(context: ToolContext) -> str:
    """Say whose sub-agents these are: of one user in one session."""
    parts = [f"{len(part)}:{part}" if part is not None else "-" for part in (context.user, context.session)]
    return " ".join(parts).encode("utf-8", "backslashreplace").decode()


def _meant(name: str, known: Any) -> str:
    """Find the tool that a name means that was written as providers have it, with ``_`` for what they don't take."""
    if name in known:
        return name
    alike = [other for other in known if re.sub(r"[\W_]+", "_", other) == re.sub(r"[\W_]+", "_", name)]
    return alike[0] if len(alike) == 1 else name
