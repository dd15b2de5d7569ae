"""Who waits for something that there is only so much of: a bounded queue in which each session has its turn."""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from collections import OrderedDict
from typing import Generic, TypeVar

from ares_core.call.refusal import Refused

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


class Waiting(ABC):
    """A stock, and those who wait for one of it; safe between threads and event loops."""

    __slots__ = ("_lock", "_queue", "queue_limit")

    def __init__(self, queue_limit: int) -> None:
        self.queue_limit = queue_limit
        self._queue: Turns[Ticket] = Turns()
        self._lock = threading.Lock()

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._queue)

    @abstractmethod
    def _take(self) -> bool:
        """Take one if there is one; the lock is held."""

    @abstractmethod
    def _put(self) -> None:
        """Put one back."""

    @abstractmethod
    def _check(self, wait: float, session: str | None) -> None:
        """Refuse whom there is no place for in the queue; the lock is held."""

    @abstractmethod
    def _late(self, wait: float) -> Refused:
        """Say that the wait is over."""

    async def _wait(self, wait: float, session: str | None) -> None:
        """Wait for one, at most ``wait`` seconds."""
        loop = asyncio.get_running_loop()
        ticket = (loop, loop.create_future())
        with self._lock:
            self._check(wait, session)
            self._queue.add(session, ticket)
        self._hand_on()
        try:
            async with asyncio.timeout(wait):
                await ticket[1]
        except TimeoutError:
            self._withdraw(session, ticket)
            raise self._late(wait) from None
        except BaseException:
            self._withdraw(session, ticket)
            raise

    def _hand_on(self) -> None:
        """Give what there is to those whose turn it is."""
        with self._lock:
            while self._queue and self._take():
                loop, future = self._queue.pop()
                try:
                    loop.call_soon_threadsafe(self._give, future)
                except RuntimeError:  # that loop is closed: its waiter is gone
                    self._put()

    def _give(self, future: asyncio.Future[None]) -> None:
        if future.done():
            self._return()
        else:
            future.set_result(None)

    def _return(self) -> None:
        self._put()
        if self._queue.count:
            self._hand_on()

    def _withdraw(self, session: str | None, ticket: Ticket) -> None:
        """Leave the queue; what was handed over in the meantime is handed on."""
        with self._lock:
            if self._queue.remove(session, ticket):
                return
        if ticket[1].done() and not ticket[1].cancelled():
            self._return()

    def forked(self) -> None:
        """Forget who waits: after a fork they are the parent's."""
        self._lock = threading.Lock()
        self._queue.clear()


__all__ = ["Ticket", "Turns", "Waiting"]
