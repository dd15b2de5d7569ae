"""Deadlines of calls that wait: one timer for each event loop instead of one for each call.

A call that ends in time costs two dict operations; ``asyncio.timeout`` would cost as much as the whole call.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from math import inf
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from ares_core.call.run import Run


class DeadlineReached(Exception):
    """The time for a call is over and the tool has not answered."""


class _Entry(Struct, eq=False):
    """One waiting call: when it must be over, and whether it was told so."""

    task: Any
    until: float
    expired: bool = False


class Deadlines:
    """The waiting calls of one event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._waiting: dict[_Entry, None] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._due = inf
        before, now, after = time.monotonic(), loop.time(), time.monotonic()
        self._ahead = 0.0 if before <= now <= after else now - after  # this thread may be held up in between

    async def wait(self, awaitable: Awaitable[Any], run: Run) -> Any:
        """Await something until the run's deadline at most; raises ``DeadlineReached`` after cancelling it.

        ``run.cancelled`` then tells the tool's thread, if it has one, that nobody waits any more.
        """
        task = asyncio.current_task(self.loop)
        if task is None:
            return await awaitable
        until = run.deadline + self._ahead
        entry = _Entry(task, until)
        self._waiting[entry] = None
        if until < self._due:
            self._set_timer(until)
        try:
            value = await awaitable
        except asyncio.CancelledError:
            run.cancelled = True
            if entry.expired and task.uncancel() == 0:
                raise DeadlineReached from None
            raise
        finally:
            self._waiting.pop(entry, None)
        if entry.expired:  # the tool swallowed its cancellation: what it gives now comes too late
            task.uncancel()
            raise DeadlineReached
        return value

    def _set_timer(self, when: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_at(when, self._sweep)
        self._due = when

    def _sweep(self) -> None:
        """Cancel what is over and set the timer for the next."""
        self._timer, self._due = None, inf
        now = self.loop.time() + 0.0005
        for entry in [entry for entry in self._waiting if entry.until <= now]:
            del self._waiting[entry]
            entry.expired = True
            entry.task.cancel()
        if self._waiting:
            self._set_timer(min(entry.until for entry in self._waiting))


_known: list[Deadlines] = []
"""The deadlines of every loop in use; the one that was asked for last stands first."""


def deadlines() -> Deadlines:
    """Give the deadlines of the running loop."""
    loop = asyncio.get_running_loop()
    if _known and _known[0].loop is loop:
        return _known[0]
    return _find(loop)


def _find(loop: asyncio.AbstractEventLoop) -> Deadlines:
    found = next((known for known in tuple(_known) if known.loop is loop), None)
    found = found or Deadlines(loop)
    _known[:] = [found, *(known for known in _known if known is not found and not known.loop.is_closed())]
    return found
