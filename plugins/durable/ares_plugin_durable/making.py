"""The calls that a process is making: one that is about to end begins no more of them, and ends after the last."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from typing import TypeVar

from ares_plugin_durable.kept import TAKER

T = TypeVar("T")
LEAVE_SECONDS = 60.0
"""How long the end of a process waits for the calls that it is making."""
TAKE_SECONDS = 10.0
"""How long it waits for the threads that take up work, and for the jobs that it leaves to the next process."""
WATCH = "ares-durable-watch"
"""The name of the thread that looks for work that another process has left behind."""
PAUSE = 0.1
FINISHING = "The call in progress is being finished; Ctrl-C again doesn't wait for it."


class Making:
    """Counts the calls that are made here; ``held`` are those that are left to the next process."""

    def __init__(self) -> None:
        self.leaving = threading.Event()
        self.count = self.held = 0
        self.is_hurried = False

    def begin(self) -> None:
        """Let calls be made, also after an end."""
        self.leaving.clear()
        self.held, self.is_hurried = 0, False

    async def make(self, work: Callable[[], Awaitable[T]]) -> T:
        """Make a call; one that comes when the process is about to end never returns, another process makes it."""
        if self.leaving.is_set():
            self.held += 1
            await asyncio.Event().wait()
        self.count += 1
        try:
            return await work()
        finally:
            self.count -= 1

    def waits(self) -> Iterator[float]:
        """Begin no more calls, and give pauses as long as those that have begun still run."""
        self.leaving.set()
        for _ in range(round(LEAVE_SECONDS / PAUSE)):
            if self.is_hurried or not self.count:
                break
            yield PAUSE


def end_takers() -> None:
    """Wait for the threads that take up work, once they have been told to end."""
    until = time.monotonic() + TAKE_SECONDS
    while (takers := _takers()) and time.monotonic() < until:
        for thread in takers:
            with suppress(RuntimeError):  # it is about to be started
                thread.join(max(0.0, until - time.monotonic()))
        time.sleep(0.001)


def _takers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith((TAKER, WATCH))]
