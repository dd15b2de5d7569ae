"""Stage 9, limit: what a call waits for before it runs, with a bounded queue and a bounded wait.

First its tool's rate, then the resources that it names, then a place among the calls of its tool and among all. A
call with none of the first three that finds a place comes by here without waiting, locking or making anything.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING

from ares_core.call.finish import redact
from ares_core.call.gate import Gate
from ares_core.call.locks import Held, Locks, held_above
from ares_core.call.rates import Bucket
from ares_core.call.refusal import Refused, refuse
from ares_core.call.resources import Step, steps_to
from ares_core.call.tell import emit
from ares_core.settings import Settings
from ares_core.tools import Tool

if TYPE_CHECKING:
    from ares_core.call.route import Route
    from ares_core.call.run import Run

monotonic = time.monotonic
MOST_SAID = 3


class Holding:
    """What one call holds besides its place among all: it keeps this until its thread is back."""

    __slots__ = ("gate", "locks")

    def __init__(self) -> None:
        self.gate: Gate | None = None
        self.locks: Held | None = None

    def leave(self) -> None:
        """Give everything back."""
        if self.gate is not None:
            self.gate.leave()
        if self.locks is not None:
            self.locks.leave()


class Limiter:
    """The places, rates and locks of one Ares."""

    def __init__(self, settings: Settings) -> None:
        self.limits = limits = settings.limits
        self.base = os.path.abspath(os.path.expanduser(settings.tools.file_sandbox_dir or "."))
        self.gate = Gate(limits.max_parallel, limits.max_waiting, "calls at once (limits.max_parallel)")
        self.locks = Locks(limits.max_waiting)
        self._gates: dict[tuple[str, int], Gate] = {}
        self._buckets: dict[str, Bucket] = {}

    def gate_of(self, tool: Tool) -> Gate | None:
        """Give the gate of a tool that has a limit of its own."""
        if tool.max_concurrency is None:
            return None
        key = (tool.name, tool.max_concurrency)
        if key not in self._gates:
            self._gates[key] = Gate(key[1], self.limits.max_waiting, f"calls of {tool.name!r} at once")
        return self._gates[key]

    def bucket_of(self, tool: Tool) -> Bucket | None:
        """Give the bucket of a tool that has a rate."""
        rate = self.limits.rates.get(tool.name)
        if rate is None:
            return None
        if tool.name not in self._buckets:
            self._buckets[tool.name] = Bucket(rate, tool.name, self.limits.max_waiting)
        return self._buckets[tool.name]

    async def admit(self, run: Run, route: Route) -> Gate | None:
        """Wait until the call may run; gives its place among all, to be given back, if it needs one."""
        bucket, holding = route.bucket, Holding()
        if bucket is not None and not bucket.try_take():
            await self._rated(run, bucket)
        try:
            if run.call.effects is not None and run.call.effects.resources:
                await self._lock(run, holding, steps_to(run.call.effects, self.base))
            if route.gate is not None and not run.is_inside(route.gate):
                await self._enter(run, route.gate)
                holding.gate = route.gate
            if run.parent is None or run.parent.done:
                await self._enter(run, self.gate)
        except BaseException:
            holding.leave()
            if bucket is not None:
                bucket.give_back()
            raise
        if holding.gate is not None or holding.locks is not None:
            run.held = holding
        return self.gate if run.parent is None or run.parent.done else None

    async def _rated(self, run: Run, bucket: Bucket) -> None:
        try:
            await self._queue(run, bucket.what, bucket.take(self._left(run), _session(run)))
        except Refused:
            run.notes = {**(run.notes or {}), "retry_after_s": bucket.next_in()}
            raise

    async def _lock(self, run: Run, holding: Holding, steps: Sequence[Step]) -> None:
        above = tuple(held_above(run)) if run.parent is not None else ()
        holding.locks = held = Held(self.locks, list(steps[: self.locks.take_free(steps, above)]))
        if len(held.steps) < len(steps):
            what = ", ".join(run.call.effects.resources[:MOST_SAID]) if run.call.effects else ""
            await self._queue(run, what, self._wait_for(what, run, self.locks.take(held, steps, above, _session(run))))

    async def _wait_for(self, what: str, run: Run, work: Awaitable[None]) -> None:
        wait = self._left(run)
        try:
            async with asyncio.timeout(wait):
                await work
        except TimeoutError:
            raise refuse(
                "queue_full", f"Other calls did not let go of {what} within {wait:g} s; call again later.",
                retriable=True,
            ) from None  # fmt: skip

    async def _enter(self, run: Run, gate: Gate) -> None:
        if not gate.try_enter():
            await self._queue(run, gate.what, gate.enter(self._left(run), _session(run)))

    async def _queue(self, run: Run, what: str, work: Awaitable[None]) -> None:
        if run.runner.listeners:
            emit(run, "queued", {"for": redact(run.runner, run, what)})
        since = monotonic()
        try:
            await work
        finally:
            run.waited += monotonic() - since

    def _left(self, run: Run) -> float:
        return max(self.limits.queue_wait - run.waited, 0.0)

    def forked(self) -> None:
        """Free everything: after a fork who holds places is the parent's affair."""
        for gate in (self.gate, *self._gates.values()):
            gate.forked()
        for bucket in self._buckets.values():
            bucket.forked()
        self.locks.forked()


def _session(run: Run) -> str | None:
    return None if run.session is None else run.session.name
