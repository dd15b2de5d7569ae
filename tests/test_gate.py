"""A gate with places and a queue: in whatever order people come, leave and lose patience, no place is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from ares_core.call.gate import Gate
from ares_core.call.refusal import Refused


def test_a_loop_that_closes_with_calls_in_the_queue_keeps_nobody_waiting() -> None:
    gate = Gate(1, 10, "places")
    assert gate.try_enter()
    loop = asyncio.new_event_loop()
    waiter = loop.create_task(gate.enter(60))
    loop.run_until_complete(asyncio.sleep(0))
    assert gate.waiting == 1
    waiter.cancel()
    loop.run_until_complete(asyncio.gather(waiter, return_exceptions=True))
    loop.close()
    gate.leave()
    assert gate.try_enter()


def test_a_loop_that_died_with_a_waiter_is_passed_over() -> None:
    gate = Gate(1, 10, "places")
    assert gate.try_enter()
    dead = asyncio.new_event_loop()
    abandoned = gate.enter(60)
    task = dead.create_task(abandoned)
    dead.run_until_complete(asyncio.sleep(0))
    dead.close()

    async def second() -> str:
        waiter = asyncio.ensure_future(gate.enter(10))
        await asyncio.sleep(0)
        gate.leave()
        await waiter
        return "in"

    assert asyncio.run(second()) == "in"
    task._log_destroy_pending = False  # type: ignore[attr-defined]
    abandoned.close()


class GateMachine(RuleBasedStateMachine):
    """People at a gate with two places and a queue of three: come, leave, lose patience, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.gate = Gate(2, 3, "places")
        self.inside: list[asyncio.Task[None]] = []
        self.waiting: list[asyncio.Task[None]] = []

    def settle(self) -> None:
        for _ in range(5):
            self.loop.run_until_complete(asyncio.sleep(0))
        for task in [task for task in self.waiting if task.done()]:
            self.waiting.remove(task)
            if not task.cancelled() and task.exception() is None:
                self.inside.append(task)

    async def _come(self) -> None:
        if not self.gate.try_enter():
            await self.gate.enter(60)

    @rule()
    def come(self) -> None:
        full = len(self.inside) == 2 and len(self.waiting) == 3
        task = self.loop.create_task(self._come())
        self.waiting.append(task)
        self.settle()
        refused = task.done() and not task.cancelled() and isinstance(task.exception(), Refused)
        assert refused == full

    @precondition(lambda self: self.inside)
    @rule(cancel=st.booleans(), data=st.data())
    def leave(self, cancel: bool, data: st.DataObject) -> None:
        self.inside.pop()
        next_in_line = self.waiting[:1]
        self.gate.leave()
        if cancel and self.waiting:
            loser = data.draw(st.sampled_from(self.waiting))
            loser.cancel()
            next_in_line = [task for task in self.waiting if task is not loser][:1]
        self.settle()
        assert not next_in_line or next_in_line[0] in self.inside

    @precondition(lambda self: self.waiting)
    @rule(data=st.data())
    def lose_patience(self, data: st.DataObject) -> None:
        data.draw(st.sampled_from(self.waiting)).cancel()
        self.settle()

    @invariant()
    def no_place_is_lost_or_given_twice(self) -> None:
        assert len(self.gate._free) + len(self.inside) == 2
        assert self.gate.waiting == len(self.waiting)
        assert not (self.waiting and self.gate._free)

    def teardown(self) -> None:
        for task in self.waiting:
            task.cancel()
        self.settle()
        self.loop.close()


TestGate: Callable[[], Any] = GateMachine.TestCase


TestGate.settings = settings(stateful_step_count=30)  # type: ignore[attr-defined]
