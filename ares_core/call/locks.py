"""Locks on the resources that calls name: readers share, a writer has its resource and all below it to itself.

Nothing is made for a resource that nobody holds. A call takes its places one after the other in sorted order, from
the general to the particular; so calls never wait for each other in a circle.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from ares_core.call.refusal import refuse
from ares_core.call.resources import SHUTS_OUT, Key, Mode, Step
from ares_core.call.turns import Turns
from ares_core.counts import counted

if TYPE_CHECKING:
    from ares_core.call.run import Run


NOTHING = (0, 0, 0, 0)


class Ticket:
    """One who waits for a place."""

    __slots__ = ("future", "loop", "mode", "own")

    def __init__(self, mode: Mode, own: Sequence[int]) -> None:
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[None] = self.loop.create_future()
        self.mode = mode
        self.own = own


class Place(Struct, eq=False):
    """One place in the tree of resources: how many hold it in each mode, and who waits, if anybody ever did.

    ``inside`` are calls made inside a tool that holds this place: it waits for them, so they go first.
    """

    held: list[int]
    inside: deque[Ticket] | None = None
    waiting: Turns[Ticket] | None = None

    def is_awaited(self) -> bool:
        """Whether anybody waits."""
        return bool(self.inside or self.waiting)

    def add(self, ticket: Ticket, session: str | None, *, inside: bool) -> None:
        """Let one wait."""
        if self.inside is None or self.waiting is None:
            self.inside, self.waiting = deque(), Turns()
        if inside:
            self.inside.append(ticket)
        else:
            self.waiting.add(session, ticket)

    def remove(self, ticket: Ticket, session: str | None) -> bool:
        """Let one wait no longer; tells whether it did."""
        if self.inside and ticket in self.inside:
            self.inside.remove(ticket)
            return True
        return self.waiting is not None and self.waiting.remove(session, ticket)

    def admits(self, mode: Mode, own: Sequence[int]) -> bool:
        """Whether nobody is in the way; ``own`` is what the calls above this one hold."""
        return all(self.held[other] == own[other] for other in SHUTS_OUT[mode])

    def next(self) -> Ticket | None:
        """Take out the next who may come in."""
        if self.inside:
            found = next((one for one in self.inside if self.admits(one.mode, one.own)), None)
            if found is not None:
                self.inside.remove(found)
            return found
        if not self.waiting:
            return None
        first = self.waiting.first()
        return self.waiting.pop() if self.admits(first.mode, first.own) else None

    def is_unused(self) -> bool:
        """Whether nobody holds it and nobody waits."""
        return not (any(self.held) or self.is_awaited())


class Locks:
    """All places that are held or waited for."""

    def __init__(self, queue_limit: int) -> None:
        self.queue_limit = queue_limit
        self.waiting = 0
        self._places: dict[Key, Place] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._places)

    def take_free(self, steps: Sequence[Step], above: Sequence[Held]) -> int:
        """Take places in order as long as they are free; gives how many."""
        places = self._places
        with self._lock:
            for taken, (key, mode) in enumerate(steps):
                place = places.get(key)
                if place is None:
                    place = places[key] = Place([0, 0, 0, 0])
                elif not self._is_free(place, key, mode, above):
                    return taken
                place.held[mode] += 1
        return len(steps)

    def _is_free(self, place: Place, key: Key, mode: Mode, above: Sequence[Held]) -> bool:
        own = _owned(key, above) if above else NOTHING
        return place.admits(mode, own) and (any(own) or not place.is_awaited())

    async def take(self, held: Held, steps: Sequence[Step], above: Sequence[Held], session: str | None) -> None:
        """Take places in order, waiting for each; ``held`` has those that were got, whatever happens."""
        while len(held.steps) < len(steps):
            start = len(held.steps)
            held.steps += steps[start : start + self.take_free(steps[start:], above)]
            if len(held.steps) < len(steps):
                step = steps[len(held.steps)]
                await self._wait(step, _owned(step[0], above), session)
                held.steps.append(step)

    async def _wait(self, step: Step, own: Sequence[int], session: str | None) -> None:
        key, mode = step
        ticket = Ticket(mode, own)
        with self._lock:
            if self.waiting >= self.queue_limit:
                raise refuse(
                    "queue_full",
                    f"The queue for what others use is full: {counted(self.waiting, 'call')}; call again later.",
                    retriable=True,
                )
            place = self._places.get(key) or self._places.setdefault(key, Place([0, 0, 0, 0]))
            place.add(ticket, session, inside=any(own))
            self.waiting += 1
            self._hand_on(key, place)
        try:
            await ticket.future
        except BaseException:
            self._withdraw(key, ticket, session)
            raise

    def release(self, steps: Sequence[Step]) -> None:
        """Give places back, the particular before the general."""
        with self._lock:
            for key, mode in reversed(steps):
                place = self._places.get(key)
                if place is not None:
                    place.held[mode] -= 1
                    if place.inside is not None:
                        self._hand_on(key, place)
                    elif not any(place.held):
                        del self._places[key]

    def _hand_on(self, key: Key, place: Place) -> None:
        while (ticket := place.next()) is not None:
            self.waiting -= 1
            place.held[ticket.mode] += 1
            try:
                ticket.loop.call_soon_threadsafe(self._give, key, ticket)
            except RuntimeError:  # that loop is closed: its waiter is gone
                place.held[ticket.mode] -= 1
        if place.is_unused():
            self._places.pop(key, None)

    def _give(self, key: Key, ticket: Ticket) -> None:
        if ticket.future.done():
            self.release([(key, ticket.mode)])
        else:
            ticket.future.set_result(None)

    def _withdraw(self, key: Key, ticket: Ticket, session: str | None) -> None:
        """Wait no longer; a place that was handed over in the meantime is handed on."""
        with self._lock:
            place = self._places.get(key)
            if place is not None and place.remove(ticket, session):
                self.waiting -= 1
                self._hand_on(key, place)
                return
        if ticket.future.done() and not ticket.future.cancelled():
            self.release([(key, ticket.mode)])

    def forked(self) -> None:
        """Forget who holds and who waits: after a fork they are the parent's."""
        self._lock = threading.Lock()
        self._places = {}
        self.waiting = 0


class Held:
    """The places that one call holds."""

    __slots__ = ("_locks", "steps")

    def __init__(self, locks: Locks, steps: list[Step]) -> None:
        self._locks = locks
        self.steps = steps

    def leave(self) -> None:
        """Give them back."""
        self._locks.release(self.steps)
        self.steps = []


def _owned(key: Key, above: Sequence[Held]) -> Sequence[int]:
    """Count what the calls above hold of a place."""
    own = [0, 0, 0, 0]
    for held in above:
        for step, mode in held.steps:
            if step == key:
                own[mode] += 1
    return own


def held_above(run: Run) -> Iterator[Held]:
    """Give what the calls hold that this one was made in, as long as they run."""
    above = run.parent
    while above is not None and not above.done:
        if above.held is not None and above.held.locks is not None:
            yield above.held.locks
        above = above.parent
