"""Several calls of one turn: order kept, readers side by side, writers alone, and one failure is one failure."""

from __future__ import annotations

import asyncio
import itertools
import threading
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ares_core import Ares, Effects, Result, Tool, ToolCall, ToolContext
from ares_core.batch import segments

READS = Effects(read_only=True, open_world=False)
WRITES = Effects(open_world=False)


class Diary:
    """Tools that write down when they begin and end."""

    def __init__(self, ares: Ares, **effects: Effects) -> None:
        self.lines: list[str] = []
        self.now: set[str] = set()
        self.together: list[set[str]] = []
        for name, effect in effects.items():
            ares.register(Tool(name, "", {}, self._execute, effects=effect))

    async def _execute(self, arguments: Any, context: ToolContext) -> Any:
        name = str(arguments.get("name", context.call.name))
        self.now.add(name)
        self.together.append(set(self.now))
        self.lines.append(f"+{name}")
        await asyncio.sleep(arguments.get("seconds", 0.01))
        self.lines.append(f"-{name}")
        self.now.remove(name)
        return name


def calls(*names: str) -> list[ToolCall]:
    return [ToolCall(name[0], {"name": name}, id=name) for name in names]


def ids(results: list[Result]) -> list[str | None]:
    return [result.call.id if result.call else None for result in results]


def test_readers_run_side_by_side_and_writers_alone_and_in_order(ares: Ares) -> None:
    diary = Diary(ares, r=READS, w=WRITES)
    results = ares.call_many_sync(calls("r1", "r2", "w1", "w2", "r3", "r4"))
    assert [result.data for result in results] == ["r1", "r2", "w1", "w2", "r3", "r4"]
    assert {"r1", "r2"} in diary.together
    assert {"r3", "r4"} in diary.together
    assert not [group for group in diary.together if len(group) > 1 and group & {"w1", "w2"}]
    assert diary.lines.index("-r2") < diary.lines.index("+w1") < diary.lines.index("+w2") < diary.lines.index("+r3")


def test_a_tool_that_talks_to_a_person_runs_alone_even_if_it_only_reads(ares: Ares) -> None:
    diary = Diary(ares, r=READS, i=Effects(read_only=True, interactive=True))
    ares.call_many_sync(calls("r1", "i1", "r2"))
    assert not [group for group in diary.together if len(group) > 1]


def test_effects_that_depend_on_the_arguments_decide_call_by_call(ares: Ares) -> None:
    diary = Diary(ares)

    def effects(arguments: Any) -> Effects:
        return READS if arguments["name"].endswith("read") else WRITES

    ares.register(Tool("f", "", {}, diary._execute, effects=effects))
    ares.call_many_sync([ToolCall("f", {"name": name}) for name in ("1read", "2read", "3write", "4write")])
    assert {"1read", "2read"} in diary.together
    assert not [group for group in diary.together if len(group) > 1 and group & {"3write", "4write"}]


@pytest.mark.parametrize(
    "effects", [lambda arguments: arguments["no such key"], lambda arguments: "read"], ids=["raises", "nonsense"]
)
def test_what_can_not_be_judged_runs_alone(effects: Any, ares: Ares) -> None:
    diary = Diary(ares)
    ares.register(Tool("f", "", {}, diary._execute, effects=effects))
    assert all(result.success for result in ares.call_many_sync([ToolCall("f", {"name": name}) for name in "ab"]))
    assert not [group for group in diary.together if len(group) > 1]


def test_one_that_raises_hangs_or_is_unknown_leaves_its_siblings_alone() -> None:
    async def work(how: str) -> str:
        """Work in some way."""
        if how == "raise":
            raise ValueError("broken")
        await asyncio.sleep(60 if how == "hang" else 0.02)
        return how

    with Ares(plugins=[]) as ares:
        ares.register(Tool.from_function(work, effects=READS))
        turn = [ToolCall("work", {"how": how}, id=how) for how in ("ok", "raise")]
        turn.append(ToolCall("work", {"how": "hang"}, id="hang", timeout=0.1))
        turn += [
            ToolCall("nobody", id="unknown"),
            ToolCall("work", "{", id="cut"),
            ToolCall("work", {"how": "ok"}, id="last"),
        ]
        began = time.monotonic()
        results = ares.call_many_sync(turn)
        assert time.monotonic() - began < 50
    assert ids(results) == ["ok", "raise", "hang", "unknown", "cut", "last"]
    codes = [result.error.code if result.error else result.data for result in results]
    assert codes == ["ok", "tool_error", "timeout", "unknown_tool", "truncated_arguments", "ok"]


@pytest.mark.parametrize("name", [None, 5, ["r"], {"name": "r"}, ""], ids=repr)
def test_a_name_that_is_none_is_one_refusal_among_the_results(name: Any, ares: Ares) -> None:
    Diary(ares, r=READS)
    first, wrong, last = ares.call_many_sync([*calls("r1"), ToolCall(name, {}, id="x"), *calls("r2")])
    assert (first.data, last.data) == ("r1", "r2")
    assert wrong.error is not None
    assert wrong.error.code == "unknown_tool"


