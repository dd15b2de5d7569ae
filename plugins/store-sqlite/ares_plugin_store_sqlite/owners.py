"""Who lives: each open ledger holds a lock that the system takes away when its process ends, however it ends."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from ares_plugin_store_sqlite.database import make, turn

MARK = "-owner-"


class Owner:
    """One holder of claims in a database; the lock is a database without tables, beside it.

    Making one and looking whether one lives take turns, so that nobody sees one that is not locked yet.
    """

    def __init__(self, database: Path) -> None:
        self.name = os.urandom(8).hex()
        self.process = os.getpid()
        self._path = _path(database, self.name)
        with turn(database):
            make(self._path)
            self._lock = sqlite3.connect(self._path, timeout=0, isolation_level=None, check_same_thread=False)
            self._lock.execute("BEGIN EXCLUSIVE")

    def close(self) -> None:
        """Let go; to others this owner is no more."""
        if self.process == os.getpid():
            self._lock.close()
            self._path.unlink(missing_ok=True)


def is_alive(database: Path, name: str) -> bool:
    """Whether the process that goes by this name lives."""
    with turn(database):
        return _is_locked(_path(database, name))


def bury(database: Path) -> Iterator[str]:
    """Give the names of those that left without a word, and take away what they left."""
    for path in sorted(database.parent.glob(f"{database.name}{MARK}*")):
        name = path.name.partition(MARK)[2]
        if name.isalnum() and not is_alive(database, name):
            yield name
            path.unlink(missing_ok=True)


def _path(database: Path, name: str) -> Path:
    return database.with_name(f"{database.name}{MARK}{name}")


def _is_locked(path: Path) -> bool:
    if not path.exists():
        return False
    with contextlib.closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            return True
    return False
