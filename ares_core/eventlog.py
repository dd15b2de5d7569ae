"""Where events go: the last ten thousand in memory, or, on their way to a store, a buffer that calls don't wait for."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
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
    """A store of events whose slowness no call feels; nothing is lost at the end, nor when a write fails once.

    Only a write that never returns costs what waits behind it: the end of a program does not wait for ever.
    """

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

    def flush(self) -> None:
        """Write what waits."""
        self._buffer.flush()

    def forked(self) -> None:
        """Start afresh in a forked child."""
        self._buffer.forked()

    def check(self) -> list[str]:
        """Write what waits, then ask the store what is damaged, if it can tell."""
        self._buffer.flush()
        check = getattr(self.store, "check", None)
        return [] if check is None else list(check())

    def close(self) -> None:
        """Write what is left, and let the store go, unless it still is at work."""
        if self._buffer.close():
            self.store.close()


MOST_READ = 1_000_000


def read(
    store: EventStore, *, run_below: str | None = None, since: float | None = None, until: float | None = None,
    **wanted: str | None,
) -> Iterator[Event]:  # fmt: skip
    """Give every event of a store that fits, oldest first, without holding them all if the store can do that.

    A store may have a ``read`` with these keywords; of another one the newest million are looked at. ``run_below`` is
    a run with those inside it.

    >>> store = MemoryEvents()
    >>> store.append([Event("started", "1", 1.0, "add"), Event("started", "2", 2.0, "add", run="r/inner")])
    >>> [event.execution_id for event in read(store, run_below="r")]
    ['2']
    """
    if isinstance(store, BufferedEvents):
        store.flush()
        store = store.store
    asked: Any = {name: value for name, value in wanted.items() if value is not None}
    own = getattr(store, "read", None)
    if own is not None:
        yield from own(run_below=run_below, since=since, until=until, **asked)
        return
    for event in store.query(limit=MOST_READ, **asked):
        fits_run = run_below is None or event.run == run_below or (event.run or "").startswith(f"{run_below}/")
        if fits_run and (since is None or event.time >= since) and (until is None or event.time <= until):
            yield event
