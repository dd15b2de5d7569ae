"""What is known of a sub-agent's work, in memory and in the file."""

from __future__ import annotations

import logging
import time
from typing import Any, Literal

import msgspec
from msgspec import Struct

from ares_core import ToolError
from ares_plugin_agent_tools.cleaning import cleaned, cut
from ares_plugin_agent_tools.database import Database

Status = Literal["running", "done", "failed", "waiting", "interrupted", "lost"]
LONGEST = 50_000
KEPT = 200
KEPT_SECONDS = 7 * 86_400
SLACK_SECONDS = 60.0


class Record(Struct, frozen=True):
    """How a sub-agent's work stands. ``until`` is when it ends at the latest; times are seconds since the epoch."""

    handle: str
    task: str
    begun: float
    until: float
    session: str
    status: Status = "running"
    outcome: str = ""
    text: str = ""
    said: str = ""
    turns: int = 0
    calls: int = 0
    tokens: int = 0
    ended: float | None = None
    approvals: tuple[str, ...] = ()


STATUSES: dict[str, Status] = {"final": "done", "done": "done", "approval_required": "waiting",
                               "cancelled": "interrupted"}  # fmt: skip


def of_run(record: Record, run: Any) -> Record:
    """Say what became of a run: a text, or a value with outcome and text."""
    outcome = str(getattr(run, "outcome", "final"))
    numbers = {name: _count(getattr(run, name, 0)) for name in ("turns", "calls", "tokens")}
    return msgspec.structs.replace(
        record, status=STATUSES.get(outcome, "failed"), outcome=cleaned(outcome)[:64], ended=time.time(),
        text=cleaned(cut(str(getattr(run, "text", run)), LONGEST)), said=cleaned(cut(_said(run), LONGEST)),
        approvals=tuple(cleaned(str(one)) for one in getattr(run, "approvals", ())), **numbers,
    )  # fmt: skip


def ended(record: Record, status: Status, why: str, run: Any = None) -> Record:
    """Say that a sub-agent ended without an answer of its own, and what it had said until then."""
    known = record if run is None else of_run(record, run)
    return msgspec.structs.replace(known, status=status, text=cleaned(cut(why, LONGEST)), ended=time.time())


def _said(run: Any) -> str:
    said = getattr(run, "said", "")
    return said if isinstance(said, str) and said != getattr(run, "text", None) else ""


def _count(value: Any) -> int:
    return value if isinstance(value, int) and 0 <= value < 2**53 else 0


class Records:
    """The records in the file; where it can't be used they last as long as the process, with a word in the log."""

    def __init__(self, database: Database, log: logging.Logger) -> None:
        self._database = database
        self._log = log

    def keep(self, owner: str, record: Record) -> None:
        """Write a record down, in the place of what was known of this work; the oldest are forgotten."""
        values = (record.handle, owner, record.begun, record.status, msgspec.json.encode(record))

        def keep(connection: Any) -> None:
            connection.execute("INSERT OR REPLACE INTO delegations VALUES (?, ?, ?, ?, ?)", values)
            connection.execute(
                "DELETE FROM delegations WHERE begun < ? OR owner = ? AND handle NOT IN "
                "(SELECT handle FROM delegations WHERE owner = ? ORDER BY begun DESC LIMIT ?)",
                (time.time() - KEPT_SECONDS, owner, owner, KEPT),
            )

        try:
            self._database.write(keep)
        except ToolError as error:
            self._log.warning("what sub-agent %s did lasts only as long as this process: %s", record.handle, error)

    def find(self, owner: str, handle: str) -> Record | None:
        """Give what was written down of one."""
        rows = self._rows("SELECT document FROM delegations WHERE owner = ? AND handle = ?", owner, handle)
        return rows[0] if rows else None

    def newest(self, owner: str) -> list[Record]:
        """Give the newest, newest first."""
        return self._rows("SELECT document FROM delegations WHERE owner = ? ORDER BY begun DESC LIMIT 50", owner)

    def _rows(self, sql: str, *values: str) -> list[Record]:
        try:
            rows = self._database.read(sql, *values)
        except ToolError as error:
            self._log.warning("what earlier sub-agents did can't be read: %s", error)
            return []
        return [_as_it_stands(msgspec.json.decode(row[0], type=Record)) for row in rows]


def _as_it_stands(record: Record) -> Record:
    """Tell of one that should have ended long ago, and does not run here, that its process ended before it."""
    if record.status == "running" and time.time() > record.until + SLACK_SECONDS:
        return ended(record, "lost", "The process that it ran in ended before it did.")
    return record
