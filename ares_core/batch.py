"""Several calls at once: order kept, parallel where effects allow.

Calls in a row that only read run together; one that changes something or talks to a person runs alone, in its place.
Workers are started as they are needed: a worker goes on to the next call as long as calls end without waiting.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence

from ares_core.call import Refused, Runner, failed_alone, prepare, resolve
from ares_core.calls import Effects, Result, ToolCall, replace
from ares_core.errors import UsageError
from ares_core.table import View

RunCall = Callable[[ToolCall], Awaitable[Result]]


async def run_batch(runner: Runner, calls: Sequence[ToolCall], run: RunCall, view: View) -> list[Result]:
    """Run the calls of one turn; gives a result for each, in the order of the calls."""
    calls = [_identified(call, place) for place, call in enumerate(calls)]
    results: list[Result | None] = [None] * len(calls)
    for segment in segments(calls, lambda call: is_reader(runner, call, view)):
        try:
            if len(segment) == 1:
                results[segment[0]] = await answer(run, calls[segment[0]])
            else:
                await _Together(calls, segment, run, results, runner.settings.limits.max_parallel).run()
        except asyncio.CancelledError:
            if not runner.closing:
                raise
    return [result or _interrupted(call) for result, call in zip(results, calls, strict=True)]


def _identified(call: ToolCall, place: int) -> ToolCall:
    """Give a call of a turn without an id the one that it gets each time the turn is run."""
    return call if call.id or not call.turn else replace(call, id=f"{call.turn}-{place}")


async def answer(run: RunCall, call: ToolCall) -> Result:
    """Run one call; what keeps it from being run at all, such as a closed Ares, is a result too."""
    try:
        return await run(call)
    except UsageError as error:
        return failed_alone(call, "interrupted", f"{str(error)[:1].upper()}{str(error)[1:]}.")


def _interrupted(call: ToolCall) -> Result:
    return failed_alone(call, "interrupted", f"The call of {call.name!r:.80} was interrupted.")


def segments(calls: Sequence[ToolCall], reads: Callable[[ToolCall], bool]) -> list[list[int]]:
    """Cut a turn into runs of places: readers together, every other call alone.

    >>> calls = [ToolCall("read"), ToolCall("read"), ToolCall("write"), ToolCall("read")]
    >>> segments(calls, lambda call: call.name == "read")
    [[0, 1], [2], [3]]
    """
    found: list[list[int]] = []
    joined = False
    for place, call in enumerate(calls):
        reader = reads(call)
        if reader and joined:
            found[-1].append(place)
        else:
            found.append([place])
        joined = reader
    return found


def is_reader(runner: Runner, call: ToolCall, view: View) -> bool:
    """Whether a call may run beside others: it only reads, or will be refused anyway."""
    entry = view.entries.get(call.name) if isinstance(call.name, str) else None
    if entry is None:
        try:
            entry = resolve(call.name, view, runner.table).entry
        except Refused:
            return True
    effects = entry.tool.effects
    if not isinstance(effects, Effects):  # they are judged by the arguments that will run, not by those that were sent
        try:
            effects = effects(prepare(entry.tool.name, entry.checker, call.arguments).arguments)
        except Refused:
            return True
        except Exception:
            return False
    return isinstance(effects, Effects) and effects.read_only and not effects.interactive


class _Together:
    """Calls that run side by side."""

    def __init__(
        self, calls: Sequence[ToolCall], places: Sequence[int], run: RunCall, results: list[Result | None], most: int
    ) -> None:
        self._calls = calls
        self._places: Iterator[int] = iter(places)
        self._left = len(places)
        self._open = len(places)
        self._run = run
        self._results = results
        self._most = most
        self._tasks: set[asyncio.Task[None]] = set()
        self._all_done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def run(self) -> None:
        self._start()
        try:
            await self._all_done
        finally:
            workers = list(self._tasks)
            for worker in workers:
                worker.cancel()
            if workers:
                await asyncio.gather(*workers, return_exceptions=True)

    def _start(self) -> None:
        if self._left and len(self._tasks) < self._most:
            worker = asyncio.get_running_loop().create_task(self._work())
            self._tasks.add(worker)
            worker.add_done_callback(self._ended)

    def _ended(self, worker: asyncio.Task[None]) -> None:
        self._tasks.discard(worker)
        if not self._all_done.done() and not self._tasks:
            self._start()

    async def _work(self) -> None:
        for started, place in enumerate(self._places):
            self._left -= 1
            if not started:
                self._start()
            try:
                result = await answer(self._run, self._calls[place])
            except asyncio.CancelledError:
                call = self._calls[place]
                self._settle(place, failed_alone(call, "cancelled", f"The call of {call.name!r:.80} was cancelled."))
                raise
            self._settle(place, result)

    def _settle(self, place: int, result: Result) -> None:
        self._results[place] = result
        self._open -= 1
        if not self._open and not self._all_done.done():
            self._all_done.set_result(None)
