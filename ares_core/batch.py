"""Several calls at once: order kept, parallel where effects and resources allow.

A turn is cut into segments in the order of its calls. Calls of one segment run side by side: readers, and writers of
different declared resources. What changes something without saying what, or talks to a person, is a segment of its own.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from ares_core.call import (
    Refused,
    Runner,
    Together,
    broken_off,
    failed_alone,
    fill_resources,
    prepare,
    resolve,
    settle_undone,
)
from ares_core.calls import Code, Effects, Result, ToolCall, replace
from ares_core.errors import UsageError
from ares_core.rollback import roll_back
from ares_core.settings import Limits
from ares_core.table import View, is_seconds
from ares_core.tools import Tool

RunCall = Callable[[ToolCall, "float | None"], Awaitable[Result]]
"""Runs a call until a time on the monotonic clock at most."""
GRACE = 0.25
"""Seconds that calls get to answer by themselves when the time for the whole turn is over."""
READER = Effects(read_only=True, destructive=False)
monotonic = time.monotonic


class Terms(Struct, frozen=True):
    """How a turn is run: how many at once, how long in all, what interrupts it, and whether a failure undoes it."""

    most: int
    until: float | None = None
    interrupt: asyncio.Event | None = None
    rollback: bool = False

    @classmethod
    def of(
        cls, limits: Limits, deadline: float | None, max_parallel: int | None, rollback: bool,
        interrupt: asyncio.Event | None,
    ) -> Terms:  # fmt: skip
        """Check what a caller asks for."""
        if deadline is not None and not is_seconds(deadline):
            raise UsageError(f"deadline is {deadline!r}; give a number of seconds above 0, or None")
        if max_parallel is not None and (type(max_parallel) is not int or max_parallel < 1):
            raise UsageError(f"max_parallel is {max_parallel!r}; give a whole number above 0, or None")
        until = None if deadline is None else monotonic() + deadline
        return cls(min(max_parallel or limits.max_parallel, limits.max_parallel), until, interrupt, rollback)


class Judged(NamedTuple):
    """What is known of a call before it runs; effects are ``None`` if it will be refused."""

    tool: Tool | None
    effects: Effects | None
    changes: bool


async def run_batch(runner: Runner, calls: Sequence[ToolCall], run: RunCall, view: View, terms: Terms) -> list[Result]:
    """Run the calls of one turn; gives a result for each, in the order of the calls."""
    calls = [_identified(call, place) for place, call in enumerate(calls)]
    judged = judge_all(runner, calls, view)
    batch = _Batch(runner, calls, judged, run, terms)
    for segment in segments([one.effects for one in judged], runner.limiter.base):
        try:
            await batch.run_segment(segment)
        except asyncio.CancelledError:
            if not runner.closing:
                raise
        failed = batch.failed_change(segment) if terms.rollback else None
        if failed is not None:
            ended = await roll_back(runner, calls, batch.results, failed, [one.tool for one in judged])
            await settle_undone(runner, ended)
            return ended
    return [result or batch.interrupted(call) for result, call in zip(batch.results, calls, strict=True)]


def _identified(call: ToolCall, place: int) -> ToolCall:
    """Give a call of a turn without an id the one that it gets each time the turn is run."""
    return call if call.id or not call.turn else replace(call, id=f"{call.turn}-{place}")


def segments(effects: Sequence[Effects | None], base: str = "/") -> list[list[int]]:
    """Cut a turn into runs of places that get into nobody's way; calls that will be refused fit in everywhere.

    >>> reads, writes = Effects(read_only=True), Effects()
    >>> segments([reads, reads, writes, reads])
    [[0, 1], [2], [3]]
    >>> segments([Effects(resources=(name,)) for name in ("file:a", "file:b", "file:a")])
    [[0, 1], [2]]
    """
    found: list[list[int]] = []
    together = Together(base)
    before: Effects | None = None
    for place, one in enumerate(effects):
        if found and (one is None or _is_again(one, before) or together.admits(one)):
            found[-1].append(place)
            before = one
            continue
        before = one
        found.append([place])
        together = Together(base)
        if one is not None:
            together.admits(one)
    return found


def _is_again(one: Effects, before: Effects | None) -> bool:
    """Whether this is the same reader of nothing in particular as the call before: it fits in without a look."""
    return one is before and one.read_only and not one.resources and not one.interactive


def judge_all(runner: Runner, calls: Sequence[ToolCall], view: View) -> list[Judged]:
    """Work out what the calls of a turn would do; what the arguments can't change is looked up once for each tool."""
    known: dict[str, Judged] = {}
    found: list[Judged] = []
    for call in calls:
        one = known.get(call.name) if isinstance(call.name, str) else None
        if one is None:
            one = judge(runner, call, view)
            if one.tool is not None and one.effects is one.tool.effects:
                known[call.name] = one
        found.append(one)
    return found


