"""What is kept in the database: jobs and schedules, looked at and changed without doing any of the work."""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import threading
from collections.abc import Mapping
from contextlib import closing, suppress
from typing import Any, Self

from dbos import DBOS, DBOSClient, DBOSPortableJSONSerializer, error
from sqlalchemy import Connection, Engine, create_engine, event

from ares_core import ConfigError, UsageError
from ares_plugin_durable.outcomes import begun_with, row_of, what_of, whole
from ares_plugin_durable.work import SCHEDULED, stands, work_of

APPLICATION = "ares"
PORTABLE = DBOSPortableJSONSerializer()
TAKER = "queue-worker-"
"""How the names of the threads begin that take calls out of queues."""
POLL_SECONDS = 0.1
BUSY_SECONDS = 30
ENDED = frozenset({"SUCCESS", "ERROR"})
STOPPED = frozenset({"CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"})


class Forward(logging.Handler):
    """Hands what the engine logs to the log of Ares: a command line shows each as a line."""

    def emit(self, record: logging.LogRecord) -> None:
        """Hand on a record."""
        logging.getLogger("ares").handle(record)


class Kept:
    """The jobs and schedules of a database. Use it with ``async with`` or ``with``."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._engine: Engine | None = None
        self._client: DBOSClient | None = None

    def __enter__(self) -> Self:
        log = logging.getLogger("dbos")
        if not log.handlers:
            log.addHandler(Forward())
            log.propagate = False
        try:
            log.setLevel(logging.CRITICAL)  # what it says of a damaged file is said here, once
            self._open()
            log.setLevel(logging.ERROR)
        except Exception as error:
            self.__exit__()
            why = str(error).partition("\n")[0]
            raise ConfigError(f"durable.url: the database can't be used: {why}"[:300]) from None
        return self

    def _open(self) -> None:
        if self.url.startswith("sqlite:///"):
            _make(self.url.removeprefix("sqlite:///"))
        DBOS.migrate(self.url)
        self._engine = sqlite_engine(self.url) if self.url.startswith("sqlite:///") else None
        self._client = DBOSClient(
            system_database_url=self.url, system_database_engine=self._engine, serializer=PORTABLE,
            application_name=APPLICATION,
        )  # fmt: skip

    def __exit__(self, *error: object) -> None:
        if self._client is not None:
            self._client.destroy()
            self._client = None
        if self._engine is not None:
            self._engine.dispose()

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(self, *error: object) -> None:
        self.__exit__()

    @property
    def client(self) -> DBOSClient:
        """The way to the database; raises ``UsageError`` when it is closed."""
        if self._client is None:
            raise UsageError(f"this {type(self).__name__} is closed; use it with 'async with'")
        return self._client

    async def jobs(self, limit: int = 50) -> list[dict[str, Any]]:
        """List the newest jobs, newest first, with the status that each one's outcome has, or its work has now."""
        found = await self.client.list_workflows_async(limit=limit, sort_desc=True)
        return await asyncio.to_thread(lambda: [as_it_stands(one, row_of(one)) for one in found])

    async def show(self, id: str) -> dict[str, Any]:
        """Give a job with its outcome; of one whose work has gone on since, the status is that of now."""
        found = await self.client.list_workflows_async(workflow_ids=[id])
        if not found:
            raise _no_job(id)
        return await asyncio.to_thread(as_it_stands, found[0], whole(found[0]))

    async def cancel(self, id: str) -> None:
        """Stop a job before its next step."""
        if await self._status(id) in ENDED:
            raise UsageError(f"the job {id!r:.80} has ended already")
        await self.client.cancel_workflow_async(id)

    async def resume(self, id: str) -> str:
        """Let a job that was stopped go on, in whichever process is free; one that runs is left alone."""
        if await self._status(id) in STOPPED:
            await self.client.resume_workflow_async(id)
        return id

    async def _status(self, id: str) -> str:
        found = await self.client.list_workflows_async(workflow_ids=[id], load_input=False, load_output=False)
        if not found:
            raise _no_job(id)
        return str(found[0].status)

    async def schedule(self, name: str, cron: str, job: str, payload: Any = None) -> None:
        """Run a job again and again, at the times that ``cron`` says, in one of the processes.

        A schedule of the same name is replaced.
        """
        work_of(job)
        context = {"job": job, "payload": payload}
        try:
            await self.client.apply_schedules_async(
                [{"schedule_name": name, "workflow_name": SCHEDULED, "schedule": cron, "context": context}]
            )
        except error.DBOSException as wrong:
            why = f"{cron!r:.80} is no time such as '0 7 * * *' (minute, hour, day, month, weekday)"
            raise UsageError(f"the schedule {name!r:.80} can't be kept: {why}") from wrong
        await self._drop_queued(name)

    async def schedules(self) -> list[dict[str, Any]]:
        """List the schedules that are kept."""
        return [_schedule(one) for one in await self.client.list_schedules_async()]

    async def unschedule(self, name: str) -> bool:
        """Take a schedule out, and its runs that have not begun; tells whether there was one."""
        there = await self.client.get_schedule_async(name) is not None
        if there:
            await self.client.delete_schedule_async(name)
            await self._drop_queued(name)
        return there

    async def _drop_queued(self, name: str) -> None:
        waiting = await self.client.list_workflows_async(
            schedule_name=name, status=["ENQUEUED", "DELAYED"], load_input=False, load_output=False
        )
        if waiting:
            await self.client.cancel_workflows_async([one.workflow_id for one in waiting])


def _make(path: str) -> None:
    """Make the file, for its owner alone, so that those who read don't wait for those who write."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    with closing(sqlite3.connect(path, timeout=BUSY_SECONDS)) as file, suppress(sqlite3.OperationalError):
        file.execute("PRAGMA journal_mode=WAL")


def sqlite_engine(url: str) -> Engine:
    """Open a SQLite file for several processes.

    A queue's worker counts what runs and then takes what there is room for. Here both are in one transaction that no
    other process can be in; else two of them could take the same room.
    """
    engine = create_engine(url, pool_size=20, max_overflow=0, pool_timeout=BUSY_SECONDS)

    @event.listens_for(engine, "connect")
    def connect(connection: Any, record: Any) -> None:
        connection.isolation_level = "IMMEDIATE"
        connection.execute(f"PRAGMA busy_timeout={BUSY_SECONDS * 1000}")
        connection.execute("PRAGMA foreign_keys=ON")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if threading.current_thread().name.startswith(TAKER):
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def as_it_stands(kept: Any, row: dict[str, Any]) -> dict[str, Any]:
    """Put into a job's row what has become of its work since the job ended, such as a run that was resumed."""
    job, payload = begun_with(kept)
    now = stands(job, kept.workflow_id, payload, kept.output) if kept.status in ENDED | STOPPED else None
    if now is None:
        return row
    status, see = now
    since = {"since": f"it has gone on since it ended with this outcome; see {see!r}"} if "since" in row else {}
    return {**row, "status": "success" if status == "done" else status, **since}


def _schedule(kept: Mapping[str, Any]) -> dict[str, Any]:
    context = kept.get("context")
    job = context.get("job") if isinstance(context, Mapping) else str(context)
    what = what_of(context.get("payload")) if isinstance(context, Mapping) else ""
    return {"name": kept.get("schedule_name"), "schedule": kept.get("schedule"), "job": job, "what": what}


def _no_job(id: str) -> UsageError:
    return UsageError(f"there is no job {id!r:.80}; 'ares durable jobs' lists those that are kept")
