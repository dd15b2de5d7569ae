"""A gate with places: so many at once, the others in a queue."""

from __future__ import annotations

from collections import deque

from ares_core.call.refusal import Refused, refuse
from ares_core.call.turns import Waiting
from ares_core.counts import counted


class Gate(Waiting):
    """So many at once, the others in a queue.

    Free places are items of a deque, whose ``pop`` and ``append`` are atomic: the usual call takes no lock.
    """

    __slots__ = ("_free", "places", "what")

    def __init__(self, places: int, queue_limit: int, what: str) -> None:
        super().__init__(queue_limit)
        self.places = places
        self.what = what
        self._free: deque[None] = deque([None] * places)

    def try_enter(self) -> bool:
        """Take a place if one is free and nobody waits for it."""
        return not self._queue.count and self._take()

    async def enter(self, wait: float, session: str | None = None) -> None:
        """Wait for a place, at most ``wait`` seconds; refuse when the queue is full or the wait is over."""
        await self._wait(wait, session)

    def leave(self) -> None:
        """Give the place back; the first in the queue gets it."""
        self._free.append(None)
        if self._queue.count:
            self._hand_on()

    def _take(self) -> bool:
        try:
            self._free.pop()
        except IndexError:
            return False
        return True

    def _put(self) -> None:
        self._free.append(None)

    def _check(self, wait: float, session: str | None) -> None:
        if len(self._queue) >= self.queue_limit:
            full = f"The queue for {self.what} is full: {counted(len(self._queue), 'call')}; call again later."
            raise refuse("queue_full", full, retriable=True)

    def _late(self, wait: float) -> Refused:
        late = f"No place for {self.what} became free within {wait:g} s; call again later."
        return refuse("queue_full", late, retriable=True)

    def forked(self) -> None:
        """Free every place too: after a fork they are the parent's."""
        super().forked()
        self._free = deque([None] * self.places)
