"""The *_sync methods: from any thread, from a running loop, never a hang; and what closing means."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import threading
import time
from typing import Any

import pytest

from ares_core import Ares, Effects, Result, Tool, ToolCall, ToolContext, UsageError

QUIET = Effects(read_only=True, open_world=False)


def double(a: int) -> int:
    """Double, in a thread."""
    return 2 * a


begun: list[str] = []
"""Which tools that hang have begun, in this test."""


@pytest.fixture(autouse=True)
def _nothing_has_begun() -> None:
    begun.clear()


async def hang() -> None:
    """Hang."""
    begun.append("hang")
    await asyncio.sleep(60)


def made() -> Ares:
    ares = Ares(plugins=[])
    ares.register(Tool.from_function(double, effects=QUIET))
    ares.register(Tool.from_function(hang, effects=QUIET))
    return ares


def in_thread(fn: Any) -> tuple[threading.Thread, list[Any]]:
    """Run a function in a thread; gives the thread and where its answer or error will be."""
    found: list[Any] = []

    def run() -> None:
        try:
            found.append(fn())
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, found


def code(result: Result) -> str | None:
    return result.error.code if result.error else None


def test_calls_from_many_threads_share_one_loop() -> None:
    loops: set[int] = set()

    async def where() -> None:
        """Look at the loop."""
        loops.add(id(asyncio.get_running_loop()))

    with made() as ares:
        ares.register(Tool.from_function(where, effects=QUIET))
        threads = [in_thread(lambda: ares.call_sync("where")) for _ in range(8)]
        for thread, found in threads:
            thread.join(30)
            assert found[0].success
    assert len(loops) == 1


def test_the_loop_thread_starts_with_the_first_sync_call_only() -> None:
    before = set(threading.enumerate())

    def new() -> list[str]:
        return [thread.name for thread in set(threading.enumerate()) - before if thread.name == "ares-loop"]

    with made() as ares:
        asyncio.run(_awaited(ares.call("double", {"a": 1})))
        assert new() == []
        ares.call_sync("double", {"a": 1})
        assert new() == ["ares-loop"]
    assert new() == []


async def _awaited(work: Any) -> Any:
    return await work


def test_a_sync_call_works_inside_a_running_loop_of_somebody_else() -> None:
    async def main() -> Any:
        return ares.call_sync("double", {"a": 2}).data

    with made() as ares:
        assert asyncio.run(main()) == 4


@pytest.mark.parametrize("method", ["call", "call_many", "ask", "handle"])
def test_a_sync_call_on_ares_own_loop_is_an_error_that_says_await(method: str) -> None:
    arguments: dict[str, Any] = {"call": "double", "call_many": [], "ask": "double 2", "handle": {}}

    async def wrong() -> str:
        """Call in the wrong way."""
        try:
            getattr(ares, f"{method}_sync")(arguments[method])
        except UsageError as error:
            return str(error)
        return "no error"

    with made() as ares:
        ares.register(Tool.from_function(wrong, effects=QUIET))
        said = ares.call_sync("wrong").data
        assert f"{method}_sync was called on Ares' own event loop" in said
        assert f"await ….{method}(…)" in said
        gc.collect()


def test_a_plain_tool_may_call_in_the_sync_way_as_deep_as_it_likes() -> None:
    def down(n: int) -> int:
        """Go down."""
        return 0 if n == 0 else 1 + ares.call_sync("down", {"n": n - 1}).data

    with made() as ares:
        ares.register(Tool.from_function(down, effects=QUIET))
        assert ares.call_sync("down", {"n": 20}).data == 20


def test_closing_while_a_call_runs_interrupts_it_and_its_caller_gets_a_result(eventually: Any) -> None:
    release = threading.Event()

    def block() -> None:
        """Block a thread."""
        begun.append("block")
        release.wait(60)

    ares = made()
    ares.register(Tool.from_function(block, effects=QUIET))
    callers = [in_thread(lambda name=name: ares.call_sync(name)) for name in ("hang", "block")]
    eventually(lambda: sorted(begun) == ["block", "hang"])
    ares.close()
    for thread, found in callers:
        thread.join(30)
        assert code(found[0]) == "interrupted"
        assert "it changes nothing" in found[0].text
    release.set()


def test_closing_while_a_batch_runs_answers_every_call(eventually: Any) -> None:
    ares = made()
    turn = [
        ToolCall("double", {"a": 2}, id="1"),
        ToolCall("hang", id="2"),
        ToolCall("hang", id="3"),
        ToolCall("double", {"a": 3}, id="4"),
    ]
    thread, found = in_thread(lambda: ares.call_many_sync(turn * 4))
    eventually(lambda: len(begun) == 8)  # they have all places, which they got from those that were done
    ares.close()
    thread.join(30)
    results = found[0]
    assert [result.call.id for result in results] == ["1", "2", "3", "4"] * 4
    assert {code(result) for result in results} == {None, "interrupted"}


def test_closing_while_a_call_waits_for_a_place_interrupts_it_without_running_it(eventually: Any) -> None:
    ran: list[int] = []

    async def second() -> None:
        """Never get to run."""
        ran.append(1)

    ares = Ares(plugins=[], config={"limits": {"max_parallel": 1}})
    ares.register(Tool.from_function(hang, effects=QUIET))
    ares.register(Tool.from_function(second, effects=QUIET))
    first = in_thread(lambda: ares.call_sync("hang"))
    eventually(lambda: begun)
    waiting = in_thread(lambda: ares.call_sync("second"))
    eventually(lambda: ares.runner.limiter.gate.waiting)
    ares.close()
    for thread, _ in (first, waiting):
        thread.join(30)
    assert code(waiting[1][0]) == "interrupted"
    assert "Not executed" in waiting[1][0].text
    assert ran == []


@pytest.mark.parametrize("how", ["call", "call_sync", "call_many_sync", "bind", "definitions", "add", "tools"])
def test_a_closed_ares_says_so(how: str) -> None:
    ares = made()
    ares.close()
    ares.close()
    arguments: dict[str, Any] = {"call": ["double"], "call_sync": ["double"], "call_many_sync": [[]], "add": ["adds"]}
    with pytest.raises(UsageError, match="closed; make a new one"):
        getattr(ares, how)(*arguments.get(how, []))
    gc.collect()


def test_calls_that_begin_while_ares_closes_end_in_a_result_or_say_that_it_is_closed() -> None:
    for _ in range(20):
        ares = made()
        ares.call_sync("double", {"a": 1})
        callers = [
            in_thread(lambda ares=ares: [ares.call_sync("double", {"a": 1}) for _ in range(50)]) for _ in range(3)
        ]
        time.sleep(0.002)
        ares.close()
        for thread, found in callers:
            thread.join(30)
            assert not thread.is_alive()
            assert isinstance(found[0], list | UsageError), found


def test_a_tool_may_close_ares_itself() -> None:
    async def end() -> str:
        """Close."""
        ares.close()
        return "closing"

    ares = made()
    ares.register(Tool.from_function(end, effects=QUIET))
    thread, found = in_thread(lambda: ares.call_sync("end"))
    thread.join(30)
    assert not thread.is_alive()
    assert isinstance(found[0], Result)


def test_with_and_async_with_close_at_the_end() -> None:
    async def main() -> Ares:
        async with made() as ares:
            assert (await ares.call("double", {"a": 2})).data == 4
        return ares

    with made() as ares:
        assert ares.call_sync("double", {"a": 2}).data == 4
    for closed in (ares, asyncio.run(main())):
        assert closed.closed


def test_ctrl_c_in_a_sync_call_cancels_the_tool_and_leaves_ares_usable(eventually: Any) -> None:
    ends: list[str] = []

    async def patient() -> None:
        """Wait."""
        os.kill(os.getpid(), signal.SIGINT)
        try:
            await asyncio.sleep(60)
        finally:
            ends.append("over")

    with made() as ares:
        ares.register(Tool.from_function(patient, effects=QUIET))
        with pytest.raises(KeyboardInterrupt):
            ares.call_sync("patient")
        assert ares.call_sync("double", {"a": 2}).data == 4
        eventually(lambda: ends == ["over"])


def test_ctrl_c_while_a_call_is_handed_over_takes_it_back(monkeypatch: pytest.MonkeyPatch, eventually: Any) -> None:
    hand_over = asyncio.run_coroutine_threadsafe

    def interrupted(*given: Any) -> Any:
        hand_over(*given)
        raise KeyboardInterrupt

    with made() as ares:
        ares.call_sync("double", {"a": 2})
        with monkeypatch.context() as patch:
            patch.setattr(asyncio, "run_coroutine_threadsafe", interrupted)
            with pytest.raises(KeyboardInterrupt):
                ares.call_sync("hang")
        loop = ares._loop._loop
        assert loop is not None
        eventually(lambda: not asyncio.all_tasks(loop))
        assert ares.call_sync("double", {"a": 2}).data == 4


def test_ctrl_c_while_the_loop_is_started_keeps_no_later_call_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(thread: threading.Thread, start: Any = threading.Thread.start) -> None:
        if thread.name == "ares-loop":
            raise KeyboardInterrupt
        start(thread)

    with made() as ares:
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", interrupted)
            with pytest.raises(KeyboardInterrupt):
                ares.call_sync("double", {"a": 2})
        assert ares.call_sync("double", {"a": 2}).data == 4


def test_an_interrupt_raised_by_a_tool_does_not_end_the_loop_for_good() -> None:
    async def rude() -> None:
        """Raise what ends loops."""
        raise KeyboardInterrupt

    with made() as ares:
        ares.register(Tool.from_function(rude, effects=QUIET))
        assert code(ares.call_sync("rude")) == "tool_error"
        assert ares.call_sync("double", {"a": 2}).data == 4


def test_context_and_answer_cross_from_thread_to_loop_and_back() -> None:
    async def about(context: ToolContext) -> bool:
        """Tell where it runs."""
        return threading.current_thread().name == "ares-loop"

    with made() as ares:
        ares.register(Tool.from_function(about, effects=QUIET))
        assert ares.call_sync("about").data is True
