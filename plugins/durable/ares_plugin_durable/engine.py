"""The engine: jobs as DBOS workflows, their calls as steps, their queues and schedules.

A job is a function named by its import path, ``async def job(job: Job, payload) -> data``. What it does through
``job.call`` is kept step by step; after a crash the job runs again and gets what its finished steps gave.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self

import msgspec
from dbos import DBOS, SetWorkflowID

from ares_core import Result, ToolCall, UsageError, state_dir
from ares_plugin_durable import Queue, Settings
from ares_plugin_durable.endings import Endings
from ares_plugin_durable.kept import APPLICATION, POLL_SECONDS, PORTABLE, TAKER, Kept
from ares_plugin_durable.processes import Processes, among
from ares_plugin_durable.steps import Job, plain
from ares_plugin_durable.work import SCHEDULED, work_of

if TYPE_CHECKING:
    from ares_core import Ares

FILE = "durable.db"
SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}
LOOK_SECONDS = 5.0
"""How often a process looks for work that another one has left behind."""
LEAVE_SECONDS = 60.0
"""How long the end of a process waits for the calls that it is making."""
VERSION = "ares-1"
_current: Durable | None = None


class Durable(Kept):
    """Durable work for one Ares; one at a time in a process. Use it with ``async with`` or ``with``.

    Jobs that a crash cut off go on when it begins, or in another process that shares the database, a few seconds
    later. ``stores.ledger`` should name a store on disk: a call that was cut off while it changed something is then
    ``outcome_unknown`` instead of being made again.
    """

    def __init__(self, ares: Ares, url: str = "", queues: Mapping[str, Queue] | None = None) -> None:
        settings = settings_of(ares)
        super().__init__(url or place(settings))
        self.ares = ares
        self.queues: Mapping[str, Queue] = {**settings.queues, **(queues or {})}
        self._served: frozenset[str] = frozenset()
        self._dbos: DBOS | None = None
        self._processes: Processes | None = None
        self._leaving = threading.Event()
        self._watch: threading.Thread | None = None
        self._endings = Endings(self._in_states)
        self._working = 0

    def _open(self) -> None:
        self.ares.ready()
        super()._open()
        self._processes = among(self.url)
        self._dbos = DBOS(config={
            "name": APPLICATION, "system_database_url": self.url, "system_database_engine": self._engine,
            "run_migrations": False, "log_level": "ERROR", "executor_id": self._processes.id,
            "application_version": VERSION, "serializer": PORTABLE,
            "notification_listener_polling_interval_sec": POLL_SECONDS, "scheduler_polling_interval_sec": 1.0,
        })  # fmt: skip
        self._served = frozenset(tool for tool in self.queues if self.ares.registry.get(tool) is not None)
        DBOS.listen_queues([queue_name(tool) for tool in self._served])
        for tool, queue in self.queues.items():
            self.client.register_queue(queue_name(tool), **_limits(queue))
        DBOS.launch()
        self._look()
        self._leaving.clear()
        self._endings = Endings(self._in_states)
        self._watch = threading.Thread(target=self._look_again, name="ares-durable", daemon=True)
        self._watch.start()

    def __enter__(self) -> Self:
        global _current  # noqa: PLW0603 - DBOS itself is one in a process
        if _current is not None:
            raise UsageError("there is a Durable in this process already; close it first")
        _current = self
        return super().__enter__()

    def __exit__(self, *error: object) -> None:
        for _ in self._waits():
            time.sleep(POLL_SECONDS)
        self._close()

    async def __aexit__(self, *error: object) -> None:
        for _ in self._waits():
            await asyncio.sleep(POLL_SECONDS)
        self._close()

    def _waits(self) -> Iterator[int]:
        """Begin no more calls, and tell as long as those that have begun still run."""
        self._leaving.set()
        for count in range(round(LEAVE_SECONDS / POLL_SECONDS)):
            if not self._working:
                break
            yield count

    def _close(self) -> None:
        global _current  # noqa: PLW0603 - as above
        if _current is not self:
            return
        _current = None
        if self._watch is not None:
            self._watch.join(LOOK_SECONDS)
        self._endings.close()
        self._take_no_more()
        DBOS.destroy()
        super().__exit__()
        if self._processes is not None:
            self._processes.close()

    def _take_no_more(self) -> None:
        """End the threads that take calls out of queues: one that comes late would take a call that nobody makes."""
        if self._dbos is not None:
            for event in self._dbos.background_thread_stop_events:
                event.set()
        for thread in threading.enumerate():
            if thread.name.startswith(TAKER):
                thread.join(LEAVE_SECONDS)

    def _in_states(self, ids: Sequence[str], states: Sequence[str]) -> list[str]:
        found = self.client.list_workflows(
            workflow_ids=list(ids), status=list(states), load_input=False, load_output=False
        )
        return [one.workflow_id for one in found]

    def _look(self) -> None:
        """Take up what processes that have ended left behind: their calls go back into their queues, jobs go on."""
        if self._processes is not None:
            running = self.client.list_workflows(status="PENDING", load_input=False, load_output=False)
            dead = self._processes.dead({one.executor_id for one in running if one.executor_id is not None})
            if dead:
                DBOS._recover_pending_workflows(dead)  # noqa: SLF001 - there is no public name for it

    def _look_again(self) -> None:
        while not self._leaving.wait(LOOK_SECONDS):
            try:
                self._look()
            except Exception as error:
                self.ares.host("durable").log.warning("work left behind can't be looked for: %s", error)

    async def call(self, tool: str, arguments: Mapping[str, Any] | None = None, *, id: str | None = None) -> Result:
        """Make one call that survives a crash; the same ``id`` again gives the outcome again."""
        payload = {"tool": tool, "arguments": dict(arguments or {})}
        return msgspec.convert(await self.run("ares_plugin_durable.jobs:call", payload, id=id), Result)

    async def ask(self, request: str, *, id: str | None = None) -> Result:
        """Plan a request in words, and run the plan's steps durably, each after those that it builds on."""
        return msgspec.convert(await self.run("ares_plugin_durable.jobs:ask", {"request": request}, id=id), Result)

    async def run(self, job: str, payload: Any = None, *, id: str | None = None) -> Any:
        """Run a job to its end, or wait for the one that has this id already."""
        return await self.result(await self.start(job, payload, id=id))

    async def start(self, job: str, payload: Any = None, *, id: str | None = None) -> str:
        """Start a job, unless there is one with this id already; gives the id."""
        work_of(job)
        name = id or uuid.uuid4().hex
        with SetWorkflowID(name):
            await DBOS.start_workflow_async(_job, job, payload)
        return name

    async def result(self, id: str) -> Any:
        """Wait for a job's result; raises what it raised."""
        handle: Any = await DBOS.retrieve_workflow_async(id)
        await self._endings.wait(id)
        return await handle.get_result(polling_interval_sec=POLL_SECONDS)

    async def run_call(self, call: Mapping[str, Any]) -> Any:
        """Make a call whose outcome is kept as plain data."""
        made = msgspec.convert(call, ToolCall)
        return plain(await (self.through_queue(made) if self.is_queued(made.name) else self.here(made)))

    async def here(self, call: ToolCall, **options: Any) -> Result:
        """Make a call in this process; one that is about to end leaves it to another, and ends after the call."""
        if self._leaving.is_set():
            await asyncio.Event().wait()
        self._working += 1
        try:
            return await self.ares.call(call, **options)
        finally:
            self._working -= 1

    def is_queued(self, name: str) -> bool:
        """Whether calls of a tool wait for their turn; one that is not here at all is refused like any other."""
        tool = self.ares.registry.get(name)
        return tool is not None and tool.name in self.queues

    async def through_queue(self, call: ToolCall) -> Result:
        """Have a call made when its turn among all processes has come, by whichever of them is free."""
        tool = self.ares.registry.get(call.name)
        if tool is None or tool.name not in self._served:
            raise UsageError(f"the tool {call.name!r:.80} has a queue; register it before this Durable is opened")
        id = f"call/{call.key or uuid.uuid4().hex}"
        handle: Any = await self.client.enqueue_async(
            {
                "workflow_name": "ares_call", "queue_name": queue_name(tool.name),
                "workflow_id": id, "app_version": VERSION,
            },
            plain(msgspec.structs.replace(call, effects=None)),
        )  # fmt: skip
        await self._endings.wait(id)
        return msgspec.convert(await handle.get_result(polling_interval_sec=POLL_SECONDS), Result)