def judge(runner: Runner, call: ToolCall, view: View) -> Judged:
    """Work out what a call would do, by the arguments that will run and not by those that were sent."""
    entry = view.entries.get(call.name) if isinstance(call.name, str) else None
    try:
        entry = entry or resolve(call.name, view, runner.table).entry
    except Refused:
        return Judged(None, READER if call.name else None, False)  # with a request it may be planned for, to read
    tool, effects = entry.tool, entry.tool.effects
    fixed = isinstance(effects, Effects)
    if isinstance(effects, Effects) and not effects.resources:
        return Judged(tool, effects, effects.mutating)
    try:
        arguments, _ = prepare(tool.name, entry.checker, call.arguments)
    except Refused:
        return Judged(tool, None, not isinstance(effects, Effects) or effects.mutating)
    try:
        worked_out = effects if isinstance(effects, Effects) else effects(arguments)
        worked_out = fill_resources(worked_out, arguments, fixed=fixed)
    except Exception:
        worked_out = Effects()
    return Judged(tool, worked_out, worked_out.mutating)


async def answer(work: Awaitable[Result], call: ToolCall) -> Result:
    """Run one call; what keeps it from being run at all, such as a closed Ares, is a result too."""
    try:
        return await work
    except UsageError as error:
        return failed_alone(call, "interrupted", f"{str(error)[:1].upper()}{str(error)[1:]}.")


class _Batch:
    """The calls of one turn and what became of them."""

    def __init__(
        self, runner: Runner, calls: Sequence[ToolCall], judged: Sequence[Judged], run: RunCall, terms: Terms
    ) -> None:
        self._runner = runner
        self._calls = calls
        self._judged = judged
        self._run = run
        self._terms = terms
        self.results: list[Result | None] = [None] * len(calls)

    async def run_segment(self, places: list[int]) -> None:
        """Run calls side by side, or one by itself."""
        interrupt = self._terms.interrupt
        if self.is_over:
            return
        if interrupt is None and len(places) == 1:
            self.results[places[0]] = await self.run_one(places[0])
        elif interrupt is None or not interrupt.is_set():
            await _Together(self, places, self._terms.most).run(interrupt)

    @property
    def is_over(self) -> bool:
        """Whether nothing more may begin."""
        return self._runner.closing

    def run_one(self, place: int) -> Awaitable[Result]:
        """Run one call."""
        call, until = self._calls[place], self._terms.until
        return answer(self._run(call, None), call) if until is None else self._run_until(until, call)

    async def _run_until(self, until: float, call: ToolCall) -> Result:
        """Run one call in what is left of the time for the turn; without any it does not begin."""
        if monotonic() < until:
            loop = asyncio.get_running_loop()
            try:
                async with asyncio.timeout(None) as limit:
                    # a loop that was held up gives them their grace all the same
                    over = loop.call_later(until - monotonic(), lambda: limit.reschedule(loop.time() + GRACE))
                    try:
                        return await answer(self._run(call, until), call)
                    finally:
                        over.cancel()
            except TimeoutError:
                pass
        return failed_alone(call, "timeout", f"The time for the whole turn was over before {call.name!r:.80} began.")

    def give_up(self, place: int) -> None:
        """Answer for a call that was taken away while it ran."""
        is_interrupted = self._runner.closing or self._terms.interrupt is not None
        code: Code = "interrupted" if is_interrupted else "cancelled"
        call = self._calls[place]
        said = broken_off(call.name, code, self._judged[place].changes)
        self.results[place] = failed_alone(call, code, said, executed=True)

    def interrupted(self, call: ToolCall) -> Result:
        """Answer for a call that did not begin."""
        return failed_alone(call, "interrupted", f"The call of {call.name!r:.80} was interrupted.")

    def failed_change(self, places: Sequence[int]) -> int | None:
        """Give the first of these that was to change something and did not."""
        for place in places:
            result = self.results[place]
            if self._judged[place].changes and (result is None or not result.success):
                return place
        return None


class _Together:
    """Calls that run side by side. A worker goes on to the next call as long as calls end without waiting."""

    def __init__(self, batch: _Batch, places: Sequence[int], most: int) -> None:
        self._batch = batch
        self._places: Iterator[int] = iter(places)
        self._left = len(places)
        self._open = len(places)
        self._most = most
        self._tasks: set[asyncio.Task[None]] = set()
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def run(self, interrupt: asyncio.Event | None) -> None:
        watch = None if interrupt is None else asyncio.ensure_future(self._watch(interrupt))
        self._start()
        try:
            await self._over
        finally:
            workers = [*self._tasks, *([watch] if watch else [])]
            for worker in workers:
                worker.cancel()
            if workers:
                await asyncio.gather(*workers, return_exceptions=True)

    async def _watch(self, interrupt: asyncio.Event) -> None:
        await interrupt.wait()
        self._end()

    def _end(self) -> None:
        if not self._over.done():
            self._over.set_result(None)

    def _start(self) -> None:
        if self._left and len(self._tasks) < self._most:
            worker = asyncio.get_running_loop().create_task(self._work())
            self._tasks.add(worker)
            worker.add_done_callback(self._ended)

    def _ended(self, worker: asyncio.Task[None]) -> None:
        self._tasks.discard(worker)
        if not self._over.done() and not self._tasks:
            self._start()

    async def _work(self) -> None:
        for started, place in enumerate(self._places):
            self._left -= 1
            if not started:
                self._start()
            if self._batch.is_over:  # what ran here has told so by its result
                self._settle()
                continue
            try:
                self._batch.results[place] = await self._batch.run_one(place)
            except asyncio.CancelledError:
                self._batch.give_up(place)
                self._settle()
                raise
            self._settle()

    def _settle(self) -> None:
        self._open -= 1
        if not self._open:
            self._end()
