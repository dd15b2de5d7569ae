"""The file that memories and the findings of sub-agents are kept in; any number of processes may share it."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from ares_core import ToolError, state_dir

if TYPE_CHECKING:
    import sqlite3

FILE = "agent-tools.db"
APPLICATION = int.from_bytes(b"AreT")
VERSION = 1
BUSY_SECONDS = 10.0
SCHEMA = """
CREATE TABLE memories (
    id INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, namespace TEXT NOT NULL, text TEXT NOT NULL,
    added REAL NOT NULL, changed REAL NOT NULL, UNIQUE (owner, namespace, text)
);
CREATE VIRTUAL TABLE memory_words USING fts5 (space, words, tokenize = "porter unicode61 remove_diacritics 2");
CREATE TABLE delegations (
    handle TEXT PRIMARY KEY, owner TEXT NOT NULL, begun REAL NOT NULL, status TEXT NOT NULL, document BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX delegations_begun ON delegations (owner, begun)
"""
T = TypeVar("T")
_left_to_the_parent: list[sqlite3.Connection] = []
"""What was open when this process was forked off; it is not even to be closed here."""


class Database:
    """One connection for all threads, opened when it is first needed."""

    def __init__(self, path: str) -> None:
        self._given = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._process = 0

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do some work in one transaction, which waits for those of other processes; all of it counts, or nothing."""
        return self._safely(lambda connection: _transact(connection, work))

    def read(self, sql: str, *values: Any) -> list[Any]:
        """Give the rows of a query."""
        return self._safely(lambda connection: connection.execute(sql, values).fetchall())

    def close(self) -> None:
        """Let the file go."""
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    def _safely(self, work: Callable[[sqlite3.Connection], T]) -> T:
        import sqlite3

        with self._lock:
            try:
                return work(self._current())
            except (OSError, sqlite3.Error) as error:
                raise ToolError(
                    f"the file {self._path()} can't be used: {error}; nothing was changed",
                    hint="Whoever runs Ares can mend that, or name another file in agent_tools.path.", blame="world",
                ) from error  # fmt: skip

    def _current(self) -> sqlite3.Connection:
        if self._connection is not None and self._process != os.getpid():
            _left_to_the_parent.append(self._connection)
            self._connection = None
        if self._connection is None:
            self._connection, self._process = _open(self._path()), os.getpid()
        return self._connection

    def _path(self) -> str:
        path = os.path.expanduser(self._given) if self._given else os.path.join(state_dir(), FILE)
        if not os.path.isabs(path):
            raise ToolError(
                f"agent_tools.path is {self._given!r:.200}: it would move with the working folder; nothing was changed",
                hint="Whoever runs Ares can give a full path.", blame="world",
            )  # fmt: skip
        return path


def _open(path: str) -> sqlite3.Connection:
    import sqlite3

    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with contextlib.suppress(FileExistsError):  # for its owner alone; SQLite gives its side files the same mode
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        _check(connection)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        _transact(connection, _make_tables)
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: sqlite3.Connection) -> int:
    """Refuse the file of another program or of a newer version; give the version of its tables."""
    import sqlite3

    application, version, tables = connection.execute(
        "SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version), "
        "(SELECT count(*) FROM sqlite_master)"
    ).fetchone()
    if application != APPLICATION and (application or version or tables):
        raise sqlite3.DatabaseError("it belongs to another program, and was left alone")
    if version > VERSION:
        raise sqlite3.DatabaseError(f"it was written by a newer version of this plugin ({version} > {VERSION})")
    return int(version)


def _make_tables(connection: sqlite3.Connection) -> None:
    if _check(connection) == VERSION:
        return
    for statement in SCHEMA.split(";"):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _transact(connection: sqlite3.Connection, work: Callable[[sqlite3.Connection], T]) -> T:
    connection.execute("BEGIN IMMEDIATE")
    try:
        answer = work(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return answer
