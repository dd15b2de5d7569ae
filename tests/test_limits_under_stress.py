"""Limits hold between loops and threads, with calls that fail, are cancelled or give up in the middle."""

from __future__ import annotations

import asyncio
import os
import random
import threading
from typing import Any

import pytest

from ares_core import Ares, Effects, Tool, ToolCall, ToolError

PATHS = ("a", "a/b", "a/b/c", "d")
LIMITS = {"max_parallel": 4, "queue_wait": 200, "rates": {"rated": "2000/second"}}


class Ward:
    """Resources in use; notes every meeting of two that must not meet."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.now: list[tuple[str, bool]] = []
        self.clashes: list[Any] = []

    def enter(self, path: str, writes: bool) -> None:
        with self.lock:
            for other, other_writes in self.now:
                below = f"{other}/".startswith(f"{path}/") or f"{path}/".startswith(f"{other}/")
                if below and (writes or other_writes):
                    self.clashes.append((path, writes, other, other_writes))
            self.now.append((path, writes))

    def leave(self, path: str, writes: bool) -> None:
        with self.lock:
            self.now.remove((path, writes))


def furnish(ares: Ares, ward: Ward) -> None:
    def tool(name: str, writes: bool) -> Tool:
        async def execute(arguments: Any, context: Any) -> None:
            ward.enter(arguments["path"], writes)
            try:
                await asyncio.sleep(random.random() / 500)
                if random.random() < 0.2:
                    raise ToolError("bad luck", retriable=True)
            finally:
                ward.leave(arguments["path"], writes)

        effects = Effects(read_only=not writes, idempotent=True, resources=("file:{path}",))
        return Tool(name, "", {}, execute, effects=effects, max_concurrency=3 if name == "rated" else None)

    def plain(arguments: Any, context: Any) -> None:
        ward.enter(arguments["path"], True)
        threading.Event().wait(random.random() / 500)
        ward.leave(arguments["path"], True)

    for made in (tool("read", False), tool("write", True), tool("rated", True)):
        ares.register(made)
    ares.register(Tool("plain", "", {}, plain, effects=Effects(resources=("file:{path}",))))


async def crowd(ares: Ares, seed: int, outcomes: list[str]) -> None:
    choose = random.Random(seed)
    tasks = []
    for _ in range(40):
        name, path = choose.choice(("read", "read", "write", "rated", "plain")), choose.choice(PATHS)
        session = choose.choice((None, "one", "two"))
        timeout = choose.choice((None, None, 0.001))
        work = ares.call(name, {"path": path}, session=session, timeout=timeout)
        tasks.append(asyncio.ensure_future(work))
        if choose.random() < 0.3:
            await asyncio.sleep(0)
    for task in choose.sample(tasks, 10):
        asyncio.get_running_loop().call_later(choose.random() / 50, task.cancel)
    for done in await asyncio.gather(*tasks, return_exceptions=True):
        outcomes.append("cancelled" if isinstance(done, BaseException) else done.error.code if done.error else "ok")


@pytest.mark.parametrize("seed", range(4))
def test_nothing_clashes_and_nothing_is_lost_or_left_locked(seed: int) -> None:
    ward = Ward()
    outcomes: list[str] = []
    with Ares(plugins=[], config={"limits": LIMITS, "guard": {"max_identical_calls": 1_000}}) as ares:
        furnish(ares, ward)
        threads = [
            threading.Thread(target=asyncio.run, args=(crowd(ares, 10 * seed + number, outcomes),))
            for number in range(3)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(240)
        for path in PATHS:
            assert ares.call_sync("plain", {"path": path}).success
        limiter = ares.runner.limiter
        assert len(limiter.gate._free) == 4
        assert limiter.gate.waiting == limiter.locks.waiting == len(limiter.locks) == 0
    assert len(outcomes) == 120
    assert set(outcomes) <= {"ok", "tool_error", "timeout", "outcome_unknown", "cancelled"}
    assert ward.clashes == []
    assert ward.now == []


@pytest.mark.parametrize("seed", range(3))
def test_turns_with_failures_and_interrupts_answer_every_call(seed: int) -> None:
    choose, ward = random.Random(seed), Ward()

    async def main(ares: Ares) -> None:
        for _ in range(15):
            turn = [
                ToolCall(choose.choice(("read", "write", "plain", "nobody")), {"path": choose.choice(PATHS)}, id=str(n))
                for n in range(choose.randrange(12))
            ]
            interrupt = asyncio.Event()
            asyncio.get_running_loop().call_later(choose.random() / 50, interrupt.set)
            deadline = choose.choice((None, 0.005, 5))
            results = await ares.call_many(turn, interrupt=interrupt, deadline=deadline)
            assert [result.call and result.call.id for result in results] == [call.id for call in turn]
            assert all(result.success or result.error for result in results)

    with Ares(plugins=[], config={"limits": LIMITS}) as ares:
        furnish(ares, ward)
        asyncio.run(main(ares))
        for path in PATHS:  # waits for what was left behind there
            assert ares.call_sync("plain", {"path": path}).success
        assert len(ares.runner.limiter.locks) == 0
    assert ward.clashes == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_child_finds_every_resource_and_place_free() -> None:
    release = threading.Event()
    with Ares(plugins=[], config={"limits": {"max_parallel": 1, "queue_wait": 5}}) as ares:
        on_a = Effects(resources=("file:a",))
        ares.register(Tool("stuck", "", {}, lambda a, c: release.wait(30), effects=on_a, timeout=0.05))
        ares.register(Tool("free", "", {}, lambda a, c: "free", effects=on_a))
        assert ares.call_sync("stuck").success is False
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.write(write, str(ares.call_sync("free").data).encode())
            finally:
                os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            assert pipe.read() == b"free"
        os.waitpid(child, 0)
        release.set()
        assert ares.call_sync("free").success
