"""Events on their way to a store: calls don't wait for it, and nothing is lost at the end or when it fails once."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest

from ares_core import Ares, Event, Viewer, hookimpl, tool
from ares_core.buffer import Buffer


class Slow:
    """A store that waits until it may go on, and fails as often as it is told."""

    def __init__(self, failures: int = 0) -> None:
        self.events: list[Event] = []
        self.failures, self.closed = failures, False
        self.go_on = threading.Event()

    def append(self, events: Sequence[Event]) -> None:
        assert self.go_on.wait(60)
        if self.failures:
            self.failures -= 1
            raise OSError("the disk is full")
        self.events.extend(events)

    def query(self, **wanted: Any) -> list[Event]:
        return self.events

    def close(self) -> None:
        self.closed = True


def ares_with(store: Slow) -> Ares:
    class Plugin:
        @hookimpl
        def open_store(self, kind: str) -> Any:
            return store if kind == "events" else None

    plugin = Plugin()
    ares = Ares(plugins=[plugin], config={"stores": {"events": "Plugin"}})

    @tool
    def ping() -> str:
        """Say pong."""
        return "pong"

    ares.register(ping)
    return ares


def test_calls_do_not_wait_for_a_slow_store_and_nothing_is_lost_at_exit() -> None:
    store = Slow()
    with ares_with(store) as ares:
        for _ in range(100):
            assert ares.call_sync("ping").success
        assert store.events == []
        store.go_on.set()
    assert sum(event.kind == "finished" for event in store.events) == 100
    assert store.closed


def test_a_write_that_never_returns_does_not_hold_up_the_end_and_what_is_lost_is_counted(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("ares_core.buffer.PATIENCE_SECONDS", 0.01)
    store = Slow()
    with ares_with(store) as ares:
        ares.call_sync("ping")
    assert (store.events, store.closed) == ([], False)
    assert "5 events are lost: the store did not take them within 0.01 s" in caplog.text
    store.go_on.set()


def test_what_a_store_fails_at_is_written_again_in_order() -> None:
    store = Slow(failures=2)
    store.go_on.set()
    with ares_with(store) as ares:
        ares.call_sync("ping")
        assert ares.events is not None
        while not ares.events.query():
            time.sleep(0.01)
    assert [event.kind for event in store.events] == ["requested", "resolved", "validated", "started", "finished"]


def test_whoever_adds_to_a_full_buffer_waits_until_there_is_room() -> None:
    gate, written = threading.Event(), list[int]()

    def write(rows: list[int]) -> None:
        gate.wait(60)
        written.extend(rows)

    buffer = Buffer(write, capacity=10)

    def add() -> None:
        for n in range(1000):
            buffer.add([n])

    adding = threading.Thread(target=add)
    adding.start()
    adding.join(0.3)
    assert adding.is_alive()
    gate.set()
    adding.join(60)
    buffer.close()
    assert written == list(range(1000))


def test_a_batch_that_never_can_be_written_is_given_up_and_the_rest_goes_on() -> None:
    written = []

    def write(rows: list[int]) -> None:
        if 13 in rows:
            raise ValueError("13")
        written.extend(rows)

    buffer = Buffer(write)
    buffer.add([13])
    while not buffer.flush():
        pass
    buffer.add([1])
    buffer.close()
    assert written == [1]


def test_one_may_listen_to_some_events_only(ares: Ares) -> None:
    heard: list[str] = []

    @tool
    def ping() -> str:
        """Say pong."""
        return "pong"

    ares.register(ping)
    stop = ares.on_event(lambda event: heard.append(event.kind), kinds={"finished"}, session="mine")
    viewer = Viewer(most=2)
    ares.on_event(viewer, tool="ping")
    ares.call_sync("ping", session="mine")
    ares.call_sync("ping", session="other")
    stop()
    ares.call_sync("ping", session="mine")
    assert heard == ["finished"]
    assert len(viewer.take()) == 2
    assert viewer.dropped == 13


def test_whatever_a_store_raises_what_waits_is_written_after_it() -> None:
    raised, written = [SystemExit(1), RecursionError()], list[int]()

    def write(rows: list[int]) -> None:
        if raised:
            raise raised.pop()
        written.extend(rows)

    buffer = Buffer[int](write)
    buffer.add([1, 2])
    while not buffer.flush():
        pass
    buffer.close()
    assert written == [1, 2]
