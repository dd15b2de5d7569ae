"""Evidence: one row per tool, folded in place, so that reading costs the same however long the history."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Sequence

from ares_core import Evidence, EvidenceRow
from ares_plugin_store_sqlite.buffer import Buffer
from ares_plugin_store_sqlite.database import Database
from ares_plugin_store_sqlite.text import storable

# In "n * 0.98 + 1", n is the value before this row.
FOLD = """
INSERT INTO evidence (tool, n, successes, failures, latency_ms, updated)
VALUES (:tool, 1, :success, 1 - :success, :declared + (:latency - :declared) / 6, :time)
ON CONFLICT (tool) DO UPDATE SET
  n = n * 0.98 + 1,
  successes = successes * 0.98 + :success,
  failures = failures * 0.98 + 1 - :success,
  latency_ms = latency_ms + (:latency - latency_ms) / (n * 0.98 + 1 + 5),
  updated = max(updated, :time)
"""


class SqliteEvidence:
    """An ``EvidenceStore`` in a database."""

    def __init__(self, database: Database, log: logging.Logger) -> None:
        self._database = database
        self._buffer = Buffer[EvidenceRow](self._write, log)

    def record(self, rows: Sequence[EvidenceRow]) -> None:
        """Take in outcomes, oldest first; they are written within half a second."""
        self._buffer.add(rows)

    def read(self, tool: str) -> Evidence:
        """Give what is known of a tool, from all processes."""
        self._buffer.flush()
        rows = self._database.read(
            "SELECT n, successes, failures, latency_ms FROM evidence WHERE tool = ?", (storable(tool),)
        )
        return Evidence(*rows[0]) if rows else Evidence()

    def all(self) -> dict[str, Evidence]:
        """Give what is known of every tool, by name."""
        self._buffer.flush()
        rows = self._database.read("SELECT tool, n, successes, failures, latency_ms FROM evidence ORDER BY tool")
        return {tool: Evidence(*numbers) for tool, *numbers in rows}

    def reset(self, tool: str | None = None) -> None:
        """Forget one tool, or all."""
        self._buffer.flush()
        if tool is None:
            self._database.write(lambda connection: connection.execute("DELETE FROM evidence"))
        else:
            name = storable(tool)
            self._database.write(lambda connection: connection.execute("DELETE FROM evidence WHERE tool = ?", (name,)))

    def close(self) -> None:
        """Write what is buffered and let go of the file."""
        self._buffer.close()
        self._database.close()

    def _write(self, rows: list[EvidenceRow]) -> None:
        outcomes = [_outcome(row) for row in rows]

        def fold(connection: sqlite3.Connection) -> None:
            connection.executemany(FOLD, outcomes)

        self._database.write(fold)


def _outcome(row: EvidenceRow) -> dict[str, object]:
    return {
        "tool": storable(row.tool),
        "success": int(row.success),
        "declared": row.declared_latency_ms,
        "latency": row.latency_ms,
        "time": row.time,
    }
