"""Approvals: calls that wait for a person, each as one JSON document."""

from __future__ import annotations

import json
import sqlite3
import time
from typing import Any

import msgspec

from ares_core import PendingApproval
from ares_plugin_store_sqlite.database import Database
from ares_plugin_store_sqlite.text import storable

KEPT_SECONDS = 30 * 86_400
ADD = "INSERT OR REPLACE INTO approvals (id, status, created, expires, data) VALUES (?, ?, ?, ?, ?)"
CHANGE = "UPDATE approvals SET status = ?, data = ? WHERE id = ? AND status = ?"


class SqliteApprovals:
    """An ``ApprovalStore`` in a database; those that are over are kept for 30 days more."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, approval: PendingApproval) -> None:
        """Take in a new one, and forget those that have been over for long."""
        values = (approval.id, approval.status, approval.created, approval.expires, _text(approval))

        def add(connection: sqlite3.Connection) -> None:
            connection.execute(ADD, values)
            connection.execute("DELETE FROM approvals WHERE expires < ?", (time.time() - KEPT_SECONDS,))

        self._database.write(add)

    def get(self, id: str) -> PendingApproval | None:
        """Give one."""
        rows = self._database.read("SELECT data FROM approvals WHERE id = ?", (storable(id),))
        return _approval(rows[0]) if rows else None

    def list(self) -> list[PendingApproval]:
        """Give all, oldest first."""
        return [_approval(row) for row in self._database.read("SELECT data FROM approvals ORDER BY created, id")]

    def change(self, approval: PendingApproval, before: str) -> bool:
        """Put it in place of the one with its id if that still has the status ``before``."""
        values = (approval.status, _text(approval), approval.id, before)
        return self._database.write(lambda connection: connection.execute(CHANGE, values).rowcount) == 1

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()


def _text(approval: PendingApproval) -> str:
    return json.dumps(msgspec.to_builtins(approval))


def _approval(row: tuple[Any, ...]) -> PendingApproval:
    return msgspec.convert(json.loads(row[0]), PendingApproval)
