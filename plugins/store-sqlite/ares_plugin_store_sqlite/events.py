"""Events: the newest of them, as many as the configuration says."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Sequence
from typing import Any

from ares_core import Event
from ares_plugin_store_sqlite.buffer import Buffer
from ares_plugin_store_sqlite.database import Database
from ares_plugin_store_sqlite.text import storable

LARGEST_DATA = 65_536
INSERT = (
    "INSERT INTO events (kind, execution_id, time, tool, call_id, session, turn, parent, data, run, node) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
SELECT = "SELECT kind, execution_id, time, tool, call_id, session, turn, parent, data, run, node FROM events WHERE"
NEWEST = "ORDER BY time DESC, id DESC LIMIT ?"
RETAIN = "DELETE FROM events WHERE id <= (SELECT max(id) FROM events) - ?"


class SqliteEvents:
    """An ``EventStore`` in a database."""

    def __init__(self, database: Database, log: logging.Logger, max_events: int) -> None:
        self._database = database
        self._max_events = max_events
        self._buffer = Buffer[Event](self._write, log)

    def append(self, events: Sequence[Event]) -> None:
        """Take in events, oldest first; they are written within half a second."""
        self._buffer.add(events)

    def query(
        self, *, limit: int = 50, tool: str | None = None, session: str | None = None,
        execution_id: str | None = None, run: str | None = None,
    ) -> list[Event]:  # fmt: skip
        """Give the newest ``limit`` events that fit, oldest first, from all processes."""
        self._buffer.flush()
        asked = {"tool": tool, "session": session, "execution_id": execution_id, "run": run}
        wanted = {column: storable(value) for column, value in asked.items() if value is not None}
        fitting = " AND ".join(f"{column} = ?" for column in wanted) or "TRUE"
        rows = self._database.read(f"{SELECT} {fitting} {NEWEST}", (*wanted.values(), max(limit, 0)))
        return [_event(row) for row in reversed(rows)]

    def check(self) -> list[str]:
        """Say what is damaged in the file."""
        return [row[0] for row in self._database.read("PRAGMA quick_check(20)") if row[0] != "ok"]

    def close(self) -> None:
        """Write what is buffered and let go of the file."""
        self._buffer.close()
        self._database.close()

    def _write(self, events: list[Event]) -> None:
        rows = [_row(event) for event in events]

        def insert(connection: sqlite3.Connection) -> None:
            connection.executemany(INSERT, rows)
            connection.execute(RETAIN, (self._max_events,))

        self._database.write(insert)


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
    values: Any = (*row[:8], json.loads(row[8]), *row[9:])
    return Event(*values)


def _json(data: dict[str, Any]) -> str:
    text = json.dumps(data, default=str)
    if len(text) > LARGEST_DATA:
        return json.dumps({"omitted": f"{len(text)} characters of data, more than the {LARGEST_DATA} that are kept"})
    return text
