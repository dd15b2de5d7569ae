"""The ledger: which calls were begun under which key, by whom, and what came of them."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Sequence
from typing import Any

from ares_core import LedgerRow, counted
from ares_plugin_store_sqlite.database import Database
from ares_plugin_store_sqlite.owners import Owner, bury, is_alive
from ares_plugin_store_sqlite.text import storable

MOST = 100_000
"""How many settled calls are kept; those of unknown outcome are kept for good."""
EVERY = 1_000
INSERT = "INSERT INTO ledger (key, digest, tool, status, time, owner, outcome) VALUES (?, ?, ?, ?, ?, ?, ?)"
SELECT = "SELECT key, digest, tool, status, time, outcome, owner FROM ledger WHERE key = ?"
SETTLE = f"{INSERT} ON CONFLICT (key) DO UPDATE SET status = excluded.status, outcome = excluded.outcome"
BREAK_OFF = "UPDATE ledger SET status = 'unknown' WHERE status = 'claimed' AND owner = ?"
RETAIN = (
    "DELETE FROM ledger WHERE status IN ('done', 'failed') AND "
    "time < (SELECT time FROM ledger ORDER BY time DESC LIMIT 1 OFFSET ?)"
)


class SqliteLedger:
    """A ``LedgerStore`` in a database. Every word of it is on the disk before the call goes on."""

    def __init__(self, database: Database, log: logging.Logger) -> None:
        self._database = database
        self._settled = 0
        for name in bury(database.path):
            count = self._break_off(name)
            if count:
                log.warning("%s broken off when the process ended; the outcome is unknown", counted(count, "call"))
        self._owner = Owner(database.path)

    def find(self, key: str) -> LedgerRow | None:
        """Give the row of a key; a claim whose process lives no more is of unknown outcome."""
        rows = self._database.read(SELECT, (storable(key),))
        return self._checked(rows[0]) if rows else None

    def claim(self, row: LedgerRow) -> LedgerRow | None:
        """Put the row in its place if the key has none; otherwise give the one that is there."""
        values = self._values(row)

        def insert(connection: sqlite3.Connection) -> Sequence[Any] | None:
            there: Sequence[Any] | None = connection.execute(SELECT, values[:1]).fetchone()
            if there is None:
                connection.execute(INSERT, values)
            return there

        there = self._database.write(insert)
        return None if there is None else self._checked(there)

    def settle(self, row: LedgerRow) -> None:
        """Put the outcome in place of the claim."""
        values = self._values(row)
        self._settled += 1
        retain = self._settled % EVERY == 1

        def settle(connection: sqlite3.Connection) -> None:
            connection.execute(SETTLE, values)
            if retain:
                connection.execute(RETAIN, (MOST,))

        self._database.write(settle)

    def release(self, key: str) -> None:
        """Take back a claim of this process whose call did not begin."""
        wanted = (storable(key), self._me().name)
        self._database.write(
            lambda connection: connection.execute(
                "DELETE FROM ledger WHERE key = ? AND owner = ? AND status = 'claimed'", wanted
            )
        )

    def close(self) -> None:
        """Let go; claims that are still open are of unknown outcome from here on."""
        self._owner.close()
        self._database.close()

    def _me(self) -> Owner:
        if self._owner.process != os.getpid():  # a fork: the lock stayed with the parent
            self._owner = Owner(self._database.path)
        return self._owner

    def _checked(self, found: Sequence[Any]) -> LedgerRow:
        *values, owner = found
        row = LedgerRow(values[0], values[1], values[2], values[3], values[4], values[5])
        if row.status != "claimed" or owner == self._me().name or is_alive(self._database.path, owner):
            return row
        self._break_off(owner)
        return self._again(row)

    def _again(self, row: LedgerRow) -> LedgerRow:
        rows = self._database.read(SELECT, (row.key,))
        return LedgerRow(*rows[0][:6]) if rows else LedgerRow(row.key, row.digest, row.tool, "unknown", row.time)

    def _break_off(self, owner: str) -> int:
        return self._database.write(lambda connection: connection.execute(BREAK_OFF, (owner,)).rowcount)

    def _values(self, row: LedgerRow) -> tuple[Any, ...]:
        key, tool, outcome = storable(row.key), storable(row.tool), storable(row.outcome)
        return key, row.digest, tool, row.status, row.time, self._me().name, outcome
