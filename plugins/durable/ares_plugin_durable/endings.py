"""When jobs and calls have ended: one look at the database for all that are waited for."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from itertools import islice
from typing import Protocol

OVER = ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]
LOOK_SECONDS = 0.1
AT_ONCE = 500
CLOSE_SECONDS = 10
Waiting = tuple[asyncio.AbstractEventLoop, "asyncio.Future[None]"]


class Look(Protocol):
    """How the database is asked."""

    def __call__(self, ids: Sequence[str], states: Sequence[str]) -> list[str]:
        """Give those of the ids that are in one of the states."""
        ...


class Endings:
    """Waits for the ends of jobs and calls, in whichever process they are; a thread looks while anybody waits."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._waiting: dict[str, list[Waiting]] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()

    async def wait(self, id: str) -> None:
        """Wait until a job or a call is over."""
        loop = asyncio.get_running_loop()
        mine = loop, loop.create_future()
        with self._lock:
            self._waiting.setdefault(id, []).append(mine)
            if self._thread is None:
                self._thread = threading.Thread(target=self._look_on, name="ares-durable-ends", daemon=True)
                self._thread.start()
        try:
            await mine[1]
        finally:
            self._drop(id, mine)

    def close(self) -> None:
        """Look no more."""
        self._closed.set()
        if (thread := self._thread) is not None:
            thread.join(CLOSE_SECONDS)

    def _drop(self, id: str, mine: Waiting) -> None:
        with self._lock:
            others = [one for one in self._waiting.pop(id, ()) if one is not mine]
            if others:
                self._waiting[id] = others

    def _look_on(self) -> None:
        while ids := self._wanted():
            try:
                over = [one for part in _parts(ids) for one in self._look(part, OVER)]
            except Exception as error:
                self._tell(ids, error)
            else:
                self._tell(over, None)
            self._closed.wait(LOOK_SECONDS)

    def _wanted(self) -> list[str]:
        with self._lock:
            ids = [] if self._closed.is_set() else list(self._waiting)
            if not ids:
                self._thread = None
            return ids

    def _tell(self, ids: Sequence[str], error: Exception | None) -> None:
        with self._lock:
            told = [one for id in ids for one in self._waiting.pop(id, ())]
        for loop, future in told:
            if not loop.is_closed():
                loop.call_soon_threadsafe(_settle, future, error)


def _parts(ids: Sequence[str]) -> list[list[str]]:
    rest = iter(ids)
    return list(iter(lambda: list(islice(rest, AT_ONCE)), []))


def _settle(future: asyncio.Future[None], error: Exception | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)
