"""Stage 7, guard: loops and budgets, by session.

``session=None`` is a session of one call: nothing is remembered. A named session remembers its last executions.
A loop is the same cycle of calls, with the same outcomes, run ``max_identical_calls`` times: A-A-A or A-B-A-B-A-B.
A changed outcome is progress and breaks it. No call of a loop runs again until some other call has run.
Twice as many calls in a row that differ in spelling only, with the same result or the same class of error, are one too.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ares_core.budget import Budget, join
from ares_core.call.alike import are_alike, error_class
from ares_core.call.refusal import Refused, refuse
from ares_core.call.run import Run
from ares_core.calls import Result
from ares_core.counts import counted
from ares_core.settings import Budgets

if TYPE_CHECKING:
    from ares_core.call.route import Route

LONGEST_CYCLE = 4
MOST_SESSIONS = 10_000
MOST_POLLS = 200
"""So many rounds that changed nothing a tool may run that says it is for polling."""
Step = tuple[int, bytes, str, bool]
"""One execution: the hash of its outcome, its arguments, its tool, and whether it polled."""


class Session:
    """What is remembered of one session."""

    __slots__ = (
        "_alike", "_kind", "_loop", "_polls", "_repeats", "_seen", "_steps", "_succeeded", "budget", "invalid",
        "is_suspect", "name",
    )  # fmt: skip

    def __init__(self, name: str | None, repeats: int, budget: Budget | None = None) -> None:
        self.name = name
        self.budget = budget
        self.invalid: dict[str, int] = {}
        self.is_suspect = False
        self._repeats = repeats
        self._steps: deque[Step] = deque()
        self._seen: dict[int, int] = {}
        self._loop: tuple[Step, ...] = ()
        self._polls = 0
        self._kind = 0
        self._succeeded = True
        self._alike = 0

    def check_loop(self, tool: str, canonical: bytes, known_as: str = "") -> None:
        """Refuse the call that would begin one round too many of a cycle that changed nothing, or go on with it.

        Needs to be asked only while ``is_suspect``: without that there is no cycle. ``known_as`` is what the caller
        calls the tool.
        """
        if self._alike >= 2 * self._repeats and self._goes_on_alike(tool, canonical):
            raise _alike_refused(known_as or tool, self._alike, self._succeeded)
        wanted = (canonical, tool)
        is_in_loop = any(step[1:3] == wanted for step in self._loop)
        loop = self._loop if is_in_loop else self._cycle_before(wanted)
        if loop and not self._may_poll(loop):
            self._loop = loop
            raise _refused(known_as or tool, len(loop), self._repeats)

    def _goes_on_alike(self, tool: str, canonical: bytes) -> bool:
        _, latest, name, polls = self._steps[-1]
        return tool == name and not polls and are_alike(latest, canonical, failed=not self._succeeded)

    def _may_poll(self, loop: tuple[Step, ...]) -> bool:
        if not any(polls for *_, polls in loop):
            return False
        self._polls += 1
        return self._polls <= MOST_POLLS * len(loop)

    def _cycle_before(self, wanted: tuple[bytes, str]) -> tuple[Step, ...]:
        steps = list(self._steps)
        for period in range(1, LONGEST_CYCLE + 1):
            if len(steps) < period * self._repeats:
                break
            if steps[-period][1:3] == wanted and steps[-period * self._repeats :] == steps[-period:] * self._repeats:
                return tuple(steps[-period:])
        return ()

    def remember(
        self, tool: str, canonical: bytes, outcome: int, error: int | None = None, *, polls: bool = False
    ) -> int:  # fmt: skip
        """Take in an execution with the hash of its outcome, and of a failure's class.

        Gives how many in a row are alike, if so many in spellings of their own are worth a word (else 0): of identical
        ones a refusal tells. ``error`` 0 is a failure that may pass by itself: it makes no two calls alike.
        """
        kind = outcome if error is None else error
        if kind == self._kind and error != 0 and self._is_like_latest(tool, canonical):
            self._alike += 1
        else:
            self._alike = 1
        self._kind, self._succeeded, self._loop = kind, error is None, ()
        step = (outcome, canonical, tool, polls)
        same = self._count(step)
        self.is_suspect = same >= self._repeats or self._alike >= 2 * self._repeats
        if not self.is_suspect:
            self._polls = 0
        return self._alike if self._alike >= self._repeats > same and not polls else 0

    def _count(self, step: Step) -> int:
        """Take a step in; gives how often it was made among the last ones, or a little more while that is seldom."""
        steps, seen = self._steps, self._seen
        outcome = step[0]
        steps.append(step)
        seen[outcome] = same = seen.get(outcome, 0) + 1
        if len(steps) > LONGEST_CYCLE * self._repeats:
            old = steps.popleft()[0]
            if seen[old] == 1:
                del seen[old]
            else:
                seen[old] -= 1
        return same if same < self._repeats else steps.count(step)

    def _is_like_latest(self, tool: str, canonical: bytes) -> bool:
        return bool(self._steps) and self._steps[-1][2] == tool and are_alike(
            self._steps[-1][1], canonical, failed=not self._succeeded
        )  # fmt: skip

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

    def __init__(self, repeats: int, budgets: Budgets | None = None, most: int = MOST_SESSIONS) -> None:
        self._repeats = repeats
        self._budgets = None if budgets == Budgets() else budgets
        self._most = most
        self._known: dict[str, Session] = {}
        self._latest = Session(None, repeats)
        self._lock = threading.Lock()

    @property
    def have_budgets(self) -> bool:
        """Whether each session has a budget."""
        return self._budgets is not None

    def get(self, name: str) -> Session:
        """Give the session of that name, made if it is new."""
        if self._latest.name == name:
            return self._latest
        with self._lock:
            known = self._known.pop(name, None)
            session = Session(name, self._repeats, self.new_budget()) if known is None else known
            self._known[name] = self._latest = session
            if len(self._known) > self._most:
                del self._known[next(iter(self._known))]
        return session

    def new_budget(self) -> Budget | None:
        """Make the budget of a session, or of a call without one, if budgets are configured."""
        if self._budgets is None:
            return None
        limits = {name: getattr(self._budgets, name) for name in self._budgets.__struct_fields__}
        return Budget(**limits, name="this session", key="guard.budgets")


def set_budget(run: Run, given: Budget | None) -> None:
    """Give a call the budget it spends from: what it was bound to, its session's, and that of the call above it."""
    sessions, session = run.runner.sessions, run.session
    if session is not None:
        run.budget = join(given, session.budget, run.budget)
    else:
        run.budget = join(given, run.budget if run.parent is not None else sessions.new_budget())


