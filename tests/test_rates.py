"""Rates of single tools, and how those who wait are served: each session in turn."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ares_core import Ares, Effects, Result, Tool, ToolContext
from ares_core.call.rates import Bucket
from ares_core.call.turns import Turns

QUIET = Effects(read_only=True, open_world=False)


def rated(rate: str, **limits: Any) -> tuple[Ares, list[str]]:
    """Give an Ares with a rate for the tool ``send``, in which no time passes, and the list of who was served."""
    guard = {"max_identical_calls": 1_000}
    ares, ran = Ares(plugins=[], config={"limits": {"rates": {"send": rate}, **limits}, "guard": guard}), []

    async def send(context: ToolContext) -> str:
        """Send."""
        ran.append(context.session or "")
        return "sent"

    sending = ares.register(Tool.from_function(send, effects=QUIET))
    ares.register(Tool.from_function(send, name="other", effects=QUIET))
    bucket = ares.runner.limiter.bucket_of(sending)
    assert bucket is not None
    bucket._filled_at = 0.0
    bucket._clock = lambda: 0.0
    return ares, ran


async def after(seconds: float, ares: Ares, waiting: int) -> None:
    """Let time pass once so many wait."""
    bucket = ares.runner.limiter._buckets["send"]
    while bucket.waiting != waiting:  # noqa: ASYNC110 - the bucket tells nobody
        await asyncio.sleep(0)
    bucket._clock = lambda: seconds
    bucket._hand_on()


async def at_once(ares: Ares, count: int, tool: str = "send") -> list[Result]:
    return list(await asyncio.gather(*(ares.call(tool) for _ in range(count))))


def codes(results: list[Result]) -> list[str | None]:
    return [result.error.code if result.error else None for result in results]


def test_a_rate_that_is_used_up_refuses_at_once_and_says_when() -> None:
    ares, ran = rated("2/hour")
    results = asyncio.run(at_once(ares, 4))
    assert codes(results) == [None, None, "rate_limited", "rate_limited"]
    assert results[2].error is not None
    assert results[2].error.retriable
    seconds = re.search(r"at most 2 calls of 'send' per hour \(limits.rates\); .* in (\d+\.\d) s", results[2].text)
    assert seconds is not None
    assert 1_700 < float(seconds[1]) <= 1_800
    assert 1_700 < results[2].metadata["retry_after_s"] <= 1_800
    assert "Not executed" in results[2].text
    assert len(ran) == 2


def test_a_short_wait_for_the_next_token_is_waited_for() -> None:
    ares, ran = rated("20/second")
    bucket = ares.runner.limiter._buckets["send"]

    async def main() -> list[Result]:
        calls = asyncio.ensure_future(at_once(ares, 24))
        while bucket.waiting < 4:  # noqa: ASYNC110 - the bucket tells nobody
            await asyncio.sleep(0)
        bucket._clock = lambda: 0.2  # whoever waits for the next token hears of it by the clock's own ring
        return await calls

    results = asyncio.run(main())
    assert codes(results) == [None] * 24
    assert results[-1].metadata["waited_ms"] > 0
    assert len(ran) == 24


def test_a_wait_that_is_longer_than_the_queue_allows_is_not_begun() -> None:
    ares, _ = rated("10/second", queue_wait=0.25)

    async def main() -> list[Result]:
        results, _ = await asyncio.gather(at_once(ares, 14), after(0.2, ares, waiting=2))
        return results

    results = asyncio.run(main())
    assert codes(results) == [None] * 12 + ["rate_limited"] * 2


def test_other_tools_have_no_part_in_a_rate() -> None:
    ares, _ = rated("1/day")
    assert codes(asyncio.run(at_once(ares, 5, "other"))) == [None] * 5


def test_no_setting_of_limits_is_unheeded_any_more(caplog: pytest.LogCaptureFixture) -> None:
    rated("1/day")
    assert "does not heed" not in caplog.text


def test_a_call_that_is_refused_later_gives_its_token_back() -> None:
    ares, _ = rated("3/day", max_parallel=1, max_waiting=1)
    assert codes(asyncio.run(at_once(ares, 3))) == [None, None, None]
    ares, _ = rated("3/day", max_parallel=1, max_waiting=0)
    slow = Effects(read_only=True)

    async def hold() -> None:
        """Hold the only place."""
        await free.wait()

    free = asyncio.Event()
    ares.register(Tool.from_function(hold, effects=slow))

    async def main() -> list[Result]:
        holding = asyncio.ensure_future(ares.call("hold"))
        await asyncio.sleep(0)
        refused = await at_once(ares, 3)
        free.set()
        await holding
        return [*refused, *[await ares.call("send") for _ in range(4)]]

    assert codes(asyncio.run(main())) == ["queue_full"] * 3 + [None] * 3 + ["rate_limited"]


def test_who_gives_up_waiting_for_a_token_costs_nobody_one() -> None:
    ares, ran = rated("10/second")

    async def main() -> list[Result]:
        tasks = [asyncio.ensure_future(ares.call("send")) for _ in range(16)]
        await asyncio.sleep(0)
        for task in tasks[10:14]:
            task.cancel()
        await after(0.2, ares, waiting=2)
        await asyncio.gather(*tasks, return_exceptions=True)
        return [task.result() for task in tasks if not task.cancelled()]

    assert codes(asyncio.run(main())) == [None] * 12
    assert len(ran) == 12


async def crowd(ares: Ares, **sessions: int) -> None:
    tasks = []
    for session, count in sessions.items():
        tasks += [asyncio.ensure_future(ares.call("send", session=session)) for _ in range(count)]
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)


def test_a_session_with_a_thousand_waiting_calls_does_not_starve_another() -> None:
    ares = Ares(plugins=[], config={"limits": {"max_parallel": 2, "max_waiting": 2_000}})
    ran: list[str] = []

    async def send(context: ToolContext) -> int:
        """Send."""
        ran.append(context.session or "")
        await asyncio.sleep(0)
        return len(ran)

    ares.register(Tool.from_function(send, effects=QUIET))
    asyncio.run(crowd(ares, greedy=1_000, modest=5))
    assert len(ran) == 1_005
    assert max(place for place, session in enumerate(ran) if session == "modest") < 20


def test_a_rate_is_shared_by_sessions_in_turn() -> None:
    ares, ran = rated("40/second", queue_wait=20)

    async def main() -> None:
        await asyncio.gather(crowd(ares, greedy=60, modest=3), after(10, ares, waiting=23))

    asyncio.run(main())
    assert len(ran) == 63
    assert max(place for place, session in enumerate(ran) if session == "modest") < 50


@given(arrivals=st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=40))
def test_turns_serve_every_session_in_turn_and_lose_nothing(arrivals: list[tuple[str, bool]]) -> None:
    turns: Turns[int] = Turns()
    waiting: dict[str, list[int]] = {"a": [], "b": [], "c": []}
    for number, (session, leaves) in enumerate(arrivals):
        if leaves and waiting[session]:
            assert turns.remove(session, waiting[session].pop())
        else:
            turns.add(session, number)
            waiting[session].append(number)
    assert len(turns) == sum(map(len, waiting.values()))
    served = [turns.pop() for _ in range(len(turns))]
    of = {number: session for session, line in waiting.items() for number in line}
    assert [[n for n in served if of[n] == s] for s in "abc"] == [waiting[s] for s in "abc"]
    for round_ in range(min(map(len, waiting.values()))):
        assert {of[n] for n in served[3 * round_ : 3 * round_ + 3]} == set("abc")


@given(st.lists(st.floats(0, 3), max_size=60))
def test_a_bucket_never_gives_more_than_its_burst_and_what_has_flowed_in(pauses: list[float]) -> None:
    now = [0.0]
    bucket = Bucket("5/second", "send", 10, clock=lambda: now[0])
    taken = 0
    for pause in pauses:
        now[0] += pause
        while bucket.try_take():
            taken += 1
        assert taken <= 5 + now[0] * 5 + 1e-3
