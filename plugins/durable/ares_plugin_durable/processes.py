"""Which of the processes that share a database are alive: each holds a lock that ends with it, however it ends."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any, Protocol


class Processes(Protocol):
    """This process among those that share the database."""

    id: str

    def dead(self, ids: Iterable[str]) -> list[str]:
        """Give those of the ids whose process has ended."""
        ...

    def close(self) -> None:
        """Let the others know that this process has ended."""
        ...


def among(url: str) -> Processes:
    """Join the processes that share a database."""
    return Files(Path(url.removeprefix("sqlite:///") + ".open")) if url.startswith("sqlite:///") else Sessions(url)


class Files:
    """The processes that share a SQLite file, one locked file for each."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.id = uuid.uuid4().hex
        self._folder = folder
        self._file = _locked(folder / self.id)

    def dead(self, ids: Iterable[str]) -> list[str]:
        return [one for one in ids if one != self.id and self._has_ended(one)]

    def _has_ended(self, id: str) -> bool:
        path = self._folder / id
        if not path.exists():
            return True
        file = _locked(path)
        if file is None:
            return False
        file.close()
        path.unlink(missing_ok=True)
        return True

    def close(self) -> None:
        if self._file is not None:
            (self._folder / self.id).unlink(missing_ok=True)
            self._file.close()
            self._file = None


class Sessions:
    """The processes that share a PostgreSQL database, one advisory lock of a connection for each."""

    def __init__(self, url: str) -> None:
        self.id = uuid.uuid4().hex
        self._url = url
        self._connection = self._opened()

    def _opened(self) -> Any:
        import psycopg

        connection = psycopg.connect(self._url, autocommit=True)
        connection.execute("SELECT pg_advisory_lock(%s)", (_number(self.id),))
        return connection

    def dead(self, ids: Iterable[str]) -> list[str]:
        from psycopg import OperationalError

        try:
            self._connection.execute("SELECT 1")
            return [one for one in ids if one != self.id and self._has_ended(one)]
        except OperationalError:  # the server was away, and our own lock with it
            self._connection = self._opened()
            return []

    def _has_ended(self, id: str) -> bool:
        taken = self._connection.execute("SELECT pg_try_advisory_lock(%s)", (_number(id),)).fetchone()[0]
        if taken:
            self._connection.execute("SELECT pg_advisory_unlock(%s)", (_number(id),))
        return bool(taken)

    def close(self) -> None:
        self._connection.close()


def _number(id: str) -> int:
    return int.from_bytes(hashlib.sha256(f"ares durable {id}".encode()).digest()[:8], "big", signed=True)


def _locked(path: Path) -> IO[bytes] | None:
    """Lock a file; nothing when another process has it."""
    try:
        import fcntl
    except ImportError:  # where there are no such locks, a file that is open can't be removed
        try:
            path.unlink(missing_ok=True)
        except OSError:
            return None
        return path.open("ab")
    file = path.open("ab")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file


__all__ = ["Processes", "among"]