def guard(run: Run, route: Route) -> None:
    """Refuse a call that goes round in circles, or for which nothing is left; count the others."""
    session = run.session
    if session is not None:
        if session.invalid:
            session.invalid.pop(route.name, None)
        if session.is_suspect:
            session.check_loop(run.call.name, run.canonical_arguments, route.name)
    if run.budget is not None and (failure := run.budget.spend(calls=1)):
        raise Refused(failure)


def remember(run: Run, route: Route, result: Result) -> Result:
    """Take in what an execution came to; the result gets a word more when calls begin to look like a loop."""
    if run.budget is not None and run.budget.left()["tokens"] is not None:
        run.budget.spend(tokens=run.runner.count(result.text))
    session = run.session
    if session is None:
        return result
    error, effects = result.error, run.call.effects
    kind = None if error is None else 0 if error.retriable else error_class(error, run.arguments)
    alike = session.remember(
        run.call.name, run.canonical_arguments, hash(result.text) ^ (error is None), kind,
        polls=effects is not None and effects.polling,
    )  # fmt: skip
    if not alike:
        return result
    note = f"[{alike} calls of {route.name!r} in a row asked nearly the same and {_came_to(error is None)}]"
    return replace(result, text=f"{result.text}\n{note}")


def _came_to(succeeded: bool) -> str:
    if succeeded:
        return "gave the same result; ask for something else, or use what you have"
    return "failed in the same way; try another way, or say what stands in the way"


def _refused(tool: str, period: int, repeats: int) -> Refused:
    what = f"This very call of {tool!r}" if period == 1 else f"This cycle of {period} calls"
    return refuse(
        "loop_detected",
        f"{what} was made {counted(repeats, 'time')} with the same outcome each time, so it will not change. Use the "
        "result you have, call with other arguments, or answer without this tool.",
    )


def _alike_refused(tool: str, count: int, succeeded: bool) -> Refused:
    return refuse(
        "loop_detected",
        f"The last {count} calls of {tool!r} asked nearly the same as this one and {_came_to(succeeded)}. "
        "A call with really different arguments is welcome.",
    )
