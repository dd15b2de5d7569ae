"""A gate with places: so many at once, the others in a bounded queue in which each session has its turn."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict, deque
from typing import Generic, TypeVar

from ares_core.call.refusal import refuse

T = TypeVar("T")
Ticket = tuple[asyncio.AbstractEventLoop, "asyncio.Future[None]"]


class Turns(Generic[T]):
    """What waits: each session in turn, and within a session first come, first served.

    >>> turns = Turns[str]()
    >>> for session, item in [("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1")]:
    ...     turns.add(session, item)
    >>> [turns.pop() for _ in range(len(turns))]
    ['a1', 'b1', 'a2', 'a3']
    """

    __slots__ = ("_lines", "count")

    def __init__(self) -> None:
        self._lines: OrderedDict[str | None, OrderedDict[T, None]] = OrderedDict()
        self.count = 0
        """How many wait; read where even ``len`` would cost."""

    def __len__(self) -> int:
        return self.count

    def add(self, session: str | None, item: T) -> None:
        """Let an item wait in the line of its session."""
        self._lines.setdefault(session, OrderedDict())[item] = None
        self.count += 1

    def first(self) -> T:
        """Give the item whose turn it is."""
        return next(iter(next(iter(self._lines.values()))))

    def pop(self) -> T:
        """Take out the item whose turn it is; its session then stands behind all others."""
        session, line = next(iter(self._lines.items()))
        item, _ = line.popitem(last=False)
        self.count -= 1
        if line:
            self._lines.move_to_end(session)
        else:
            del self._lines[session]
        return item

    def remove(self, session: str | None, item: T) -> bool:
        """Take out an item that waits no longer; tells whether it was there."""
        line = self._lines.get(session)
        if line is None or item not in line:
            return False
        del line[item]
        self.count -= 1
        if not line:
            del self._lines[session]
        return True

    def ahead_of(self, session: str | None) -> int:
        """Tell how many have their turn before one who would come now."""
        own = len(self._lines.get(session, ()))
        return own + sum(min(len(line), own + 1) for name, line in self._lines.items() if name != session)

    def clear(self) -> None:
        """Forget everything that waits."""
        self._lines.clear()
        self.count = 0


class Gate:
    """So many at once, the others in a queue; fair, and safe between threads and event loops.

    Free places are items of a deque, whose ``pop`` and ``append`` are atomic: the usual call takes no lock.
    """

    __slots__ = ("_free", "_lock", "_queue", "places", "queue_limit", "what")

    def __init__(self, places: int, queue_limit: int, what: str) -> None:
        self.places = places
        self.queue_limit = queue_limit
        self.what = what
        self._free: deque[None] = deque([None] * places)
        self._queue: Turns[Ticket] = Turns()
        self._lock = threading.Lock()

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._queue)

    def try_enter(self) -> bool:
        """Take a place if one is free and nobody waits for it."""
        if self._queue.count:
            return False
        try:
            self._free.pop()
        except IndexError:
            return False
        return True

    async def enter(self, wait: float, session: str | None = None) -> None:
        """Wait for a place, at most ``wait`` seconds; refuse when the queue is full or the wait is over."""
        loop = asyncio.get_running_loop()
        ticket = (loop, loop.create_future())
        with self._lock:
            if len(self._queue) >= self.queue_limit:
                raise refuse(
                    "queue_full",
                    f"{len(self._queue)} calls already wait for {self.what}; call again later.",
                    retriable=True,
                )
            self._queue.add(session, ticket)
        self._hand_on()
        try:
            async with asyncio.timeout(wait):
                await ticket[1]
        except TimeoutError:
            self._withdraw(session, ticket)
            raise refuse(
                "queue_full", f"No place for {self.what} became free within {wait:g} s; call again later.",
                retriable=True,
            ) from None  # fmt: skip
        except BaseException:
            self._withdraw(session, ticket)
            raise

    def free_all(self) -> None:
        """Free every place and forget who waits: after a fork they are the parent's."""
        self._lock = threading.Lock()
        self._queue.clear()
        self._free = deque([None] * self.places)

    def leave(self) -> None:
        """Give the place back; the first in the queue gets it."""
        self._free.append(None)
        if self._queue.count:
            self._hand_on()

    def _hand_on(self) -> None:
        with self._lock:
            while self._queue and self._free:
                self._free.pop()
                loop, future = self._queue.pop()
                try:
                    loop.call_soon_threadsafe(self._give, future)
                except RuntimeError:  # that loop is closed: its waiter is gone
                    self._free.append(None)

    def _give(self, future: asyncio.Future[None]) -> None:
        if future.done():
            self.leave()
        else:
            future.set_result(None)

    def _withdraw(self, session: str | None, ticket: Ticket) -> None:
        """Leave the queue; a place that was handed over in the meantime is handed on."""
        with self._lock:
            if self._queue.remove(session, ticket):
                return
        if ticket[1].done() and not ticket[1].cancelled() and ticket[1].exception() is None:
            self.leave()
