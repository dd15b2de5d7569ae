"""Stage 9, limit: how many calls run at once, in all and of one tool, with a bounded queue and a bounded wait."""

from __future__ import annotations

import asyncio
import threading
from collections import deque

from ares_core.call.refusal import refuse


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
        self._queue: deque[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = deque()
        self._lock = threading.Lock()

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._queue)

    def try_enter(self) -> bool:
        """Take a place if one is free and nobody waits for it."""
        if self._queue:
            return False
        try:
            self._free.pop()
        except IndexError:
            return False
        return True

    async def enter(self, wait: float) -> None:
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
            self._queue.append(ticket)
        self._hand_on()
        try:
            async with asyncio.timeout(wait):
                await ticket[1]
        except TimeoutError:
            self._withdraw(ticket)
            raise refuse(
                "queue_full", f"No place for {self.what} became free within {wait:g} s; call again later.",
                retriable=True,
            ) from None  # fmt: skip
        except BaseException:
            self._withdraw(ticket)
            raise

    def free_all(self) -> None:
        """Free every place and forget who waits: after a fork they are the parent's."""
        self._lock = threading.Lock()
        self._queue.clear()
        self._free = deque([None] * self.places)

    def leave(self) -> None:
        """Give the place back; the first in the queue gets it."""
        self._free.append(None)
        if self._queue:
            self._hand_on()

    def _hand_on(self) -> None:
        with self._lock:
            while self._queue and self._free:
                self._free.pop()
                loop, future = self._queue.popleft()
                try:
                    loop.call_soon_threadsafe(self._give, future)
                except RuntimeError:  # that loop is closed: its waiter is gone
                    self._free.append(None)

    def _give(self, future: asyncio.Future[None]) -> None:
        if future.done():
            self.leave()
        else:
            future.set_result(None)

    def _withdraw(self, ticket: tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]) -> None:
        """Leave the queue; a place that was handed over in the meantime is handed on."""
        with self._lock:
            if ticket in self._queue:
                self._queue.remove(ticket)
                return
        if ticket[1].done() and not ticket[1].cancelled() and ticket[1].exception() is None:
            self.leave()
