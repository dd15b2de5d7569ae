"""Events: one vocabulary for all paths, made only when somebody listens, told in order."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import msgspec
import pytest

from ares_core import Ares, Effects, Event, Result, Tool, ToolCall, ToolContext, ToolError, replace
from ares_core.eventlog import MemoryEvents

Load = Callable[[str], ModuleType]
QUIET = Effects(read_only=True, open_world=False)


@pytest.fixture
def events(ares: Ares) -> list[Event]:
    """What happened."""
    found: list[Event] = []
    ares.on_event(found.append)
    return found


def kinds(events: list[Event]) -> list[str]:
    return [event.kind for event in events]


def add_tools(ares: Ares) -> None:
    async def work(a: int, how: str = "") -> int:
        """Work in some way."""
        if how == "fail":
            raise ValueError("broken")
        if how == "busy":
            raise ToolError("busy", retriable=True)
        if how == "hang":
            await asyncio.sleep(60)
        return a

    ares.register(Tool.from_function(work, effects=QUIET))
    ares.register(Tool.from_function(work, name="write", effects=Effects()))


PATHS: list[tuple[ToolCall, list[str]]] = [
    (ToolCall("work", {"a": 1}), ["requested", "resolved", "validated", "started", "finished"]),
    (
        ToolCall("Work", {"a": "1"}),
        ["requested", "resolved", "repaired", "repaired", "validated", "started", "finished"],
    ),
    (ToolCall("nobody"), ["requested", "failed"]),
    (ToolCall("work", {"a": "x"}), ["requested", "resolved", "failed"]),
    (ToolCall("work", {"a": 1, "how": "fail"}), ["requested", "resolved", "validated", "started", "failed"]),
    (
        ToolCall("work", {"a": 1, "how": "busy"}),
        ["requested", "resolved", "validated", "started", "retried", "retried", "failed"],
    ),
    (
        ToolCall("work", {"a": 1, "how": "hang"}, timeout=0.05),
        ["requested", "resolved", "validated", "started", "failed"],
    ),
    (
        ToolCall("write", {"a": 1, "how": "hang"}, timeout=0.05),
        ["requested", "resolved", "validated", "started", "unknown"],
    ),
]


@pytest.mark.parametrize(("call", "expected"), PATHS, ids=lambda part: str(part)[10:50])
def test_each_way_that_a_call_can_go_has_its_events(
    call: ToolCall, expected: list[str], ares: Ares, events: list[Event]
) -> None:
    add_tools(ares)
    ares.call_sync(call)
    assert kinds(events) == expected


def test_denials_approvals_and_rewriting_are_told(ares: Ares, events: list[Event], load: Load) -> None:
    add_tools(ares)
    load("caps")
    ares.call_sync("work", {"a": 50})
    assert kinds(events)[2:4] == ["validated", "rewritten"]
    events.clear()
    load("denies")
    ares.call_sync("work", {"a": 1})
    assert kinds(events)[-1] == "denied"
    ares.remove("denies")
    load("asks")
    events.clear()
    ares.call_sync("work", {"a": 1})
    assert kinds(events)[-2:] == ["approval_requested", "failed"]
    assert events[-2].data["reason"] == "work costs money"


def test_waiting_for_a_place_is_told() -> None:
    events: list[Event] = []

    async def main(ares: Ares) -> None:
        await asyncio.gather(ares.call("slow"), ares.call("slow"))

    async def slow() -> None:
        """Wait."""
        await asyncio.sleep(0.02)

    with Ares(plugins=[], config={"limits": {"max_parallel": 1}}) as ares:
        ares.on_event(events.append)
        ares.register(slow)
        asyncio.run(main(ares))
    assert kinds(events).count("queued") == 1


def test_an_event_says_whose_call_it_was_and_when(
    ares: Ares, events: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ares_core.call.tell.clock", itertools.count(1.0).__next__)
    add_tools(ares)
    ares.call_sync(ToolCall("work", {"a": 1}, id="c1", turn="t1"), session="s")
    ares.call_sync("work", {"a": 1})
    first, second = ([event for event in events if event.session == session] for session in ("s", None))
    assert {(event.tool, event.call_id, event.turn, event.parent) for event in first} == {("work", "c1", "t1", None)}
    assert len({event.execution_id for event in first}) == len({event.execution_id for event in second}) == 1
    assert {event.execution_id for event in first} != {event.execution_id for event in second}
    assert [event.time for event in events] == list(range(1, 11))


def test_the_data_of_events_is_plain_json(ares: Ares, events: list[Event]) -> None:
    async def work(context: ToolContext, a: int) -> set[int]:
        """Work."""
        context.emit("on my way", done={1, 2}, nan=float("nan"), what=b"\xff")
        return {a}

    ares.register(Tool.from_function(work, effects=QUIET))
    ares.call_sync("work", {"a": "1"})
    for event in events:
        json.dumps(msgspec.to_builtins(event), allow_nan=False)
    (progress,) = [event for event in events if event.kind == "progress"]
    assert progress.data["done"] == [1, 2]


def test_a_failure_is_told_with_code_time_and_trace(ares: Ares, events: list[Event]) -> None:
    add_tools(ares)
    result = ares.call_sync("work", {"a": 1, "how": "fail"})
    assert "Traceback" not in result.text
    assert events[-1].data["code"] == "tool_error"
    assert events[-1].data["duration_ms"] >= 0
    assert 'raise ValueError("broken")' in events[-1].data["trace"]


def test_arguments_in_events_do_not_change_when_the_tool_changes_its_own(ares: Ares, events: list[Event]) -> None:
    async def execute(arguments: Any, context: ToolContext) -> None:
        arguments["numbers"].append(3)

    ares.register(Tool("change", "", {}, execute, effects=QUIET))
    ares.call_sync("change", {"numbers": [1, 2]})
    (validated,) = [event for event in events if event.kind == "validated"]
    assert validated.data["arguments"] == {"numbers": [1, 2]}


def test_a_listener_hears_until_it_stops(ares: Ares, events: list[Event]) -> None:
    add_tools(ares)
    more: list[Event] = []
    stop = ares.on_event(more.append)
    ares.call_sync("work", {"a": 1})
    stop()
    stop()
    ares.call_sync("work", {"a": 1})
    assert len(events) == 2 * len(more) == 10


def test_a_listener_that_is_a_plugin_goes_with_it(ares: Ares, load: Load) -> None:
    add_tools(ares)
    listener = load("listens")
    ares.call_sync("work", {"a": 1})
    ares.remove("listens")
    ares.call_sync("work", {"a": 1})
    assert len(listener.events) == 5


def test_listeners_that_break_lose_nothing_for_others(ares: Ares) -> None:
    add_tools(ares)
    ares.on_event(lambda event: 1 / 0)
    after: list[Event] = []
    ares.on_event(after.append)
    assert ares.call_sync("work", {"a": 1}).success
    assert kinds(after)[-1] == "finished"


def test_a_memory_of_events_is_kept_if_configured() -> None:
    with Ares(plugins=[], config={"stores": {"events": "memory"}}) as ares:
        add_tools(ares)
        for session in ("a", "b"):
            ares.call_sync("work", {"a": 1}, session=session)
        assert ares.events is not None
        assert len(ares.events.query()) == 10
        assert len(ares.events.query(session="a")) == 5
        assert kinds(ares.events.query(limit=2, session="b")) == ["started", "finished"]
        ident = ares.events.query(session="b")[0].execution_id
        assert len(ares.events.query(execution_id=ident, tool="work")) == 4 + 1


def test_without_configuration_no_event_is_kept(ares: Ares) -> None:
    assert ares.events is None


def test_the_memory_of_events_is_bounded() -> None:
    store = MemoryEvents(most=3)
    store.append([Event("started", str(number), 0.0, "t") for number in range(5)])
    assert [event.execution_id for event in store.query()] == ["2", "3", "4"]
    assert store.query(limit=0) == []


def test_successes_and_failures_of_tool_and_world_are_evidence_and_nothing_else_is(ares: Ares, load: Load) -> None:
    async def work(how: str) -> None:
        """Work."""
        if how in ("tool", "world", "input"):
            raise ToolError("no", blame=how)  # type: ignore[arg-type]
        if how == "hang":
            await asyncio.sleep(60)

    ares.register(Tool.from_function(work, effects=QUIET))
    counted = []
    for how in ("fine", "tool", "world", "input", "hang"):
        before = ares.evidence.read("work").n
        ares.call_sync("work", {"how": how}, timeout=0.05)
        counted.append(ares.evidence.read("work").n > before)
    assert counted == [True, True, True, False, True]
    load("denies")
    known = ares.evidence.read("work")
    ares.call_sync("work", {"how": "fine"})
    ares.call_sync("work", {"wrong": 1})
    assert ares.evidence.read("work") == known


def test_older_evidence_weighs_less(ares: Ares) -> None:
    add_tools(ares)
    began = time.perf_counter()
    for how in ("", "", "fail"):
        ares.call_sync("work", {"a": 1, "how": how})
    spent_ms = (time.perf_counter() - began) * 1000
    known = ares.evidence.read("work")
    assert known.n == pytest.approx(1 + 0.98 + 0.98**2)
    assert known.successes == pytest.approx(0.98 + 0.98**2)
    assert known.failures == pytest.approx(1)
    assert known.latency_ms is not None
    assert 0 < known.latency_ms < max(spent_ms, 100)  # the tool says 100


def test_a_store_of_evidence_that_fails_loses_only_its_rows(sample: Load, caplog: pytest.LogCaptureFixture) -> None:
    keeper = sample("keeps_stores")
    keeper.evidence.record = lambda rows: 1 / 0
    with Ares(plugins=[keeper], config={"stores": {"evidence": "keeps-stores"}}) as ares:
        add_tools(ares)
        assert ares.call_sync("work", {"a": 1}).success
    assert "the evidence store failed; lost: 1 outcome" in caplog.text


def test_a_result_can_be_replaced_in_part() -> None:
    result = replace(Result(True, 1), data=2)
    assert (result.success, result.data) == (True, 2)
