"""The engine: jobs as DBOS workflows, their calls as steps, their queues and schedules.

A job is a function named by its import path, ``async def job(job: Job, payload) -> data``. What it does through
``job.call`` is kept step by step; after a crash the job runs again and gets what its finished steps gave.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self

import msgspec
from dbos import DBOS, SetWorkflowID

from ares_core import Result, ToolCall, UsageError, state_dir
from ares_plugin_durable import Queue, Settings
from ares_plugin_durable.endings import Endings
from ares_plugin_durable.kept import APPLICATION, ENDED, POLL_SECONDS, PORTABLE, STOPPED, Kept
from ares_plugin_durable.making import FINISHING, TAKE_SECONDS, WATCH, Making, end_takers
from ares_plugin_durable.outcomes import KeyConflict, begun_with, canonical, failure_of, row_of
from ares_plugin_durable.processes import Processes, among
from ares_plugin_durable.queues import limits_of, queue_name
from ares_plugin_durable.steps import Job, plain
from ares_plugin_durable.work import SCHEDULED, work_of

if TYPE_CHECKING:
    from ares_core import Ares

FILE = "durable.db"
LOOK_SECONDS = 5.0
"""How often a process looks for work that another one has left behind."""
MOMENTS = 20
"""How often it is looked whether a job has ended whose last call has."""
CALL, ASK = "ares_plugin_durable.jobs:call", "ares_plugin_durable.jobs:ask"
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
        self._making = Making()
        self._endings = Endings(self._in_states)

    def _open(self) -> None:
        self.ares.ready()
        super()._open()
        self._processes = among(self.url)
        self._dbos = DBOS(config={
            "name": APPLICATION, "system_database_url": self.url, "system_database_engine": self._engine,
            "run_migrations": False, "log_level": "CRITICAL", "executor_id": self._processes.id,
            "application_version": VERSION, "serializer": PORTABLE,
            "notification_listener_polling_interval_sec": POLL_SECONDS, "scheduler_polling_interval_sec": 1.0,
        })  # fmt: skip
        self._served = frozenset(tool for tool in self.queues if self.ares.registry.get(tool) is not None)
        DBOS.listen_queues([queue_name(tool) for tool in self._served])
        for tool, queue in self.queues.items():
            self.client.register_queue(queue_name(tool), **limits_of(queue))
        self._making.begin()
        DBOS.launch()
        self._look()
        self._endings = Endings(self._in_states)
        threading.Thread(target=self._look_again, name=WATCH, daemon=True).start()

    def __enter__(self) -> Self:
        global _current  # noqa: PLW0603 - DBOS itself is one in a process
        if _current is not None:
            raise UsageError("there is a Durable in this process already; close it first")
        _current = self
        return super().__enter__()

    def __exit__(self, *error: object) -> None:
        try:
            self._take_no_more()
            for pause in self._making.waits():
                time.sleep(pause)
        finally:
            self._close()

    async def __aexit__(self, *error: object) -> None:
        try:
            await asyncio.to_thread(self._take_no_more)  # they hand what they have taken to this loop
            for pause in self._making.waits():
                await asyncio.sleep(pause)
            await self._leave_jobs()
        finally:
            self._close()

    def _close(self) -> None:
        global _current  # noqa: PLW0603 - as above
        if _current is not self:
            return
        _current = None
        self._take_no_more()
        self._endings.close()
        DBOS.destroy()
        super().__exit__()
        if self._processes is not None:
            self._processes.close()

    def _take_no_more(self) -> None:
        """End the threads that take up work: one that comes late would take a call that nobody makes."""
        self._making.leaving.set()
        if self._dbos is not None:
            for event in self._dbos.background_thread_stop_events:
                event.set()
        end_takers()

    async def _leave_jobs(self) -> None:
        """Stop the jobs of this loop between two calls; they go on at the next start, or in another process."""
        tasks = self._dbos._workflow_tasks if self._dbos is not None else ()  # noqa: SLF001 - it has no public name
        mine = [task for task in tasks if task.get_loop() is asyncio.get_running_loop()]
        for task in mine:
            task.cancel()
        if mine:
            await asyncio.wait(mine, timeout=TAKE_SECONDS)

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
        while not self._making.leaving.wait(LOOK_SECONDS):
            try:
                self._look()
            except Exception as error:
                self.ares.host("durable").log.warning("work left behind can't be looked for: %s", error)

    async def call(self, tool: str, arguments: Mapping[str, Any] | None = None, *, id: str | None = None) -> Result:
        """Make one call that survives a crash; the same ``id`` again gives the outcome again.

        With other arguments it is refused as ``key_conflict``.
        """
        return await self._result(CALL, {"tool": tool, "arguments": dict(arguments or {})}, id)

    async def ask(self, request: str, *, id: str | None = None) -> Result:
        """Plan a request in words, and run the plan's steps durably, each after those that it builds on."""
        return await self._result(ASK, {"request": request}, id)

    async def _result(self, job: str, payload: Any, id: str | None) -> Result:
        try:
            return msgspec.convert(await self.run(job, payload, id=id), Result)
        except KeyConflict as conflict:
            return conflict.result

    async def run(self, job: str, payload: Any = None, *, id: str | None = None) -> Any:
        """Run a job to its end, or wait for the one that has this id already."""
        return await self.result(await self.start(job, payload, id=id))

    async def start(self, job: str, payload: Any = None, *, id: str | None = None) -> str:
        """Start a job, unless there is one with this id already; gives the id.

        Raises ``KeyConflict`` if that one has another input.
        """
        work_of(job)
        name = id or uuid.uuid4().hex
        with SetWorkflowID(name):
            await DBOS.start_workflow_async(_job, job, payload)
        if id:
            there = (await self.client.list_workflows_async(workflow_ids=[id], load_output=False))[0]
            if canonical(begun_with(there)) != canonical((job, json.loads(PORTABLE.serialize(payload)))):
                raise KeyConflict(id, row_of(there))
        return name

    async def result(self, id: str) -> Any:
        """Wait for a job's result; raises what it raised."""
        handle: Any = await DBOS.retrieve_workflow_async(id)
        await self._endings.wait(id)
        return await handle.get_result(polling_interval_sec=POLL_SECONDS)

    async def attend(self, id: str, tell: Callable[[str], None]) -> Any:
        """Wait for a job's result in place of a person, who is told what becomes of it when that is cancelled.

        The calls in progress are finished first. A job that they end still gives its result.
        """
        try:
            return await self.result(id)
        except asyncio.CancelledError:
            if not await self._has_finished(id, tell):
                tell(f"{id} goes on at the next start: ares durable resume {id}")
                raise
        return await self.result(id)

    async def _has_finished(self, id: str, tell: Callable[[str], None]) -> bool:
        if self._making.count:
            tell(FINISHING)
        try:
            for pause in self._making.waits():
                await asyncio.sleep(pause)
            for _ in range(MOMENTS):
                if await self._status(id) in ENDED | STOPPED or self._making.held:
                    break
                await asyncio.sleep(POLL_SECONDS)
        except asyncio.CancelledError:
            self._making.is_hurried = True
            return False
        return await self._status(id) in ENDED | STOPPED

    @property
    def is_making(self) -> bool:
        """Whether calls are being made in this process."""
        return self._making.count > 0

    async def run_call(self, call: Mapping[str, Any]) -> Any:
        """Make a call whose outcome is kept as plain data."""
        made = msgspec.convert(call, ToolCall)
        return plain(await (self.through_queue(made) if self.is_queued(made.name) else self.here(made)))

    async def here(self, call: ToolCall, **options: Any) -> Result:
        """Make a call in this process; one that is about to end leaves it to another, and ends after the call."""
        return await self._making.make(lambda: self.ares.call(call, **options))

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
    id, durable = str(DBOS.workflow_id), _running()
    log = durable.ares.host("durable").log
    try:
        outcome = await work_of(context["job"])(Job(durable, id), context["payload"])
    except Exception as error:
        log.warning("the run %s failed: %s", id, error)
        raise
    if code := failure_of(outcome):
        log.warning("the run %s failed: %s; see it with 'ares durable show %s'", id, code, id)
    return outcome
