"""Retries: only what is idempotent and says that it may pass is tried again, within the one deadline."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest

from ares_core import Ares, Effects, Result, Tool, ToolContext, ToolError

READS = Effects(read_only=True, open_world=False)


WRITES = Effects(open_world=False)


def tool(fn: Any, **options: Any) -> Tool:
    return Tool.from_function(fn, **{"effects": READS, **options})


def code(result: Result) -> str | None:
    return result.error.code if result.error else None


@pytest.mark.parametrize(
    ("effects", "retriable", "attempts"),
    [
        (READS, True, 3),
        (Effects(idempotent=True, open_world=False), True, 3),
        (WRITES, True, 1),
        (READS, False, 1),
    ],
    ids=["reads", "idempotent", "writes", "not retriable"],
)
@pytest.mark.parametrize("kind", ["async", "thread"])
def test_only_what_is_idempotent_and_says_so_is_tried_again(
    kind: str, effects: Effects, retriable: bool, attempts: int, ares: Ares
) -> None:
    async def fail() -> None:
        """Fail."""
        raise ToolError("busy", retriable=retriable)

    def fail_in_thread() -> None:
        """Fail."""
        raise ToolError("busy", retriable=retriable)

    ares.register(tool(fail if kind == "async" else fail_in_thread, name="fail", effects=effects))
    result = ares.call_sync("fail")
    assert (code(result), result.metadata["attempts"]) == ("tool_error", attempts)


def test_attempts_all_fit_into_one_deadline(ares: Ares) -> None:
    async def busy() -> None:
        """Fail slowly."""
        await asyncio.sleep(0.2)
        raise ToolError("busy", retriable=True)

    ares.register(tool(busy, timeout=0.25))
    result = ares.call_sync("busy")
    assert result.metadata["attempts"] <= 2
    assert result.metadata["duration_ms"] < 50_000


def test_a_second_attempt_has_the_same_key(ares: Ares) -> None:
    seen: list[str] = []

    async def flaky(context: ToolContext) -> str:
        """Fail once."""
        seen.append(context.idempotency_key)
        if len(seen) < 2:
            raise ToolError("busy", retriable=True)
        return "done"

    ares.register(tool(flaky))
    assert ares.call_sync("flaky").data == "done"
    assert seen[0] == seen[1]


def test_a_tools_own_limit_holds_for_second_attempts_in_threads() -> None:
    now, most, lock, failed = [0], [0], threading.Lock(), set()

    def busy(n: int) -> int:
        """Fail once."""
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.02)
        with lock:
            now[0] -= 1
            first = n not in failed
            failed.add(n)
        if first:
            raise ToolError("busy", retriable=True)
        return n

    async def main(ares: Ares) -> list[Result]:
        return await asyncio.gather(*(ares.call("busy", {"n": n}) for n in range(4)))

    with Ares(plugins=[]) as ares:
        ares.register(tool(busy, max_concurrency=1))
        results = asyncio.run(main(ares))
        assert [result.data for result in results] == [0, 1, 2, 3]
        assert most == [1]
        assert len(ares.runner.limiter._gates["busy", 1]._free) == 1
