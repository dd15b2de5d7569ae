"""Sub-agents at work: begun with a part of their caller's tools and budget, waited for, stopped, looked up."""

from __future__ import annotations

import asyncio
import re
import secrets
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future, wait
from contextvars import ContextVar
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ares_core import Budget, Host, RegistrationError, Scoped, ToolContext, ToolError
from ares_plugin_agent_tools.agents import make_agent
from ares_plugin_agent_tools.cleaning import cleaned
from ares_plugin_agent_tools.database import Database
from ares_plugin_agent_tools.records import Record, Records, ended, of_run
from ares_plugin_agent_tools.settings import Settings

NAME = "delegate_task"
MOST_AT_ONCE = 64
MOST_ROOTS = 10_000
PATIENCE = 2.0


class Line(Struct, frozen=True):
    """Where a sub-agent stands: how deep, and below whom."""

    depth: int
    root: str


LINE: ContextVar[Line | None] = ContextVar("ares_sub_agent", default=None)


class Child:
    """A sub-agent at work; ``end`` holds the record of how it ended."""

    def __init__(self, owner: str, line: Line, record: Record, agent: Any) -> None:
        self.owner = owner
        self.line = line
        self.record = record
        self.agent = agent
        self.state: Any = None
        """Where it may go on, if it waits for a person's approval."""
        self.end = _future()
        self.work: asyncio.Task[None] | None = None

    def take_state(self, record: Record) -> Any:
        """Go on from where it waits, once: gives its state, and it counts as at work from here on."""
        state, self.state = self.state, None
        if state is not None:
            self.record, self.end, self.work = record, _future(), None
        return state

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
        agent = await asyncio.to_thread(self._agent, tools, session, budget, line)
        now, left = time.time(), budget.left()["time"]
        until = now + (self._settings.seconds if left is None else min(left, self._settings.seconds))
        record = Record(handle, cleaned(task)[:2_000], now, until, cleaned(session))
        child = Child(owner_of(context), line, record, agent)
        self._enter(child)
        child.work = asyncio.create_task(self._work(child, partial(agent.run, task)), name=f"sub-agent {handle}")
        return child

    def resume(self, child: Child) -> None:
        """Have one go on that waited for a person's approval."""
        before, now = child.now(), time.time()
        record = replace(before, status="running", ended=None, begun=now, until=now + before.until - before.begun)
        with self._lock:
            state = child.take_state(record) if before.status == "waiting" else None
        if state is None:
            raise ToolError(f"sub-agent {before.handle} is {before.status} and has nothing to go on with",
                            hint="Ask for its result.", blame="input")  # fmt: skip
        child.work = asyncio.create_task(self._work(child, partial(child.agent.resume, state)))

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

    def _agent(self, tools: Sequence[str] | None, session: str, budget: Budget, line: Line) -> Any:
        return make_agent(self._settings, self._door(tools, session, budget, line), session, budget)

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
            raise ToolError(
                f"nothing was begun: {error}", blame="input",
                hint="Name tools that you have yourself, or leave 'tools' out.",
            ) from error  # fmt: skip
        return door

    def _budget(self, context: ToolContext, handle: str) -> Budget:
        """Take half of what the caller has left, so that it can still answer."""
        left = context.budget.left()
        half: dict[str, Any] = {kind: None if amount is None else int(amount // 2) for kind, amount in left.items()}
        if 0 in half.values():
            raise ToolError("too little is left of the budget for a sub-agent; nothing was begun", blame="input",
                            hint="Do the rest yourself.")  # fmt: skip
        half["iterations"] = min(half["iterations"] or self._settings.iterations, self._settings.iterations)
        return context.budget.child(**half, name=f"sub-agent {handle}")

    def _enter(self, child: Child) -> None:
        """Take one in, unless there are too many."""
        with self._lock:
            working = [other.line.root for other in self._children.values() if other.now().ended is None]
            count, most = working.count(child.line.root), self._settings.children
            if count >= most or len(working) >= MOST_AT_ONCE:
                raise ToolError(f"{count if count >= most else len(working)} sub-agents are at work already, and no "
                                "more may be; nothing was begun", blame="input",
                                hint="Wait for one with the operation result, or stop one.")  # fmt: skip
            begun = self._begun.pop(child.line.root, 0)
            self._begun[child.line.root] = min(begun + 1, self._settings.delegations)
            if begun >= self._settings.delegations:
                raise ToolError(f"this session has had its {begun} sub-agents; nothing was begun",
                                hint="Do the rest yourself.", blame="input")  # fmt: skip
            if len(self._begun) > MOST_ROOTS:
                del self._begun[next(iter(self._begun))]
            self._children[child.record.handle] = child

    async def _work(self, child: Child, job: Callable[[], Awaitable[Any]]) -> None:
        LINE.set(child.line)
        record = child.record
        try:
            await asyncio.to_thread(self._records.keep, child.owner, record)
            record = await _ended(child, job)
            await asyncio.to_thread(self._records.keep, child.owner, record)
        except asyncio.CancelledError:
            if record.ended is None:
                last = getattr(child.agent, "last", None)
                record = ended(record, "interrupted", "It was stopped before it had the answer.", last)
            self._records.keep(child.owner, record)
            raise
        finally:
            if not child.end.done():
                child.end.set_result(record if record.ended else ended(record, "failed", "It ended without a word."))
            self._forget_old()

    def _forget_old(self) -> None:
        """Leave those that ended to the file, but for the newest."""
        with self._lock:
            over = [handle for handle, child in self._children.items() if child.end.done()]
            for handle in over[:-MOST_AT_ONCE]:
                del self._children[handle]

    def _stop_all(self) -> None:
        """Stop those at work, and give them a moment to write down how far they came, unless that is this thread's."""
        working = [child for child in list(self._children.values()) if not child.end.done()]
        for child in working:
            child.stop()
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            wait([child.end for child in working], timeout=PATIENCE)


async def _ended(child: Child, job: Callable[[], Awaitable[Any]]) -> Record:
    """Have an agent do its job, within its time: that is not of its budget, whose clock would run on while it waits."""
    record = child.record
    seconds = record.until - record.begun
    try:
        async with asyncio.timeout(seconds):
            run = await job()
        found = of_run(record, run)
        child.state = (
            getattr(run, "state", None) if found.status == "waiting" and hasattr(child.agent, "resume") else None
        )
        return found
    except TimeoutError:
        return ended(record, "failed", f"It did not end within {seconds:g} s.", getattr(child.agent, "last", None))
    except Exception as error:
        return ended(record, "failed", f"{type(error).__name__}: {error}"[:2_000])


def _future() -> Future[Record]:
    future: Future[Record] = Future()
    future.set_running_or_notify_cancel()  # who waits for it and is cancelled must not cancel it
    return future


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
