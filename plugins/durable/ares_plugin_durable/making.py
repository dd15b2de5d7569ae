"""The calls that a process is making: one that is about to end begins no more of them, and ends after the last."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

T = TypeVar("T")
LEAVE_SECONDS = 60.0
"""How long the end of a process waits for the calls that it is making."""
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