def test_results_come_in_the_order_of_the_calls_whichever_ends_first(ares: Ares) -> None:
    Diary(ares, r=READS)
    turn = [ToolCall("r", {"name": str(n), "seconds": (20 - n) / 500}, id=str(n)) for n in range(20)]
    assert [result.data for result in asyncio.run(ares.call_many(turn))] == [str(n) for n in range(20)]


def test_a_call_of_a_turn_without_an_id_gets_the_same_one_each_time_the_turn_is_run(ares: Ares) -> None:
    Diary(ares, r=READS)
    turn = [ToolCall("r", {"name": "a"}, turn="t1"), ToolCall("r", {"name": "b"}, turn="t1", id="mine"), ToolCall("r")]
    first, again = ids(ares.call_many_sync(turn)), ids(ares.call_many_sync(turn))
    assert first[:2] == again[:2] == ["t1-0", "mine"]
    assert first[2] != again[2]


def test_no_calls_are_no_results(ares: Ares) -> None:
    assert ares.call_many_sync([]) == []
    assert ares.call_many_sync(iter(())) == []


def test_calls_of_a_batch_without_session_remember_nothing_of_each_other(ares: Ares) -> None:
    Diary(ares, r=READS)
    same = [ToolCall("r", {"name": "same", "seconds": 0}) for _ in range(8)]
    assert all(result.success for result in ares.call_many_sync(same) if result.data is not None)


def test_many_calls_that_never_wait_are_all_answered(ares: Ares) -> None:
    ran: list[int] = []

    async def quick(n: int) -> int:
        """Answer at once."""
        ran.append(n)
        return n

    ares.register(Tool.from_function(quick, effects=READS))
    results = ares.call_many_sync([ToolCall("quick", {"n": n}) for n in range(1_000)])
    assert [result.data for result in results] == list(range(1_000))
    assert sorted(ran) == list(range(1_000))


def test_plain_tools_run_side_by_side_in_threads(ares: Ares) -> None:
    barrier = threading.Barrier(4)

    def meet() -> str:
        """Wait for the others."""
        barrier.wait(30)
        return "met"

    ares.register(Tool.from_function(meet, effects=READS))
    assert [result.data for result in ares.call_many_sync([ToolCall("meet")] * 4)] == ["met"] * 4


def test_cancelling_a_batch_cancels_all_that_runs_and_starts_nothing_more(ares: Ares) -> None:
    diary = Diary(ares, r=READS, w=WRITES)

    async def main() -> None:
        turn = [ToolCall("r", {"name": f"r{n}", "seconds": 60}) for n in range(3)]
        task = asyncio.ensure_future(ares.call_many([*turn, *calls("w1")]))
        while len(diary.lines) < 3:  # noqa: ASYNC110 - the tools tell nobody
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert sorted(diary.lines) == ["+r0", "+r1", "+r2"]
    assert len(ares.runner.limiter.gate._free) == 8


def test_a_batch_inside_a_tool_is_made_of_its_children(ares: Ares) -> None:
    events: list[Any] = []
    ares.on_event(events.append)
    Diary(ares, r=READS)

    async def parent() -> list[Any]:
        """Call three."""
        return [result.data for result in await ares.call_many(calls("r1", "r2", "r3"))]

    ares.register(parent)
    assert ares.call_sync("parent", session="s").data == ["r1", "r2", "r3"]
    (above,) = {event.execution_id for event in events if event.tool == "parent"}
    assert {event.parent for event in events if event.tool == "r"} == {above}


@given(st.lists(st.booleans(), max_size=20))
def test_segments_cover_every_call_once_in_order_and_writers_stand_alone(readers: list[bool]) -> None:
    found = segments([READS if reads else WRITES for reads in readers])
    assert [place for segment in found for place in segment] == list(range(len(readers)))
    assert all(len(segment) == 1 or all(readers[place] for place in segment) for segment in found)
    for before, after in itertools.pairwise(found):
        assert not (readers[before[-1]] and readers[after[0]])


@given(st.lists(st.sampled_from(["ok", "raise", "wait", "unknown"]), max_size=12))
def test_whatever_a_turn_holds_each_call_has_its_own_answer(turn: list[str]) -> None:
    async def work(how: str) -> str:
        """Work in some way."""
        if how == "raise":
            raise ValueError(how)
        await asyncio.sleep(0.001 if how == "wait" else 0)
        return how

    async def main(ares: Ares) -> list[Result]:
        made = [
            ToolCall("unknown" if how == "unknown" else "work", {"how": how}, id=str(n)) for n, how in enumerate(turn)
        ]
        return await ares.call_many(made)

    with Ares(plugins=[], config={"limits": {"max_parallel": 2}}) as ares:
        ares.register(Tool.from_function(work, effects=READS))
        results = asyncio.run(main(ares))
    assert ids(results) == [str(n) for n in range(len(turn))]
    assert [result.success for result in results] == [how in ("ok", "wait") for how in turn]
