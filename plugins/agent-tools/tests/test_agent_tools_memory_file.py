"""The file of the memory: shared by processes at once, whole after one of them is killed."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from ares_core import Ares

WRITER = """
import sys
from ares_core import Ares
with Ares(plugins=["ares_plugin_agent_tools"], config={"agent_tools": {"path": sys.argv[1]}}) as ares:
    for number in range(int(sys.argv[3])):
        result = ares.call_sync("memory", {"operation": "add", "text": f"{sys.argv[2]} wrote {number}"})
        print(result.data["id"] if result.success else result.text, flush=True)
"""


def writer(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def check(path: Path) -> int:
    """Look whether every memory can be found by its words; gives how many there are."""
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.execute("INSERT INTO memory_words (memory_words) VALUES ('integrity-check')")
        kept = connection.execute("SELECT id FROM memories ORDER BY id").fetchall()
        assert connection.execute("SELECT rowid FROM memory_words ORDER BY rowid").fetchall() == kept
    return len(kept)


def test_two_processes_write_at_once_and_nothing_is_lost(ares_home: Path, tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    writers = [writer(path, name, 60) for name in ("ann", "bob")]
    ids = [line for one in writers for line in one.communicate(timeout=100)[0].split("\n") if line]
    assert len(set(ids)) == 120
    assert check(path) == 120


def test_a_process_that_is_killed_leaves_all_that_it_reported(ares_home: Path, tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    for round_ in range(5):
        one = writer(path, f"round {round_}", 10_000)
        assert one.stdout is not None
        reported = [one.stdout.readline() for _ in range(3 + round_ * 7)]
        one.send_signal(signal.SIGKILL)
        reported += [line for line in one.communicate(timeout=100)[0].split("\n")[:-1] if line]
        with Ares(plugins=["ares_plugin_agent_tools"], config={"agent_tools": {"path": str(path)}}) as ares:
            assert ares.call_sync("memory", {"operation": "add", "text": f"after {round_}"}).success
            found = ares.call_sync("memory", {"operation": "search", "query": f"round {round_} wrote 0"})
            assert found.data["memories"]
        with closing(sqlite3.connect(path)) as connection, connection:
            kept = {str(id) for (id,) in connection.execute("SELECT id FROM memories")}
        assert {line.strip() for line in reported} <= kept
        check(path)


def test_many_sessions_add_at_once(make: Callable[..., Any]) -> None:
    world = make()

    async def main() -> list[Any]:
        calls = (
            world.ares.call("memory", {"operation": "add", "text": f"fact {number}"}, session=f"s{number % 20}")
            for number in range(200)
        )
        return await asyncio.gather(*calls)

    results = asyncio.run(main())
    assert all(result.success for result in results), results[0].text
    assert world.call("memory", operation="list").data["total"] == 200


def test_a_write_waits_for_another_process_to_finish(make: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    world = make(path=str(path))
    world.call("memory", operation="add", text="one")
    holder = subprocess.Popen(
        [sys.executable, "-c", "import sqlite3, sys, time; c = sqlite3.connect(sys.argv[1]); "
         "c.execute('BEGIN IMMEDIATE'); print('held', flush=True); time.sleep(0.5); c.rollback()", str(path)],
        stdout=subprocess.PIPE,
    )  # fmt: skip
    assert holder.stdout is not None
    holder.stdout.readline()
    assert world.call("memory", operation="add", text="two").success
    holder.communicate(timeout=60)
