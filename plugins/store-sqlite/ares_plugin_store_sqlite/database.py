"""The file: opened, shared, and set aside when it is damaged."""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ares_plugin_store_sqlite.errors import StoreError
from ares_plugin_store_sqlite.places import default_path
from ares_plugin_store_sqlite.schema import is_ours, migrate, version_of

BUSY_SECONDS = 5.0
DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
T = TypeVar("T")
_left_alone: list[sqlite3.Connection | None] = []
"""What a parent process has open, in its forked child."""


class Database:
    """One connection to the file, for any thread.

    A damaged file is moved aside, never deleted, and a new one begun, in all processes that share it; but a file that
    the configuration names and that does not bear Ares' mark is refused and left alone. So is any damaged file that
    must not be forgotten (``precious``); what is written to such a one is on the disk when ``write`` returns.
    """

    def __init__(self, path: Path | None, log: logging.Logger, *, precious: bool = False) -> None:
        self.path = path or default_path()
        if precious:
            self.path = self.path.with_name(f"{self.path.stem}-calls{self.path.suffix}")
        self._is_our_place = path is None
        self._is_precious = precious
        self._log = log
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._is_closed = False
        self._connection: sqlite3.Connection | None = self._open()

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do some work in one transaction, which waits for those of other processes; all of it counts, or nothing."""
        return self._safely(lambda connection: _transact(connection, work))

    def read(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """Give the rows of a query."""
        return self._safely(lambda connection: connection.execute(sql, parameters).fetchall())

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._is_closed = True
            self._disconnect()

    def _safely(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with self._lock:
            try:
                return work(self._current())
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise
                self._disconnect()
                self._set_aside(error)
            return work(self._current())

    def _current(self) -> sqlite3.Connection:
        """Give the connection; a new one if the file was moved or deleted, maybe by another process."""
        if self._is_closed:
            raise StoreError(f"the store {self.path} is closed; open another Ares")
        if self._process != os.getpid():  # a fork: the connection is the parent's, not even to be closed here
            _left_alone.append(self._connection)
            self._connection, self._process = None, os.getpid()
        if self._connection is None or _identity(self.path) != self._identity:
            self._disconnect()
            self._connection = self._open()
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection:
        try:
            with turn(self.path):
                try:
                    return self._connect()
                except sqlite3.DatabaseError as error:
                    if not _is_damage(error):
                        raise
                    self._move(error)
                return self._connect()
        except OSError as error:
            raise StoreError(
                f"can't keep a store in the folder {self.path.parent}: {error.strerror or error}; mend that, or set "
                "store_sqlite.path to another file"
            ) from error
        except (sqlite3.Error, StoreError) as error:
            raise StoreError(
                f"can't keep a store in {self.path}: {error}; mend that, or set store_sqlite.path to another file"
            ) from error

    def _connect(self) -> sqlite3.Connection:
        make(self.path)
        self._identity = _identity(self.path)
        return _connect(self.path, "FULL" if self._is_precious else "NORMAL")

    def _set_aside(self, damage: sqlite3.DatabaseError) -> None:
        with turn(self.path):
            if _identity(self.path) == self._identity:  # otherwise another process was quicker
                self._move(damage)

    def _move(self, damage: sqlite3.DatabaseError) -> None:
        if self._is_precious:
            raise StoreError(f"it is damaged ({damage}), and what it knows of calls is nowhere else; move it away")
        if not self._is_our_place and not is_ours(self.path):
            raise StoreError(f"it is no database of Ares ({damage}), and was left alone")
        aside = _free_name(self.path)
        for suffix in ("-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.replace(f"{self.path}{suffix}", f"{aside}{suffix}")
        os.replace(self.path, aside)
        self._log.warning("the store %s is damaged (%s); it was moved to %s and begun anew", self.path, damage, aside)


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


@contextlib.contextmanager
def turn(path: Path) -> Iterator[None]:
    """Wait until no other process opens or moves the file; a database without tables is the lock."""
    lock = path.with_name(f"{path.name}-lock")
    make(lock)
    with contextlib.closing(sqlite3.connect(lock, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        yield


def make(path: Path) -> None:
    """Make a file for its owner alone, if there is none; SQLite gives its side files the same mode.

    One that is there is not opened: closing it would take away the locks that SQLite holds in this process.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    if not os.access(path, os.W_OK):
        raise StoreError("the file is read-only")


def _connect(path: Path, synchronous: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        version_of(connection)  # first of all, because the next line changes the file
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        migrate(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in DAMAGED


def _identity(path: Path) -> tuple[int, int] | None:
    with contextlib.suppress(FileNotFoundError):
        status = path.stat()
        return status.st_dev, status.st_ino
    return None


def _free_name(path: Path) -> Path:
    stamp = time.strftime("%Y%m%d-%H%M%S")
    names = (path.with_name(f"{path.name}.damaged-{stamp}{more}") for more in ("", *(f"-{n}" for n in range(1, 1000))))
    return next(name for name in names if not name.exists())
