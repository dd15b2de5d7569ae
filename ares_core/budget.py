"""Budgets: what a session, an agent and its sub-agents may use up, as one tree."""

from __future__ import annotations

import threading
import time as clock
from collections.abc import Iterable

from ares_core.calls import Failure
from ares_core.counts import counted
from ares_core.errors import UsageError

Limit = float | None
UNITS = {"iterations": ("turn of the model", "turns of the model"), "calls": ("call",), "time": ("second",),
         "tokens": ("token",)}  # fmt: skip
_lock = threading.Lock()


class Account:
    """What one budget allows, and what was used of it, by itself and by those below."""

    __slots__ = ("_key", "_limits", "_name", "_since", "_used")

    def __init__(self, limits: dict[str, float], name: str, key: str) -> None:
        self._limits = limits
        self._used: dict[str, float] = dict.fromkeys(UNITS, 0)
        self._since: float | None = None
        self._name = name
        self._key = key

    def take(self, counts: dict[str, int], now: float) -> None:
        """Count what is used."""
        if self._since is None:
            self._since = now
        for kind, count in counts.items():
            self._used[kind] += count

    def refusal(self, counts: dict[str, int], now: float) -> Failure | None:
        """Say why so much can't be used, or why nothing can be begun any more."""
        for kind, count in counts.items():
            if count and kind in self._limits and self._used[kind] + count > self._limits[kind]:
                return self._over(kind)
        return self.ended(now) if counts["iterations"] or counts["calls"] else None

    def ended(self, now: float) -> Failure | None:
        """Say why work under way has to end."""
        for kind in ("time", "tokens"):
            if kind in self._limits and not self.left(kind, now):
                return self._over(kind)
        return None

    def left(self, kind: str, now: float) -> Limit:
        """Tell what is left; ``None`` is no limit."""
        if kind not in self._limits:
            return None
        used = self._used[kind] if kind != "time" else 0.0 if self._since is None else now - self._since
        return max(self._limits[kind] - used, 0)

    def _over(self, kind: str) -> Failure:
        key = f" ({self._key}.{kind})" if self._key else ""
        return Failure(
            "budget_exhausted",
            f"The limit of {counted(self._limits[kind], *UNITS[kind])} for {self._name} is reached{key}. "
            "Make no further calls; answer with what you have.",
        )

    def __repr__(self) -> str:
        return f"Budget({', '.join(f'{kind}={limit}' for kind, limit in self._limits.items())})"


class Budget:
    """What may be used up; ``None`` is no limit, ``time`` is in seconds and runs from the first spending.

    What a child spends counts in all budgets above it, so no child gets more than is left there. ``name`` is whose
    budget it is and ``key`` the setting it comes from, for the sentence that says it is used up.

    >>> whole = Budget(calls=10, tokens=5_000)
    >>> part = whole.child(calls=3)
    >>> [part.spend(calls=1) for _ in range(3)], whole.left()["calls"]
    ([None, None, None], 7)
    >>> part.spend(calls=1).code
    'budget_exhausted'
    """

    __slots__ = ("accounts",)

    def __init__(
        self, iterations: int | None = None, calls: int | None = None, time: Limit = None, tokens: int | None = None,
        *, name: str = "this run", key: str = "", above: Iterable[Account] = (),
    ) -> None:  # fmt: skip
        given = {"iterations": iterations, "calls": calls, "time": time, "tokens": tokens}
        limits = {kind: _checked(kind, limit) for kind, limit in given.items() if limit is not None}
        self.accounts = (Account(limits, name, key), *above)

    def child(
        self, iterations: int | None = None, calls: int | None = None, time: Limit = None, tokens: int | None = None,
        *, name: str = "this run",
    ) -> Budget:  # fmt: skip
        """Make a budget for a part of the work, such as a sub-agent; it holds beside all those above it."""
        return Budget(iterations, calls, time, tokens, name=name, above=self.accounts)

    def spend(self, *, iterations: int = 0, calls: int = 0, tokens: int = 0) -> Failure | None:
        """Count what is used, here and above; gives the failure ``budget_exhausted`` if that is more than is left.

        Turns and calls that are refused are not counted. Tokens always are: they were used before anybody knew.
        """
        counts = {"iterations": iterations, "calls": calls, "tokens": tokens}
        if min(iterations, calls, tokens) < 0:
            raise UsageError("what was spent can't be given back; spend takes numbers from 0 up")
        now = clock.monotonic()
        with _lock:
            failure = next((said for account in self.accounts if (said := account.refusal(counts, now))), None)
            if failure is not None:
                counts = {"tokens": tokens}
            for account in self.accounts:
                account.take(counts, now)
        return failure

    @property
    def exhausted(self) -> Failure | None:
        """Why work under way, such as a stream, has to end now: the time or the tokens are used up, here or above."""
        now = clock.monotonic()
        return next((said for account in self.accounts if (said := account.ended(now))), None)

    def left(self) -> dict[str, Limit]:
        """Tell what is left of each, here and above; ``None`` is no limit.

        >>> Budget(calls=2).left()
        {'iterations': None, 'calls': 2, 'time': None, 'tokens': None}
        """
        now = clock.monotonic()
        return {kind: _least(account.left(kind, now) for account in self.accounts) for kind in UNITS}

    def __repr__(self) -> str:
        return repr(self.accounts[0])


def join(*budgets: Budget | None) -> Budget | None:
    """Give one budget that spends from all of them, each once; ``None`` if there is none.

    >>> whole = Budget(calls=3)
    >>> part = whole.child(calls=2)
    >>> join(whole, None, part) is part
    True
    """
    given = [budget for budget in budgets if budget is not None]
    accounts = dict.fromkeys(account for budget in given for account in budget.accounts)
    for budget in given:
        if len(budget.accounts) == len(accounts):
            return budget
    return Budget(above=accounts) if given else None


def _checked(kind: str, limit: float) -> float:
    wanted = int | float if kind == "time" else int
    if isinstance(limit, bool) or not isinstance(limit, wanted) or not 0 <= limit < float("inf"):
        raise UsageError(f"the budget of {kind} is {limit!r:.60}; give a number from 0 up, or None for no limit")
    return limit


def _least(amounts: Iterable[Limit]) -> Limit:
    return min((amount for amount in amounts if amount is not None), default=None)