def settings_of(ares: Ares) -> Settings:
    """Give the section ``durable``."""
    section = ares.host("durable").config
    return section if isinstance(section, Settings) else Settings()


def place(settings: Settings) -> str:
    """Give the URL of the database."""
    return settings.url or f"sqlite:///{os.path.join(state_dir(), FILE)}"


def queue_name(tool: str) -> str:
    """Give the name of a tool's queue."""
    return f"ares:{tool}"


def _limits(queue: Queue) -> dict[str, Any]:
    limits: dict[str, Any] = {"polling_interval_sec": POLL_SECONDS, "global_concurrency": queue.concurrency}
    if queue.rate is not None:
        many, _, unit = queue.rate.partition("/")
        limits["limiter"] = {"limit": int(many), "period": float(SECONDS[unit])}
    return limits


def _running() -> Durable:
    if _current is None:
        raise UsageError("no Durable is open in this process")
    return _current


@DBOS.workflow(name="ares_job")
async def _job(job: str, payload: Any) -> Any:
    return await work_of(job)(Job(_running(), str(DBOS.workflow_id)), payload)


@DBOS.workflow(name="ares_call")
async def _call(call: dict[str, Any]) -> Any:
    durable = _running()

    async def make() -> Any:
        return plain(await durable.here(msgspec.convert(call, ToolCall)))

    return await DBOS.run_step_async({"name": str(call.get("name"))}, make)


@DBOS.workflow(name=SCHEDULED)
async def _scheduled(at: datetime, context: Any) -> Any:
    return await work_of(context["job"])(Job(_running(), str(DBOS.workflow_id)), context["payload"])
