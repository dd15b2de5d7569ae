"""Stage 9: so many calls at once, the others in a bounded queue, and never a place lost or given twice."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from ares_core import Ares, Effects, Result, Tool, ToolCall, ToolContext

QUIET = Effects(read_only=True, open_world=False)


class Crowd:
    """A tool that waits, and counts how many of it run at once."""

    def __init__(self) -> None:
        self.now = 0
        self.most = 0
        self.waits_for = 0
        self.order: list[int] = []

    async def wait(self, number: int, seconds: float = 0.02) -> int:
        """Wait."""
        self.now += 1
        self.most = max(self.most, self.now)
        self.order.append(number)
        try:
            while self.most < self.waits_for:  # noqa: ASYNC110 - the others tell nobody
                await asyncio.sleep(0)
            await asyncio.sleep(seconds)
        finally:
            self.now -= 1
        return number


def crowded(limits: dict[str, Any], **options: Any) -> tuple[Ares, Crowd]:
    ares, crowd = Ares(plugins=[], config={"limits": limits}), Crowd()
    ares.register(Tool.from_function(crowd.wait, effects=QUIET, **options))
    return ares, crowd


async def at_once(ares: Ares, count: int, **arguments: Any) -> list[Result]:
    return await asyncio.gather(*(ares.call("wait", {"number": number, **arguments}) for number in range(count)))


def codes(results: list[Result]) -> list[str | None]:
    return [result.error.code if result.error else None for result in results]


def test_so_many_run_at_once_and_no_more_and_all_are_answered_in_order() -> None:
    ares, crowd = crowded({"max_parallel": 3})
    results = asyncio.run(at_once(ares, 10))
    assert [result.data for result in results] == list(range(10))
    assert crowd.most == 3
    assert crowd.order == list(range(10))


def test_a_tool_may_have_a_limit_of_its_own() -> None:
    ares, crowd = crowded({"max_parallel": 8}, max_concurrency=2)
    asyncio.run(at_once(ares, 6))
    assert crowd.most == 2


def test_the_limit_holds_for_plain_tools_in_threads() -> None:
    now, most, lock = [0], [0], threading.Lock()
    three = threading.Barrier(3)

    def work() -> None:
        """Wait in a thread until three are there."""
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        three.wait(20)
        with lock:
            now[0] -= 1

    async def main() -> None:
        await asyncio.gather(*(ares.call("work") for _ in range(9)))

    with Ares(plugins=[], config={"limits": {"max_parallel": 3}}) as ares:
        ares.register(Tool.from_function(work, effects=QUIET))
        asyncio.run(main())
    assert most[0] == 3


def test_a_full_queue_refuses_the_next_with_not_executed_and_retriable() -> None:
    ares, _ = crowded({"max_parallel": 1, "max_waiting": 2})
    results = asyncio.run(at_once(ares, 5))
    assert codes(results) == [None, None, None, "queue_full", "queue_full"]
    assert results[-1].error is not None
    assert results[-1].error.retriable
    assert "limits.max_parallel" in results[-1].text
    assert "Not executed" in results[-1].text


def test_no_queue_at_all_is_possible() -> None:
    ares, _ = crowded({"max_parallel": 1, "max_waiting": 0})
    assert codes(asyncio.run(at_once(ares, 3))) == [None, "queue_full", "queue_full"]


def test_the_wait_for_a_place_is_bounded() -> None:
    ares, crowd = crowded({"max_parallel": 1, "queue_wait": 0.05})
    results = asyncio.run(at_once(ares, 2, seconds=0.5))
    assert codes(results) == [None, "queue_full"]
    assert "within 0.05 s" in results[1].text
    assert crowd.order == [0]


def test_waiting_does_not_count_against_the_deadline_and_is_told() -> None:
    ares, _ = crowded({"max_parallel": 1, "timeout": 0.1})
    free = asyncio.Event()

    async def hold() -> None:
        """Hold the only place."""
        await free.wait()

    async def main() -> Result:
        holding = asyncio.ensure_future(ares.call("hold"))
        waiting = asyncio.ensure_future(ares.call("wait", {"number": 1, "seconds": 0}))
        while not ares.runner.limiter.gate.waiting:  # noqa: ASYNC110 - the gate tells nobody
            await asyncio.sleep(0)
        await asyncio.sleep(0.15)
        free.set()
        assert (await holding).success
        return await waiting

    ares.register(Tool.from_function(hold, effects=QUIET, timeout=60))
    result = asyncio.run(main())
    assert result.data == 1
    assert result.metadata["waited_ms"] >= 140


def test_a_child_takes_no_second_place() -> None:
    async def parent(depth: int, context: ToolContext) -> Any:
        """Go down."""
        return depth if depth == 0 else (await context.call_tool("parent", {"depth": depth - 1})).data

    with Ares(plugins=[], config={"limits": {"max_parallel": 1, "queue_wait": 1}}) as ares:
        ares.register(parent)
        assert ares.call_sync("parent", {"depth": 5}).data == 0


def test_a_tool_with_a_limit_of_its_own_may_call_itself() -> None:
    async def parent(depth: int, context: ToolContext) -> Any:
        """Go down."""
        if depth == 0:
            return "bottom"
        child = await context.call_tool("parent", {"depth": depth - 1})
        return child.data or child.text

    with Ares(plugins=[], config={"limits": {"queue_wait": 0.5}}) as ares:
        ares.register(Tool.from_function(parent, max_concurrency=1))
        assert ares.call_sync("parent", {"depth": 2}).data == "bottom"


def test_the_place_is_given_back_after_every_kind_of_end() -> None:
    async def ends(how: str) -> None:
        """End in some way."""
        if how == "raise":
            raise ValueError(how)
        if how == "exit":
            raise SystemExit(1)
        if how == "hang":
            await asyncio.sleep(60)

    with Ares(plugins=[], config={"limits": {"max_parallel": 1, "queue_wait": 1}}) as ares:
        ares.register(Tool.from_function(ends, max_concurrency=1))
        for how in ("raise", "exit", "hang", "return"):
            result = ares.call_sync("ends", {"how": how}, timeout=0.1 if how == "hang" else None)
        assert result.success
        assert len(ares.runner.limiter.gate._free) == 1


def test_cancelling_those_who_wait_and_those_who_run_loses_no_place() -> None:
    ares, _ = crowded({"max_parallel": 2})

    async def main() -> list[Result]:
        tasks = [asyncio.ensure_future(ares.call("wait", {"number": n, "seconds": 0.05})) for n in range(12)]
        await asyncio.sleep(0.01)
        for task in tasks[:8]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return await at_once(ares, 4)

    assert codes(asyncio.run(main())) == [None] * 4
    assert len(ares.runner.limiter.gate._free) == 2
    assert ares.runner.limiter.gate.waiting == 0


def test_one_gate_holds_between_several_loops_in_several_threads() -> None:
    ares, _ = crowded({"max_parallel": 2, "queue_wait": 60})
    now, most, lock = [0], [0], threading.Lock()

    async def count() -> None:
        """Count how many run."""
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        await asyncio.sleep(0.002)
        with lock:
            now[0] -= 1

    ares.register(Tool.from_function(count, effects=QUIET))
    outcomes: list[str | None] = []

    async def many() -> None:
        outcomes.extend(codes(list(await asyncio.gather(*(ares.call("count") for _ in range(20))))))

    threads = [threading.Thread(target=asyncio.run, args=(many(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert outcomes == [None] * 80
    assert most[0] <= 2
    assert len(ares.runner.limiter.gate._free) == 2


@pytest.mark.parametrize("key", ["max_parallel", "queue_wait", "timeout"])
@pytest.mark.parametrize("value", [0, -1, "many", float("nan"), True])
def test_a_limit_that_is_none_is_a_configuration_error_that_names_the_key(key: str, value: Any) -> None:
    from ares_core import ConfigError

    with pytest.raises(ConfigError, match=rf"limits\.{key}"):
        Ares(plugins=[], config={"limits": {key: value}})


def test_calls_of_one_turn_stay_below_the_limit_too() -> None:
    ares, crowd = crowded({"max_parallel": 8})
    crowd.waits_for = 8
    calls = [
        ToolCall("wait", {"number": number, "seconds": (20 - number) / 500}, id=f"c{number}") for number in range(20)
    ]
    results = asyncio.run(ares.call_many(calls))
    assert [(result.data, result.call and result.call.id) for result in results] == [(n, f"c{n}") for n in range(20)]
    assert crowd.most == 8
