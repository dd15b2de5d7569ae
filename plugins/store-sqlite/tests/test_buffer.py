from __future__ import annotations

import logging
import sqlite3
import threading

import pytest
from ares_plugin_store_sqlite import buffer
from ares_plugin_store_sqlite.buffer import Buffer

LOG = logging.getLogger("ares.plugin.store-sqlite")


def test_rows_are_written_in_order_and_once() -> None:
    written: list[int] = []
    rows = Buffer[int](written.extend, LOG)
    for number in range(1000):
        rows.add([number])
    rows.close()
    assert written == list(range(1000))


def test_a_full_batch_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buffer, "DELAY_SECONDS", 3600.0)
    written = threading.Event()
    rows = Buffer[int](lambda batch: written.set(), LOG)
    rows.add(range(buffer.BATCH))
    assert written.wait(60)
    rows.close()


def test_rows_that_have_to_wait_keep_their_order() -> None:
    written: list[int] = []
    locked = True

    def write(batch: list[int]) -> None:
        if locked:
            raise sqlite3.OperationalError("database is locked")
        written.extend(batch)

    rows = Buffer[int](write, LOG)
    rows.add([1, 2])
    assert not rows.flush()
    rows.add([3])
    locked = False
    rows.close()
    assert written == [1, 2, 3]


def test_what_can_never_be_written_is_given_up_and_said(caplog: pytest.LogCaptureFixture) -> None:
    def write(batch: list[str]) -> None:
        if "bad" in batch:
            raise ValueError("no such thing")
        written.extend(batch)

    written: list[str] = []
    rows = Buffer[str](write, LOG)
    rows.add(["bad"])
    assert rows.flush()
    rows.add(["good"])
    rows.close()
    assert written == ["good"]
    assert "lost, for it could not be written: 1 row" in caplog.text


def test_the_oldest_are_lost_when_too_many_wait(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(buffer, "CAPACITY", 5)
    written: list[int] = []
    rows = Buffer[int](written.extend, LOG)
    rows.add(range(8))
    rows.close()
    assert written == [3, 4, 5, 6, 7]
    assert "lost, for it could not be written in time: 3 rows" in caplog.text


def test_a_store_closed_while_locked_says_what_it_lost(caplog: pytest.LogCaptureFixture) -> None:
    def write(batch: list[int]) -> None:
        raise sqlite3.OperationalError("database is locked")

    rows = Buffer[int](write, LOG)
    rows.add([1, 2])
    rows.close()
    assert "lost, for the store was closed before: 2 rows" in caplog.text
