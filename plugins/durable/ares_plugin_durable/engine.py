"""The engine: jobs as DBOS workflows, their calls as steps, their queues and schedules.

A job is a function named by its import path, ``async def job(job: Job, payload) -> data``. What it does through
``job.call`` is kept step by step; after a crash the job runs again and gets what its finished steps gave.
"""

from __future__ import annotations

import importlib
import os
import re
import uuid
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Self

import msgspec
from dbos import DBOS, DBOSClient, SetWorkflowID
from dbos._serialization import DBOSPortableJSON

from ares_core import ConfigError, Result, ToolCall, UsageError, state_dir
from ares_plugin_durable import Queue, Settings

if TYPE_CHECKING:
    from ares_core import Ares

FILE = "durable.db"
SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}
JOB = re.compile(r"[\w.]{1,200}:\w{1,100}")
POLL_SECONDS = 0.1
VERSION = "ares-1"
Work = Callable[["Job", Any], Awaitable[Any]]
_current: Durable | None = None


class Job:
    """What a job is given: its id, the Ares, and a way to make calls that are kept."""

    def __init__(self, durable: Durable, id: str) -> None:
        self.durable = durable
        self.id = id
        self.ares = durable.ares
        self._count = 0

    async def call(self, tool: str, arguments: Mapping[str, Any] | None = None) -> Result:
        """Call a tool as a step of the job: what it gave is kept, and after a crash it is not made again."""
        self._count += 1
        key = f"{self.id}/{self._count}"
        call = msgspec.to_builtins(ToolCall(tool, dict(arguments or {}), f"step-{self._count}", key), enc_hook=str)
        made = await DBOS.run_step_async({"name": tool}, self.durable.run_call, call)
        return msgspec.convert(made, Result)

    @property
    def door(self) -> Door:
        """The Ares, with calls of tools that have a queue going through it: for engines with steps of their own."""
        return Door(self.durable)


class Door:
    """An Ares whose calls of tools with a queue wait for their turn among all processes."""

    def __init__(self, durable: Durable) -> None:
        self._durable = durable

    def __getattr__(self, name: str) -> Any:
        return getattr(self._durable.ares, name)

    def call(self, call: Any, arguments: Any = None, **options: Any) -> Awaitable[Result]:
        """Call a tool; one with a queue through the queue."""
        made = call if isinstance(call, ToolCall) else ToolCall(call, {} if arguments is None else arguments)
        if made.name in self._durable.queues:
            return self._durable.through_queue(made)
        return self._durable.ares.call(made, **options)


