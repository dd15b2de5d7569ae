"""Events in memory, the last ten thousand."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from ares_core.events import Event

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
        execution_id: str | None = None,
    ) -> list[Event]:  # fmt: skip
        """Give the newest ``limit`` events that fit, oldest first."""
        wanted = {"tool": tool, "session": session, "execution_id": execution_id}
        asked = {name: value for name, value in wanted.items() if value is not None}
        fitting = [e for e in self._events if all(getattr(e, name) == value for name, value in asked.items())]
        return fitting[-limit:] if limit > 0 else []

    def close(self) -> None:
        """Nothing is kept beyond the process."""
