from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from ares_core import Evidence, EvidenceRow

GOOD = EvidenceRow("add", True, 4.0, 1.0, declared_latency_ms=100.0)
WRITER = """
import logging, sys, time
from types import SimpleNamespace
from ares_core import Event, EvidenceRow
import ares_plugin_store_sqlite as plugin
from ares_plugin_store_sqlite import database

database.BUSY_SECONDS = 60  # on a slow machine others take longer
path, rows = sys.argv[1], int(sys.argv[2])
host = SimpleNamespace(config={"path": path}, log=logging.getLogger("writer"))
evidence, events = plugin.open_store("evidence", host), plugin.open_store("events", host)
for number in range(rows):
    evidence.record([EvidenceRow("add", True, 1.0, 1.0)])
    events.append([Event("finished", f"{sys.argv[3]}-{number}", time.time(), "add")])
    if number % 10 == 9:
        evidence.read("add")
        events.query(limit=1)
        print(number, flush=True)
evidence.close()
events.close()
"""


def start_writer(path: Path, rows: int, name: str = "a") -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", WRITER, str(path), str(rows), name]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(writers: list[subprocess.Popen[str]]) -> str:
    said = ""
    for writer in writers:
        _, errors = writer.communicate(timeout=100)
        assert writer.returncode == 0, errors
        said += errors
    return said


def test_several_processes_lose_nothing(open_store: Any, path: Path) -> None:
    assert finish([start_writer(path, 100, name) for name in "abcd"]) == ""
    assert len({found.execution_id for found in open_store("events").query(limit=1000)}) == 400
    assert open_store("evidence").read("add").n == pytest.approx((1 - 0.98**400) / 0.02)


def test_several_threads_lose_nothing(open_store: Any) -> None:
    store = open_store("evidence")

    def work() -> None:
        for _ in range(50):
            store.record([GOOD])
            store.read("add")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.read("add").n == pytest.approx((1 - 0.98**200) / 0.02)


def test_a_process_killed_in_the_middle_damages_nothing(open_store: Any, path: Path) -> None:
    writer = start_writer(path, 1_000_000)
    assert writer.stdout is not None
    written = [int(writer.stdout.readline()) for _ in range(5)][-1] + 1
    writer.send_signal(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
    writer.communicate(timeout=100)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    events = open_store("events").query(limit=1_000_000)
    assert len(events) >= written
    assert [found.execution_id for found in events] == [f"a-{n}" for n in range(len(events))]
    store = open_store("evidence")
    before = store.read("add").n
    store.record([GOOD])
    assert store.read("add").n == pytest.approx(before * 0.98 + 1)


def test_rows_wait_while_another_process_holds_the_file(
    open_store: Any, path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("ares_plugin_store_sqlite.database.BUSY_SECONDS", 0.05)
    store = open_store("evidence")
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        store.record([GOOD])
        assert store.read("add") == Evidence()
    assert "not written yet: 1 row (database is locked)" in caplog.text
    assert store.read("add").n == 1.0


def test_processes_that_find_one_damaged_file_begin_one_new_file(open_store: Any, path: Path) -> None:
    open_store("evidence").close()
    path.write_bytes(path.read_bytes()[:100] + b"\xff" * 50_000)
    said = finish([start_writer(path, 50, name) for name in "abcd"])
    assert said.count("was moved to") == len(list(path.parent.glob("ares.db.damaged-????????-??????"))) == 1
    assert len(open_store("events").query(limit=1000)) == 200
