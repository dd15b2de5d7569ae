"""Where events go: the last ten thousand in memory, or, on their way to a store, a buffer that calls don't wait for."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from ares_core.buffer import Buffer
from ares_core.events import Event
from ares_core.protocols import EventStore

MOST = 10_000


class MemoryEvents:
    """An event store that lasts as long as the process.

    >>> store = MemoryEvents()
    >>> store.append([Event("started", "1", 0.0, "add")])
    >>> [event.kind for event in store.query(tool="add")]
    ['started']
    """

    def __init__(self, most: int = MOST) -> None:
        self._events: deque[Event] = deque(maxlen=most)

    def append(self, events: Sequence[Event]) -> None:
        """Take in events, oldest first."""
        self._events.extend(events)

    def query(
        self, *, limit: int = 50, tool: str | None = None, session: str | None = None,
        execution_id: str | None = None, run: str | None = None,
    ) -> list[Event]:  # fmt: skip
        """Give the newest ``limit`` events that fit, oldest first."""
        wanted = {"tool": tool, "session": session, "execution_id": execution_id, "run": run}
        asked = {name: value for name, value in wanted.items() if value is not None}
        fitting = [e for e in self._events if all(getattr(e, name) == value for name, value in asked.items())]
        return fitting[-limit:] if limit > 0 else []

    def close(self) -> None:
        """Nothing is kept beyond the process."""


class BufferedEvents:
    """A store of events whose slowness no call feels; nothing is lost at the end, nor when a write fails once."""

    def __init__(self, store: EventStore) -> None:
        self.store = store
        self._buffer = Buffer[Event](store.append, "events")

    def append(self, events: Sequence[Event]) -> None:
        """Take in events, oldest first."""
        self._buffer.add(events)

    def query(
        self, *, limit: int = 50, tool: str | None = None, session: str | None = None,
        execution_id: str | None = None, run: str | None = None,
    ) -> list[Event]:  # fmt: skip
        """Write what waits, then ask the store."""
        self._buffer.flush()
        wanted = {"tool": tool, "session": session, "execution_id": execution_id, "run": run}
        asked: Any = {name: value for name, value in wanted.items() if value is not None}
        return self.store.query(limit=limit, **asked)

    def close(self) -> None:
        """Write what is left, and let the store go."""
        self._buffer.close()
        self.store.close()