class Durable:
    """Durable work for one Ares; one at a time in a process. Use it with ``async with`` or ``with``.

    Jobs that a crash cut off go on when it begins. ``stores.ledger`` should name a store on disk: a call that was cut
    off while it changed something is then ``outcome_unknown`` instead of being made again.
    """

    def __init__(self, ares: Ares, url: str = "", queues: Mapping[str, Queue] | None = None) -> None:
        section = ares.host("durable").config
        settings = section if isinstance(section, Settings) else Settings()
        self.ares = ares
        self.url = url or settings.url or f"sqlite:///{os.path.join(state_dir(), FILE)}"
        self.queues: Mapping[str, Queue] = {**settings.queues, **(queues or {})}
        self._client: DBOSClient | None = None

    def __enter__(self) -> Self:
        global _current  # noqa: PLW0603 - DBOS itself is one in a process
        if _current is not None:
            raise UsageError("there is a Durable in this process already; close it first")
        self.ares.ready()
        DBOS(config={
            "name": "ares", "system_database_url": self.url, "log_level": "ERROR", "executor_id": "local",
            "application_version": VERSION, "serializer": DBOSPortableJSON,
        })  # fmt: skip
        _current = self
        try:
            if self.url.startswith("sqlite:///"):
                os.makedirs(os.path.dirname(self.url.removeprefix("sqlite:///")), mode=0o700, exist_ok=True)
            DBOS.launch()
            self._client = DBOSClient(system_database_url=self.url, serializer=DBOSPortableJSON)
            for tool, queue in self.queues.items():
                self._client.register_queue(queue_name(tool), **_limits(queue))
        except Exception as error:
            self.__exit__()
            raise ConfigError(f"durable.url: the database can't be used: {error}"[:300]) from None
        return self

    def __exit__(self, *error: object) -> None:
        global _current  # noqa: PLW0603 - as above
        if _current is self:
            _current = None
            if self._client is not None:
                self._client.destroy()
            DBOS.destroy()

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(self, *error: object) -> None:
        self.__exit__()

    async def call(self, tool: str, arguments: Mapping[str, Any] | None = None, *, id: str | None = None) -> Result:
        """Make one call that survives a crash; the same ``id`` again gives the outcome again."""
        made = await self.run(
            "ares_plugin_durable.jobs:call", {"tool": tool, "arguments": dict(arguments or {})}, id=id
        )
        return msgspec.convert(made, Result)

    async def ask(self, request: str, *, id: str | None = None) -> Result:
        """Plan a request in words, and run the plan's steps durably, each after those that it builds on."""
        made = await self.run("ares_plugin_durable.jobs:ask", {"request": request}, id=id)
        return msgspec.convert(made, Result)

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
        return await handle.get_result(polling_interval_sec=POLL_SECONDS)

    async def cancel(self, id: str) -> None:
        """Stop a job before its next step."""
        await _exists(id)
        await DBOS.cancel_workflow_async(id)

    async def resume(self, id: str) -> str:
        """Let a job that was cancelled go on."""
        await _exists(id)
        await DBOS.resume_workflow_async(id)
        return id

    async def schedule(self, name: str, cron: str, job: str, payload: Any = None) -> None:
        """Run a job again and again, at the times that ``cron`` says, in one of the processes.

        A schedule of the same name is replaced.
        """
        work_of(job)
        await self.unschedule(name)
        try:
            await DBOS.create_schedule_async(
                schedule_name=name, workflow_fn=_scheduled, schedule=cron, context={"job": job, "payload": payload}
            )
        except Exception as error:
            raise UsageError(f"the schedule {name!r:.80} can't be kept: {error}"[:300]) from None

    async def schedules(self) -> list[dict[str, Any]]:
        """List the schedules that are kept."""
        found: Any = await DBOS.list_schedules_async()
        return [_schedule(one) for one in found]

    async def unschedule(self, name: str) -> bool:
        """Take a schedule out; tells whether there was one."""
        there = await DBOS.get_schedule_async(name) is not None
        if there:
            await DBOS.delete_schedule_async(name)
        return there

    async def jobs(self, limit: int = 50) -> list[dict[str, Any]]:
        """List the newest jobs, newest first."""
        found = await DBOS.list_workflows_async(limit=limit, sort_desc=True, load_input=True, load_output=False)
        return [{"id": one.workflow_id, "status": one.status.lower(), "job": _job_of(one)} for one in found]

    async def run_call(self, call: Mapping[str, Any]) -> Any:
        """Make a call whose outcome is kept as plain data."""
        made = msgspec.convert(call, ToolCall)
        result = await (self.through_queue(made) if made.name in self.queues else self.ares.call(made))
        return msgspec.to_builtins(result, enc_hook=str)

    async def through_queue(self, call: ToolCall) -> Result:
        """Have a call made when its turn among all processes has come, by whichever of them is free."""
        if self._client is None:
            raise UsageError("this Durable is closed; use it with 'async with'")
        name = call.key or uuid.uuid4().hex
        plain = msgspec.to_builtins(msgspec.structs.replace(call, effects=None), enc_hook=str)
        handle: Any = await self._client.enqueue_async(
            {
                "workflow_name": "ares_call", "queue_name": queue_name(call.name), "workflow_id": f"call/{name}",
                "app_version": VERSION,
            },
            plain,
        )  # fmt: skip
        return msgspec.convert(await handle.get_result(polling_interval_sec=POLL_SECONDS), Result)


def queue_name(tool: str) -> str:
    """Give the name of a tool's queue."""
    return f"ares:{tool}"


def _limits(queue: Queue) -> dict[str, Any]:
    limits: dict[str, Any] = {"polling_interval_sec": POLL_SECONDS, "global_concurrency": queue.concurrency}
    if queue.rate is not None:
        many, _, unit = queue.rate.partition("/")
        limits["limiter"] = {"limit": int(many), "period": float(SECONDS[unit])}
    return limits


def work_of(job: str) -> Work:
    """Import the function that a job names; raises ``UsageError`` in a sentence."""
    if not isinstance(job, str) or not JOB.fullmatch(job):
        raise UsageError(f"a job is named 'module:function', not {job!r:.80}")
    module, _, name = job.partition(":")
    try:
        found: Work = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"the job {job} can't be imported: {error}") from None
    return found


def _running() -> Durable:
    if _current is None:
        raise UsageError("no Durable is open in this process")
    return _current


@DBOS.workflow(name="ares_job")
async def _job(job: str, payload: Any) -> Any:
    return await work_of(job)(Job(_running(), str(DBOS.workflow_id)), payload)


@DBOS.workflow(name="ares_call")
async def _call(call: dict[str, Any]) -> Any:
    async def make() -> Any:
        made = msgspec.convert(call, ToolCall)
        return msgspec.to_builtins(await _running().ares.call(made), enc_hook=str)

    return await DBOS.run_step_async({"name": str(call.get("name"))}, make)


@DBOS.workflow(name="ares_scheduled")
async def _scheduled(at: datetime, context: Any) -> Any:
    return await work_of(context["job"])(Job(_running(), str(DBOS.workflow_id)), context["payload"])


async def _exists(id: str) -> None:
    if await DBOS.get_workflow_status_async(id) is None:
        raise UsageError(f"there is no job {id!r:.80}; 'ares durable jobs' lists those that are kept")


def _schedule(kept: Any) -> dict[str, Any]:
    found = dict(kept) if isinstance(kept, Mapping) else vars(kept)
    context = found.get("context")
    job = context.get("job") if isinstance(context, Mapping) else str(context)
    return {"name": found.get("schedule_name"), "schedule": found.get("schedule"), "job": job}


def _job_of(status: Any) -> str:
    given = status.input["args"] if status.input else ()
    return str(given[0]) if given and status.name == "ares_job" else str(status.name)
