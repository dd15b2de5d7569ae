"""Rates: so many calls of a tool per second, minute, hour or day, as a bucket of tokens that fills steadily."""

from __future__ import annotations

import time
from collections.abc import Callable

from ares_core.call.refusal import Refused, refuse
from ares_core.call.turns import Waiting
from ares_core.counts import counted

SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}
ALMOST = 1 - 1e-6
monotonic = time.monotonic


class Bucket(Waiting):
    """The tokens of one tool: full at first, one for each call; each session has its turn when there is none.

    >>> bucket = Bucket("2/minute", "send", 10)
    >>> [bucket.try_take() for _ in range(3)]
    [True, True, False]
    """

    def __init__(self, rate: str, tool: str, queue_limit: int, clock: Callable[[], float] = monotonic) -> None:
        super().__init__(queue_limit)
        count, _, unit = rate.partition("/")
        self.what = f"at most {counted(int(count), 'call')} of {tool!r} per {unit} (limits.rates)"
        self._most = int(count)
        self._per_second = self._most / SECONDS[unit]
        self._clock = clock
        self._tokens = float(self._most)
        self._filled_at = clock()
        self._timer_at = 0.0

    def try_take(self) -> bool:
        """Take a token if there is one and nobody waits for it."""
        with self._lock:
            return not self._queue and self._take()

    def give_back(self) -> None:
        """Put a token back that was not used after all."""
        with self._lock:
            self._put()
        self._hand_on()

    async def take(self, wait: float, session: str | None) -> None:
        """Wait for a token, at most ``wait`` seconds; refuse at once when that can't be enough."""
        await self._wait(wait, session)

    def _check(self, wait: float, session: str | None) -> None:
        self._fill()
        pause = self._pause(self._queue.ahead_of(session) + 1)
        if len(self._queue) >= self.queue_limit or pause > wait:
            raise self._refused(pause)

    def _late(self, wait: float) -> Refused:
        return self._refused(self._pause(1))

    def next_in(self) -> float:
        """Seconds until the next call is possible, to a tenth."""
        with self._lock:
            self._fill()
            return max(round(self._pause(len(self._queue) + 1), 1), 0.1)

    def _refused(self, pause: float) -> Refused:
        message = f"There are {self.what}; the next is possible in {max(pause, 0.1):.1f} s. Call again then."
        return refuse("rate_limited", message, retriable=True)

    def _fill(self) -> None:
        now = self._clock()
        self._tokens = min(self._tokens + (now - self._filled_at) * self._per_second, self._most)
        self._filled_at = now

    def _take(self) -> bool:
        self._fill()
        if self._tokens < ALMOST:
            return False
        self._tokens -= 1
        return True

    def _pause(self, tokens: int) -> float:
        """Seconds until there will have been so many tokens."""
        return max((tokens - self._tokens) / self._per_second, 0.0)

    def _put(self) -> None:
        self._tokens = min(self._tokens + 1, self._most)

    def _return(self) -> None:
        self.give_back()

    def _hand_on(self) -> None:
        """Give tokens to those whose turn it is, and come back when there will be the next."""
        super()._hand_on()
        with self._lock:
            if self._queue:
                self._set_timer()

    def _set_timer(self) -> None:
        now = self._clock()
        if now < self._timer_at:
            return
        pause = self._pause(1)
        self._timer_at = now + pause
        loop = self._queue.first()[0]
        try:
            loop.call_soon_threadsafe(loop.call_later, pause, self._ring)
        except RuntimeError:
            self._timer_at = 0.0

    def _ring(self) -> None:
        self._timer_at = 0.0
        self._hand_on()

    def forked(self) -> None:
        """No timer is left either."""
        super().forked()
        self._timer_at = 0.0
