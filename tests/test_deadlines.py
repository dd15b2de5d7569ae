"""Deadlines and cancellation: what hangs is left behind, and what that means depends on the effects."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any, cast

import pytest

from ares_core import Ares, Effects, Result, Tool, ToolCall, ToolContext
from ares_core.call.deadline import Deadlines

READS = Effects(read_only=True, open_world=False)


WRITES = Effects(open_world=False)


def tool(fn: Any, **options: Any) -> Tool:
    return Tool.from_function(fn, **{"effects": READS, **options})


def code(result: Result) -> str | None:
    return result.error.code if result.error else None


async def echo(x: int) -> int:
    """Say it again."""
    return x


def echo_plain(x: int) -> int:
    """Say it again."""
    return x


def test_a_hanging_async_tool_is_cancelled_at_its_deadline(ares: Ares) -> None:
    ends: list[str] = []

    async def hang() -> None:
        """Hang."""
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ends.append("cancelled")
            raise

    ares.register(tool(hang, timeout=0.05))
    result = ares.call_sync("hang")
    assert code(result) == "timeout"
    assert "within 0.05 s" in result.text
    assert result.error is not None
    assert result.error.retriable
    assert ends == ["cancelled"]


@pytest.mark.parametrize("effects", [READS, WRITES, Effects(idempotent=True)], ids=["reads", "writes", "idempotent"])
@pytest.mark.parametrize("kind", ["async", "thread"])
def test_past_the_deadline_a_reader_timed_out_and_of_a_writer_the_outcome_is_unknown(
    kind: str, effects: Effects, ares: Ares
) -> None:
    release = threading.Event()

    async def hang() -> None:
        """Hang."""
        await asyncio.sleep(60)

    def hang_in_thread() -> None:
        """Hang."""
        release.wait(60)

    ares.register(tool(hang if kind == "async" else hang_in_thread, name="hang", effects=effects, timeout=0.05))
    result = ares.call_sync("hang")
    release.set()
    assert code(result) == ("timeout" if effects.read_only else "outcome_unknown")
    assert effects.read_only or "Look before you call it again" in result.text


def test_stuck_threads_hold_up_neither_their_callers_nor_others(ares: Ares) -> None:
    release = threading.Event()

    def stuck() -> None:
        """Block."""
        release.wait(60)

    ares.register(tool(stuck, timeout=0.1))
    ares.register(tool(echo_plain))
    began = time.monotonic()
    results = asyncio.run(ares.call_many([ToolCall("stuck") for _ in range(9)]))
    assert [code(result) for result in results] == ["timeout"] * 9
    assert ares.call_sync("echo_plain", {"x": 2}).data == 2
    assert time.monotonic() - began < 50
    release.set()


def test_a_stuck_thread_keeps_the_tools_own_place_until_it_is_back_and_not_the_common_one(eventually: Any) -> None:
    release = threading.Event()

    def stuck(wait: bool) -> str:
        """Block."""
        if wait:
            release.wait(60)
        return "free"

    with Ares(plugins=[], config={"limits": {"max_parallel": 1, "queue_wait": 0.1}}) as ares:
        ares.register(tool(stuck, max_concurrency=1))
        ares.register(tool(echo))
        assert code(ares.call_sync("stuck", {"wait": True}, timeout=0.1)) == "timeout"
        assert ares.call_sync("echo", {"x": 1}).success
        assert code(ares.call_sync("stuck", {"wait": False})) == "queue_full"
        release.set()
        eventually(lambda: ares.runner.limiter._gates["stuck", 1]._free)
        assert ares.call_sync("stuck", {"wait": False}).data == "free"


@pytest.mark.parametrize(
    ("limits", "tool_says", "call_says", "expected"),
    [
        ({}, None, None, 30),
        ({"timeout": 130}, None, None, 130),
        ({"timeout": 130}, 230, None, 230),
        ({"timeout": 130}, 230, 330, 330),
        ({"timeout": 130}, 330, 230, 230),
        ({"timeout": 130, "max_timeout": 430}, 530, None, 430),
        ({"timeout": 130, "max_timeout": 430}, None, 1e12, 430),
    ],
)
def test_the_most_specific_time_limit_wins_but_never_above_the_maximum(
    limits: dict[str, Any], tool_says: Any, call_says: Any, expected: float
) -> None:
    async def left(context: ToolContext) -> float | None:
        """Say how much time is left."""
        return context.remaining

    with Ares(plugins=[], config={"limits": limits}) as ares:
        ares.register(tool(left, timeout=tool_says))
        by_keyword, by_call = (
            ares.call_sync("left", timeout=call_says),
            ares.call_sync(ToolCall("left", timeout=call_says)),
        )
    for left_over in (by_keyword.data, by_call.data):
        assert expected - 29 < left_over <= expected


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf"), True, "30", [5]], ids=repr)
def test_a_time_limit_that_is_none_is_refused_before_anything_runs(value: Any, ares: Ares) -> None:
    ares.register(tool(echo))
    for result in (
        ares.call_sync("echo", {"x": 1}, timeout=value),
        ares.call_sync(ToolCall("echo", {"x": 1}, timeout=value)),
    ):
        assert code(result) == "invalid_arguments"
        assert "timeout" in result.text
        assert "Not executed" in result.text


def test_a_thread_that_is_held_up_while_it_looks_at_its_loops_clock_sets_no_deadline_wrong() -> None:
    class HeldUp:
        def time(self) -> float:
            now = time.monotonic()
            time.sleep(0.01)
            return now

    assert Deadlines(cast("asyncio.AbstractEventLoop", HeldUp()))._ahead == 0


def test_a_models_own_timeout_argument_does_not_raise_the_limit(ares: Ares) -> None:
    async def hang(timeout: float) -> None:
        """Hang."""
        await asyncio.sleep(60)

    ares.register(tool(hang, timeout=0.05))
    assert code(ares.call_sync("hang", {"timeout": 1e9})) == "timeout"


def test_a_tool_that_swallows_its_cancellation_answers_too_late(ares: Ares) -> None:
    async def stubborn() -> str:
        """Go on."""
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await asyncio.sleep(0.01)
        return "late"

    ares.register(tool(stubborn, timeout=0.05))
    ares.register(tool(echo))
    assert code(ares.call_sync("stubborn")) == "timeout"
    assert ares.call_sync("echo", {"x": 1}).success


def test_a_tools_own_timeout_error_is_a_tool_error(ares: Ares) -> None:
    async def impatient() -> None:
        """Give up."""
        async with asyncio.timeout(0.01):
            await asyncio.sleep(60)

    ares.register(tool(impatient))
    assert code(ares.call_sync("impatient")) == "tool_error"


def test_a_thread_can_see_that_nobody_waits_any_more(ares: Ares) -> None:
    seen: list[bool] = []
    over = threading.Event()

    def patient(context: ToolContext) -> None:
        """Look now and then."""
        while not context.cancelled:
            time.sleep(0.01)
        seen.append(context.cancelled)
        over.set()

    ares.register(tool(patient, timeout=0.05))
    assert code(ares.call_sync("patient")) == "timeout"
    assert over.wait(30)
    assert seen == [True]


def test_cancelling_a_caller_cancels_the_tool_and_is_recorded(ares: Ares) -> None:
    events: list[Any] = []
    ares.on_event(events.append)
    ends: list[str] = []
    begun = asyncio.Event()

    async def hang() -> None:
        """Hang."""
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            ends.append("over")

    async def main() -> None:
        task = asyncio.ensure_future(ares.call("hang"))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    ares.register(tool(hang))
    asyncio.run(main())
    assert ends == ["over"]
    assert events[-1].data["code"] == "cancelled"


def test_a_tool_that_cancels_itself_is_a_result(ares: Ares) -> None:
    async def gives_up() -> None:
        """Give up."""
        raise asyncio.CancelledError

    ares.register(tool(gives_up))
    assert code(ares.call_sync("gives_up")) == "cancelled"


def test_a_cancelled_caller_does_not_wait_for_a_thread(ares: Ares) -> None:
    begun, release = threading.Event(), threading.Event()

    def block() -> None:
        """Block."""
        begun.set()
        release.wait(60)

    async def main() -> None:
        task = asyncio.ensure_future(ares.call("block"))
        assert await asyncio.to_thread(begun.wait, 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 30)

    ares.register(tool(block))
    asyncio.run(main())
    release.set()
