"""What is remembered for one user in one namespace, and how it is found again."""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING

from msgspec import Struct

from ares_core import ToolError, counted
from ares_plugin_agent_tools.database import Database
from ares_plugin_agent_tools.words import asked_words, expression, words_of

if TYPE_CHECKING:
    import sqlite3

LATEST = (
    "SELECT id, text, added, changed FROM memories WHERE owner = ? AND namespace = ? "
    "ORDER BY changed DESC, id DESC LIMIT ? OFFSET ?"
)
FOUND = (
    "SELECT m.id, m.text, m.added, m.changed FROM memory_words w JOIN memories m ON m.id = w.rowid "
    "WHERE memory_words MATCH ? AND m.owner = ? AND m.namespace = ? "
    "ORDER BY bm25(memory_words, 0, 1), m.changed DESC, m.id DESC LIMIT ? OFFSET ?"
)


class Memory(Struct, frozen=True):
    """One thing that is remembered; times are seconds since the epoch."""

    id: int
    text: str
    added: float
    changed: float


class Space:
    """The memories of one user in one namespace."""

    def __init__(self, database: Database, user: str | None, namespace: str, most: int) -> None:
        self._database = database
        self._owner = "nobody" if user is None else f"user {user}".encode("utf-8", "backslashreplace").decode()
        self._namespace = namespace
        self._most = most
        self._space = hashlib.sha256(f"{self._owner}\0{namespace}".encode()).hexdigest()[:32]

    def add(self, text: str) -> tuple[int, bool]:
        """Remember something; gives its id, and whether it is new."""
        now = time.time()

        def add(connection: sqlite3.Connection) -> tuple[int, bool]:
            if (known := self._same(connection, text)) is not None:
                return known, False
            self._check_room(connection)
            values = (self._owner, self._namespace, text, now, now)
            made = connection.execute(
                "INSERT INTO memories (owner, namespace, text, added, changed) VALUES (?, ?, ?, ?, ?)", values
            )
            self._index(connection, int(made.lastrowid or 0), text)
            return int(made.lastrowid or 0), True

        return self._database.write(add)

    def update(self, id: int, text: str) -> None:
        """Put other words in the place of a memory's."""

        def update(connection: sqlite3.Connection) -> None:
            if (known := self._same(connection, text)) not in (None, id):
                raise ToolError(f"memory {known} says that already, so {id} was left as it is", blame="input")
            sql = "UPDATE memories SET text = ?, changed = ? WHERE id = ? AND owner = ? AND namespace = ?"
            if not connection.execute(sql, (text, time.time(), id, self._owner, self._namespace)).rowcount:
                raise self._unknown(id)
            connection.execute("DELETE FROM memory_words WHERE rowid = ?", (id,))
            self._index(connection, id, text)

        self._database.write(update)

    def delete(self, id: int) -> None:
        """Forget one."""

        def delete(connection: sqlite3.Connection) -> None:
            sql = "DELETE FROM memories WHERE id = ? AND owner = ? AND namespace = ?"
            if not connection.execute(sql, (id, self._owner, self._namespace)).rowcount:
                raise self._unknown(id)
            connection.execute("DELETE FROM memory_words WHERE rowid = ?", (id,))

        self._database.write(delete)

    def search(self, query: str, limit: int, offset: int) -> list[Memory]:
        """Give what has all the words of a query, the best first; if nothing has, what has some of them."""
        words = asked_words(query)
        for together in (True, False) if words else ():
            match = f"space : {self._space} AND words : ({expression(words, together=together)})"
            rows = self._database.read(FOUND, match, self._owner, self._namespace, limit, offset)
            if rows or offset:
                return [Memory(*row) for row in rows]
        return []

    def list(self, limit: int, offset: int) -> list[Memory]:
        """Give the latest, newest first."""
        rows = self._database.read(LATEST, self._owner, self._namespace, limit, offset)
        return [Memory(*row) for row in rows]

    def count(self) -> int:
        """Tell how many there are."""
        sql = "SELECT count(*) FROM memories WHERE owner = ? AND namespace = ?"
        return int(self._database.read(sql, self._owner, self._namespace)[0][0])

    def _same(self, connection: sqlite3.Connection, text: str) -> int | None:
        sql = "SELECT id FROM memories WHERE owner = ? AND namespace = ? AND text = ?"
        row = connection.execute(sql, (self._owner, self._namespace, text)).fetchone()
        return None if row is None else int(row[0])

    def _check_room(self, connection: sqlite3.Connection) -> None:
        (count,) = connection.execute("SELECT count(*) FROM memories WHERE owner = ?", (self._owner,)).fetchone()
        if count >= self._most:
            raise ToolError(
                f"the memory is full: it holds {counted(count, 'entry', 'entries')}; nothing was added", blame="input",
                hint="Delete what is no longer true, or put several into one with update.",
            )  # fmt: skip

    def _index(self, connection: sqlite3.Connection, id: int, text: str) -> None:
        values = (id, self._space, " ".join(words_of(text)))
        connection.execute("INSERT INTO memory_words (rowid, space, words) VALUES (?, ?, ?)", values)

    def _unknown(self, id: int) -> ToolError:
        return ToolError(
            f"there is no memory {id} in the namespace {self._namespace!r}; nothing was changed",
            hint="Take an id from search or list.", blame="input",
        )  # fmt: skip
