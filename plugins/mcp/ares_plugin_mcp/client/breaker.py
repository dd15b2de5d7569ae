"""When a server may be tried again: the more often it failed in a row, the later."""

from __future__ import annotations

import time

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 60.0
FRESH = 10.0
"""Seconds for which a failure that no call was told of answers the next one, in place of another try."""


class Breaker:
    """Counts failures in a row; after the second a pause has to pass, which doubles each time.

    >>> breaker = Breaker()
    >>> breaker.failed("no such command")
    >>> breaker.pause
    0.0
    """

    def __init__(self) -> None:
        self.failures = 0
        self.reason = ""
        self._until = self._fresh_until = 0.0

    @property
    def pause(self) -> float:
        """Seconds until the next try."""
        return max(0.0, self._until - time.monotonic())

    def failed(self, reason: str) -> None:
        """Take in a failure."""
        self.failures += 1
        self.reason = reason
        self._fresh_until = time.monotonic() + FRESH
        if self.failures > 1:
            self._until = time.monotonic() + min(FIRST_PAUSE * 2 ** (min(self.failures, 20) - 2), LONGEST_PAUSE)

    @property
    def is_untold(self) -> bool:
        """Whether it failed just now, and no call was told of it."""
        return time.monotonic() < self._fresh_until

    def told(self) -> None:
        """Note that a call was told of the failure: the next one is worth another try."""
        self._fresh_until = 0.0

    def worked(self) -> None:
        """Forget the failures: it works again."""
        self.failures, self._until = 0, 0.0
