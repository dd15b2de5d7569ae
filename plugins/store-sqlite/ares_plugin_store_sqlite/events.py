"""Events: the newest of them, as many as the configuration says."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from typing import Any

from ares_core import Event
from ares_plugin_store_sqlite.database import Database
from ares_plugin_store_sqlite.text import storable

LARGEST_DATA = 65_536
INSERT = (
    "INSERT INTO events (kind, execution_id, time, tool, call_id, session, turn, parent, data, run, node) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
SELECT = "SELECT kind, execution_id, time, tool, call_id, session, turn, parent, data, run, node FROM events WHERE"
PAGE = "SELECT kind, execution_id, time, tool, call_id, session, turn, parent, data, run, node, id FROM events WHERE"
PAGE_ROWS = 5_000
DAY = 86_400.0
NEWEST = "ORDER BY time DESC, id DESC LIMIT ?"
RETAIN = "DELETE FROM events WHERE id <= (SELECT max(id) FROM events) - ?"
RETAIN_AGE = "DELETE FROM events WHERE time < ?"
LATEST = 253_402_300_799.0
"""The last second that has a date."""
FAULTS = {
    "the data of event {} is no JSON object": (
        "SELECT id FROM events WHERE CASE WHEN json_valid(data) THEN json_type(data) ELSE '' END != 'object' LIMIT 20"
    ),
    "the time of event {} is none": (
        "SELECT id FROM events WHERE typeof(time) NOT IN ('real', 'integer') OR NOT time BETWEEN 0 AND 253402300799 "
        "LIMIT 20"
    ),
    "the kind of event {} is none": "SELECT id FROM events WHERE kind NOT GLOB '[a-z]*' LIMIT 20",
}
"""What may be wrong with an event, and how it is looked for."""


class SqliteEvents:
    """An ``EventStore`` in a database, for whoever brings events in batches: each is one transaction.

    What is older than ``max_age_days`` goes, and the oldest beyond ``max_events``; the room is used again.
    """

    def __init__(self, database: Database, max_events: int, max_age_days: float | None = None) -> None:
        self._database = database
        self._max_events = max_events
        self._max_age_days = max_age_days

    def append(self, events: Sequence[Event]) -> None:
        """Write events, oldest first; raises when that can't be done."""
        rows = [_row(event) for event in events]

        def insert(connection: sqlite3.Connection) -> None:
            connection.executemany(INSERT, rows)
            connection.execute(RETAIN, (self._max_events,))
            if self._max_age_days is not None:
                connection.execute(RETAIN_AGE, (time.time() - self._max_age_days * DAY,))

        if rows:
            self._database.write(insert)

    def query(
        self, *, limit: int = 50, tool: str | None = None, session: str | None = None,
        execution_id: str | None = None, run: str | None = None,
    ) -> list[Event]:  # fmt: skip
        """Give the newest ``limit`` events that fit, oldest first, from all processes."""
        asked = {"tool": tool, "session": session, "execution_id": execution_id, "run": run}
        wanted = {column: storable(value) for column, value in asked.items() if value is not None}
        fitting = " AND ".join(f"{column} = ?" for column in wanted) or "TRUE"
        rows = self._database.read(f"{SELECT} {fitting} {NEWEST}", (*wanted.values(), max(limit, 0)))
        return [_event(row) for row in reversed(rows)]

    def read(
        self, *, run_below: str | None = None, since: float | None = None, until: float | None = None,
        after: int = 0, **wanted: str | None,
    ) -> Iterator[Event]:  # fmt: skip
        """Give every event that fits, in the order in which they were written, page by page.

        ``run_below`` is a run with those inside it; the others are those of ``query``, and the first and last time.
        """
        asked: dict[str, tuple[Any, ...]] = {
            f"{name} = ?": (storable(value),) for name, value in wanted.items() if value is not None
        }
        asked |= {"time >= ?": (since,)} if since is not None else {}
        asked |= {"time <= ?": (until,)} if until is not None else {}
        if run_below is not None:
            asked["(run = ? OR (run >= ? AND run < ?))"] = (run_below, f"{run_below}/", f"{run_below}0")
        fitting = " AND ".join(["id > ?", *asked])
        values = [value for given in asked.values() for value in given]
        while True:
            rows = self._database.read(f"{PAGE} {fitting} ORDER BY id LIMIT ?", (after, *values, PAGE_ROWS))
            yield from (_event(row) for row in rows)
            if len(rows) < PAGE_ROWS:
                return
            after = rows[-1][-1]

    def check(self) -> list[str]:
        """Say what is damaged in the file."""
        found = [row[0] for row in self._database.read("PRAGMA quick_check(20)") if row[0] != "ok"]
        return found + [says.format(row[0]) for says, sql in FAULTS.items() for row in self._database.read(sql)]

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()


def _row(event: Event) -> tuple[Any, ...]:
    texts = (event.tool, event.call_id, event.session, event.turn, event.parent)
    whole = (event.run, event.node)
    return (
        event.kind, storable(event.execution_id), event.time, *map(_optional, texts), _json(event.data),
        *map(_optional, whole),
    )  # fmt: skip


def _optional(text: str | None) -> str | None:
    return None if text is None else storable(text)


def _event(row: Sequence[Any]) -> Event:
    values: Any = (*row[:2], _time(row[2]), *row[3:8], _data(row[8]), *row[9:11])
    return Event(*values)


def _time(value: Any) -> float:
    return value if isinstance(value, int | float) and 0 <= value <= LATEST else 0.0


def _data(text: Any) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {"damaged": "what was kept here can't be read"}


def _json(data: dict[str, Any]) -> str:
    text = json.dumps(data, default=str)
    if len(text) > LARGEST_DATA:
        return json.dumps({"omitted": f"{len(text)} characters of data, more than the {LARGEST_DATA} that are kept"})
    return text
