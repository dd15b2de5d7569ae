"""The tables, how they came about, and whether a file is one of ours."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ares_plugin_store_sqlite.errors import StoreError

APPLICATION = int.from_bytes(b"Ares")
MAGIC = b"SQLite format 3\x00"
# One statement, so that all three are of one moment: another process may be making the tables.
STAMP = (
    "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version), "
    "(SELECT count(*) FROM sqlite_master)"
)
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE evidence (tool TEXT PRIMARY KEY, n REAL NOT NULL, successes REAL NOT NULL, "
        "failures REAL NOT NULL, latency_ms REAL, updated REAL) WITHOUT ROWID",
        "CREATE TABLE events (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, execution_id TEXT NOT NULL, "
        "time REAL NOT NULL, tool TEXT NOT NULL, call_id TEXT, session TEXT, turn TEXT, parent TEXT, "
        "data TEXT NOT NULL)",
        # The only index: each more would double the cost of writing, and a scan of 100,000 events takes 30 ms.
        "CREATE INDEX events_by_time ON events (time)",
    ),
    (
        "CREATE TABLE ledger (key TEXT PRIMARY KEY, digest TEXT NOT NULL, tool TEXT NOT NULL, status TEXT NOT NULL, "
        "time REAL NOT NULL, owner TEXT NOT NULL, outcome TEXT NOT NULL)",
        "CREATE INDEX ledger_by_time ON ledger (time)",
        "CREATE TABLE approvals (id TEXT PRIMARY KEY, status TEXT NOT NULL, created REAL NOT NULL, "
        "expires REAL NOT NULL, data TEXT NOT NULL)",
    ),
    ("ALTER TABLE events ADD COLUMN run TEXT", "ALTER TABLE events ADD COLUMN node TEXT"),
)
"""One entry for each version of the schema, oldest first. Entries are added, never changed."""


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the tables up to date, in one transaction."""
    if version_of(connection) == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statements in MIGRATIONS[version_of(connection) :]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def version_of(connection: sqlite3.Connection) -> int:
    """Read the version of the tables, 0 for an empty file; refuse a file of another program or of a newer Ares."""
    application, version, tables = connection.execute(STAMP).fetchone()
    if application != APPLICATION and (application or version or tables):
        raise StoreError("it is the database of another program, and was left alone")
    if version > len(MIGRATIONS):
        raise StoreError(
            f"it was written by a newer version of Ares (schema {version}, this one knows {len(MIGRATIONS)}); "
            "update ares-plugin-store-sqlite"
        )
    return int(version)


def is_ours(path: Path) -> bool:
    """Whether a file, however damaged, still bears the mark of Ares in its header."""
    with path.open("rb") as file:
        header = file.read(100)
    return header.startswith(MAGIC) and header[68:72] == APPLICATION.to_bytes(4)
