"""How a turn ends otherwise than well: its time is over, it is interrupted, or a change fails and all is undone."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ares_core import Ares, Effects, Event, Result, Tool, ToolCall, ToolContext, UsageError
from ares_core.batch import GRACE
from ares_core.call.resources import key_of
from ares_core.cli.story import drawn, told

READS = Effects(read_only=True, open_world=False)
WRITES = Effects(open_world=False)
ON_PATH = Effects(open_world=False, resources=("file:{path}",))
READS_PATH = Effects(read_only=True, open_world=False, resources=("file:{path}",))
TENANT = contextvars.ContextVar("tenant", default="nobody")


class Shelf:
    """Tools that note what they did, and undo it."""

    def __init__(self, ares: Ares) -> None:
        self.ares = ares
        self.log: list[str] = []
        self.now: list[tuple[str, str]] = []
        self.together: list[list[tuple[str, str]]] = []
        for name, effects, undo in (
            ("read", READS, None), ("look", READS_PATH, None), ("put", ON_PATH, self.undo), ("change", WRITES, None),
            ("write", WRITES, self.undo_later),
        ):  # fmt: skip
            ares.register(Tool(name, "", {}, self.execute, effects=effects, undo=undo))

    async def execute(self, arguments: Any, context: ToolContext) -> str:
        path = str(arguments.get("path", ""))
        self.log.append(f"{context.call.name} {path}".strip())
        self.now.append((context.call.name, path))
        self.together.append(list(self.now))
        try:
            await asyncio.sleep(arguments.get("seconds", 0))
        finally:
            self.now.remove((context.call.name, path))
        if arguments.get("fails"):
            raise ValueError("no room")
        return path

    def undo(self, arguments: Any, data: Any) -> None:
        if arguments["path"] == "stuck":
            raise OSError("it is stuck")
        self.log.append(f"undo {data}")

    async def undo_later(self, arguments: Any, data: Any) -> None:
        self.undo(arguments, data)


@pytest.fixture
def shelf(ares: Ares) -> Shelf:
    """Readers and writers, some with declared paths."""
    return Shelf(ares)


def call(name: str, path: str = "", **arguments: Any) -> ToolCall:
    return ToolCall(name, {"path": path, **arguments}, id=f"{name}-{path}")


def codes(results: list[Result]) -> list[str | None]:
    return [result.error.code if result.error else None for result in results]


def test_writers_of_different_resources_run_together_and_of_one_in_order(shelf: Shelf) -> None:
    turn = [call("put", "a", seconds=0.01), call("put", "b", seconds=0.01), call("put", "a"), call("look", "a")]
    assert codes(shelf.ares.call_many_sync(turn)) == [None] * 4
    assert [("put", "a"), ("put", "b")] in shelf.together
    assert shelf.log == ["put a", "put b", "put a", "look a"]


def test_a_reader_that_does_not_say_what_it_reads_waits_for_writers(shelf: Shelf) -> None:
    shelf.ares.call_many_sync([call("put", "a", seconds=0.01), call("read"), call("read"), call("look", "b")])
    assert not [group for group in shelf.together if ("put", "a") in group and len(group) > 1]


@given(st.lists(st.tuples(st.sampled_from(("read", "look", "put", "change")), st.sampled_from("ab")), max_size=10))
def test_whatever_a_turn_holds_nothing_overlaps_what_it_conflicts_with(turn: list[tuple[str, str]]) -> None:
    with Ares(plugins=[]) as ares:
        shelf = Shelf(ares)
        results = ares.call_many_sync([call(name, path) for name, path in turn])
    assert [result.data for result in results] == [path for _, path in turn]
    for group in shelf.together:
        names = [name for name, _ in group]
        assert len(group) == 1 or "change" not in names
        assert "put" not in names or "read" not in names
        written = [key_of(f"file:{path}", "/") for name, path in group if name == "put"]
        assert len(set(written)) == len(written)
        assert not {key_of(f"file:{path}", "/") for name, path in group if name == "look"}.intersection(written)


def test_at_most_so_many_of_a_turn_at_once(shelf: Shelf) -> None:
    turn = [call("read", str(number), seconds=0.01) for number in range(6)]
    assert codes(asyncio.run(shelf.ares.call_many(turn, max_parallel=2))) == [None] * 6
    assert max(map(len, shelf.together)) == 2


@pytest.mark.parametrize("terms", [{"max_parallel": 0}, {"max_parallel": True}, {"deadline": 0}, {"deadline": "5"}])
def test_terms_that_make_no_sense_are_errors_in_a_sentence(terms: dict[str, Any], shelf: Shelf) -> None:
    with pytest.raises(UsageError, match=f"{next(iter(terms))} is .*; give a"):
        shelf.ares.call_many_sync([call("read")], **terms)


def test_when_the_time_of_the_turn_is_over_every_call_is_answered(shelf: Shelf) -> None:
    turn = [
        call("read", "ok"), call("read", "long", seconds=60), call("change", "late"), call("read", "never"),
    ]  # fmt: skip
    began = time.monotonic()
    results = shelf.ares.call_many_sync(turn, deadline=0.8)  # enough for the first two to begin, on any machine
    assert time.monotonic() - began < 50
    assert codes(results) == [None, "timeout", "timeout", "timeout"]
    assert [result.call and result.call.id for result in results] == [one.id for one in turn]
    assert "Not executed" in results[2].text
    assert shelf.log == ["read ok", "read long"]


def test_a_change_under_way_when_the_time_is_over_is_of_unknown_outcome(shelf: Shelf) -> None:
    results = shelf.ares.call_many_sync([call("change", seconds=60), call("change")], deadline=0.8)
    assert codes(results) == ["outcome_unknown", "timeout"]


def test_a_loop_that_is_held_up_when_the_time_is_over_makes_no_call_one_that_never_began(shelf: Shelf) -> None:
    async def hold_up(arguments: Any, context: ToolContext) -> None:
        time.sleep((context.remaining or 0) + GRACE + 0.01)  # noqa: ASYNC251 - this is what holds it up
        await asyncio.sleep(60)

    shelf.ares.register(Tool("hold_up", "", {}, hold_up, effects=WRITES))
    assert codes(shelf.ares.call_many_sync([call("hold_up"), call("read")], deadline=0.8)) == [
        "outcome_unknown", "timeout",
    ]  # fmt: skip


def test_a_call_that_waits_for_approval_does_not_outlive_the_turn() -> None:
    async def approver(request: Any) -> bool:
        await asyncio.sleep(60)
        return True

    with Ares(plugins=[], approver=approver) as ares:
        ares.register(Tool("ask", "", {}, lambda arguments, context: 1, requires_approval=True))
        results = ares.call_many_sync([ToolCall("ask")], deadline=0.05)
    assert codes(results) == ["timeout"]
    assert "Not executed" in results[0].text


def test_an_interrupt_leaves_every_call_answered(shelf: Shelf) -> None:
    turn = [
        call("read", "ok"), call("look", "hangs", seconds=60), call("change", "hangs", seconds=60), call("change"),
    ]  # fmt: skip

    async def main(seconds: float, turn: list[ToolCall]) -> list[Result]:
        interrupt = asyncio.Event()
        asyncio.get_running_loop().call_later(seconds, interrupt.set)
        return await shelf.ares.call_many(turn, interrupt=interrupt)

    results = asyncio.run(main(0.1, turn))
    assert codes(results) == [None, "interrupted", "interrupted", "interrupted"]
    assert all("Not executed" in result.text for result in results[2:])
    (running,) = asyncio.run(main(0.05, turn[2:3]))
    assert "may have taken effect" in running.text
    assert results[1].text == "The call of 'look' was interrupted before it had an answer; it changes nothing."
    assert len(shelf.ares.runner.limiter.gate._free) == 8


def test_an_interrupt_that_never_comes_changes_nothing(shelf: Shelf) -> None:
    async def main() -> list[Result]:
        return await shelf.ares.call_many([call("read"), call("change"), call("read")], interrupt=asyncio.Event())

    assert codes(asyncio.run(main())) == [None] * 3


def test_a_failed_change_undoes_the_ones_before_it_last_first(shelf: Shelf) -> None:
    turn = [call("write", "1"), call("read"), call("put", "2"), call("change", "3", fails=True), call("write", "4")]
    results = shelf.ares.call_many_sync(turn, rollback=True)
    assert shelf.log == ["write 1", "read", "put 2", "change 3", "undo 2", "undo 1"]
    assert codes(results) == ["step_failed", None, "step_failed", "tool_error", "cancelled"]
    assert "Rolled back: 'put' (put-2) was undone. 'write' (write-1) was undone." in results[3].text
    assert "was undone, because 'change' (change-3) of the same turn failed" in results[0].text
    assert "Not executed" in results[4].text


def test_what_can_not_be_undone_is_told_in_both_places(shelf: Shelf) -> None:
    turn = [call("change", "1"), call("put", "stuck"), call("put", "2"), call("put", "3", fails=True)]
    results = shelf.ares.call_many_sync(turn, rollback=True)
    assert codes(results) == [None, None, "step_failed", "tool_error"]
    assert "could not be: its tool has no undo. It is still in effect." in results[0].text
    assert "could not be undone: OSError: it is stuck" in results[3].text
    assert [result.metadata.get("undone") for result in results] == [False, False, True, None]


def test_the_record_shows_what_was_taken_back_and_what_could_not_be(shelf: Shelf) -> None:
    heard: list[Event] = []
    shelf.ares.on_event(heard.append)
    turn = [call("put", "stuck"), call("put", "2"), call("put", "3", fails=True)]
    stuck, gone, _ = shelf.ares.call_many_sync(turn, session="s", rollback=True)
    after = [(event.kind, event.call_id, event.execution_id) for event in heard[-2:]]
    assert after == [
        ("undone", "put-2", gone.metadata["execution_id"]),
        ("not_undone", "put-stuck", stuck.metadata["execution_id"]),
    ]
    assert "because 'put' (put-3) of the same turn failed" in heard[-2].data["text"]
    lines = "\n".join(line for story in told(heard) for line in drawn(story))
    assert "call put: undone in " in lines
    assert "could not be: OSError: it is stuck" in lines


@pytest.mark.parametrize("bad", [call("read", fails=True), ToolCall("nobody"), ToolCall("read", "{")], ids=str)
def test_a_failed_reader_undoes_nothing(bad: ToolCall, shelf: Shelf) -> None:
    results = shelf.ares.call_many_sync([call("put", "1"), bad, call("put", "2")], rollback=True)
    assert [result.success for result in results] == [True, False, True]


def test_a_change_that_was_refused_undoes_the_ones_before_it_too(shelf: Shelf) -> None:
    results = shelf.ares.call_many_sync([call("put", "1"), ToolCall("change", "{")], rollback=True)
    assert codes(results) == ["step_failed", "truncated_arguments"]
    assert shelf.log == ["put 1", "undo 1"]


def test_without_rollback_nothing_is_undone(shelf: Shelf) -> None:
    results = shelf.ares.call_many_sync([call("put", "1"), call("put", "2", fails=True), call("put", "3")])
    assert codes(results) == [None, "tool_error", None]
    assert not [line for line in shelf.log if line.startswith("undo")]


def test_an_undo_that_hangs_is_given_up(ares: Ares) -> None:
    hang = threading.Event()

    async def at_once(arguments: Any, context: ToolContext) -> int:
        return 1

    tool = Tool("slow", "", {}, at_once, undo=lambda a, d: hang.wait(60), timeout=0.05)
    ares.register(tool)
    ares.register(Tool("fail", "", {}, lambda a, c: 1 / 0))
    slow, failed = ares.call_many_sync([ToolCall("slow"), ToolCall("fail")], rollback=True)
    hang.set()
    assert slow.success
    assert "its undo gave no answer within 0.05 s" in failed.text


def test_the_callers_context_variables_reach_every_call_and_none_comes_back(ares: Ares) -> None:
    def plain(set_to: str = "") -> str:
        """Read it in a thread, and set it."""
        seen = TENANT.get()
        TENANT.set(set_to or seen)
        return seen

    async def later() -> str:
        """Read it on the loop."""
        return TENANT.get()

    ares.register(Tool.from_function(plain, effects=READS))
    ares.register(Tool.from_function(later, effects=READS))
    turn = [ToolCall("plain"), ToolCall("later"), ToolCall("plain", {"set_to": "t2"}), ToolCall("plain")] * 3

    async def main() -> list[Any]:
        TENANT.set("t1")
        found = [result.data for result in await ares.call_many(turn)]
        return [*found, TENANT.get()]

    assert asyncio.run(main()) == ["t1"] * 13
