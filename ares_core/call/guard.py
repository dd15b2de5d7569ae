"""Stage 7, guard: loops and budgets, by session.

``session=None`` is a session of one call: nothing is remembered. A named session remembers its last executions.
A loop is the same cycle of calls, with the same outcomes, run ``max_identical_calls`` times: A-A-A or A-B-A-B-A-B.
A changed outcome is progress and breaks it. No call of a loop runs again until some other call has run.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import Any

from ares_core.call.refusal import refuse
from ares_core.settings import Budgets

LONGEST_CYCLE = 4
MOST_SESSIONS = 10_000
Step = tuple[str, bytes]


class Session:
    """What is remembered of one session."""

    __slots__ = ("_loop", "_repeats", "_seen", "_steps", "calls", "invalid", "name", "started", "tokens")

    def __init__(self, name: str | None, repeats: int) -> None:
        self.name = name
        self.started = time.monotonic()
        self.calls = 0
        self.tokens = 0
        self.invalid: dict[str, int] = {}
        self._repeats = repeats
        self._steps: deque[tuple[Step, int]] = deque()
        self._seen: dict[Step, int] = {}
        self._loop: tuple[Step, ...] = ()

    def check_loop(self, tool: str, canonical: bytes) -> None:
        """Refuse the call that would begin one round too many of a cycle that changed nothing, or go on with it."""
        wanted = (tool, canonical)
        if self._seen.get(wanted, 0) < self._repeats:
            return
        loop = self._loop if wanted in self._loop else self._cycle_before(wanted)
        if loop:
            self._loop = loop
            raise _refused(tool, len(loop), self._repeats)

    def _cycle_before(self, wanted: Step) -> tuple[Step, ...]:
        for period in range(1, LONGEST_CYCLE + 1):
            if len(self._steps) < period * self._repeats:
                break
            if self._steps[-period][0] == wanted and self._is_cycle(period):
                return tuple(step for step, _ in list(self._steps)[-period:])
        return ()

    def _is_cycle(self, period: int) -> bool:
        recent = list(self._steps)[-period * self._repeats :]
        return all(recent[i] == recent[i % period] for i in range(period, len(recent)))

    def remember(self, tool: str, canonical: bytes, outcome: int) -> None:
        """Take in an execution with the hash of its outcome."""
        step = (tool, canonical)
        self._loop = ()
        self._steps.append((step, outcome))
        seen = self._seen
        seen[step] = seen.get(step, 0) + 1
        if len(self._steps) > LONGEST_CYCLE * self._repeats:
            old = self._steps.popleft()[0]
            if seen[old] == 1:
                del seen[old]
            else:
                seen[old] -= 1

    def spend_call(self, budgets: Budgets) -> None:
        """Count a call, or refuse it when a budget is used up."""
        if budgets.calls is not None and self.calls >= budgets.calls:
            raise _over("calls", f"{budgets.calls} calls")
        if budgets.time is not None and time.monotonic() - self.started >= budgets.time:
            raise _over("time", f"{budgets.time:g} seconds")
        if budgets.tokens is not None and self.tokens >= budgets.tokens:
            raise _over("tokens", f"{budgets.tokens} tokens of results")
        self.calls += 1

    def count_invalid(self, tool: str) -> int:
        """Count an invalid call; gives how many in a row there are now."""
        self.invalid[tool] = count = self.invalid.get(tool, 0) + 1
        return count


class Sessions:
    """The sessions of one Ares, the last 10,000 used.

    >>> sessions = Sessions(repeats=3)
    >>> sessions.get("a") is sessions.get("a")
    True
    """

    def __init__(self, repeats: int, most: int = MOST_SESSIONS) -> None:
        self._repeats = repeats
        self._most = most
        self._known: dict[str, Session] = {}
        self._latest = self.alone()
        self._lock = threading.Lock()

    def get(self, name: str) -> Session:
        """Give the session of that name, made if it is new."""
        if self._latest.name == name:
            return self._latest
        with self._lock:
            session = self._known.pop(name) if name in self._known else Session(name, self._repeats)
            self._known[name] = self._latest = session
            if len(self._known) > self._most:
                del self._known[next(iter(self._known))]
        return session

    def alone(self) -> Session:
        """Make a session of one call and its children."""
        return Session(None, self._repeats)


def _refused(tool: str, period: int, repeats: int) -> Any:
    what = f"This very call of {tool!r}" if period == 1 else f"This cycle of {period} calls"
    return refuse(
        "loop_detected",
        f"{what} was made {repeats} times with the same outcome each time, so it will not change. Use the result "
        "you have, call with other arguments, or answer without this tool.",
    )


def _over(budget: str, amount: str) -> Any:
    return refuse(
        "budget_exhausted",
        f"The limit of {amount} for this session is reached (guard.budgets.{budget}). "
        "Make no further calls; answer with what you have.",
    )
