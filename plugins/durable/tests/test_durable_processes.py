"""Several processes on one SQLite file: limits hold for them together, and each leaves alone what another is at."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from ares_plugin_durable import Durable, Queue, engine
from ares_plugin_durable.kept import Kept
from ares_plugin_durable.processes import Files
from sqlalchemy import event

from ares_core import Ares, Effects, UsageError, tool

CRASHING = Path(__file__).parent / "crashing.py"


@contextmanager
def begun(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Begin a job of four calls in another process, which is held up in the middle of the third."""
    (folder / "hold").touch()
    with subprocess.Popen([sys.executable, CRASHING, folder], stdout=subprocess.PIPE, text=True) as process:
        try:
            while not (folder / "reached").exists() and process.poll() is None:
                time.sleep(0.01)
            yield process
        finally:
            process.kill()


def effects(folder: Path) -> list[str]:
    return (folder / "effects").read_text().split()


def test_two_processes_keep_one_concurrency_and_one_rate(url: str, share: Any) -> None:
    said, made, at_once, rare = share(url)
    assert (said, made, rare) == ([10, 10], 20, 5)
    assert at_once <= 3


def test_room_in_a_queue_is_counted_where_no_other_process_can_take_it(ares: Ares, url: str) -> None:
    counted: list[bool] = []

    def look(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        if "count(" in statement and "queue_name" in statement:
            counted.append(cursor.connection.in_transaction)

    async def main() -> Any:
        async with Durable(ares, url, {"double": Queue(concurrency=1, rate="5/day")}) as durable:
            event.listen(durable._engine, "before_cursor_execute", look)
            return (await durable.call("double", {"n": 1})).data

    assert asyncio.run(main()) == 2
    assert set(counted) == {True}


def test_a_second_process_leaves_alone_what_the_first_is_at(ares: Ares, url: str, tmp_path: Path) -> None:
    async def main() -> Any:
        async with Durable(ares, url) as durable:
            return [(one["id"], one["status"], one["job"]) for one in await durable.jobs()]

    with begun(tmp_path) as first:
        assert asyncio.run(main()) == [("j", "pending", "crashing:four")]
        (tmp_path / "hold").unlink()
        assert first.communicate(timeout=300)[0].strip() == "done"
    assert effects(tmp_path) == ["0", "1", "2", "3"]


def test_what_a_killed_process_was_at_goes_on_where_it_was_in_one_that_works(
    url: str, tmp_path: Path, imported: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    crashing = imported(CRASHING, tmp_path)
    monkeypatch.setattr(engine, "LOOK_SECONDS", 0.05)

    async def main(first: subprocess.Popen[str]) -> Any:
        with crashing.opened() as ares:
            async with Durable(ares, url) as durable:
                first.kill()
                first.wait()
                (tmp_path / "hold").unlink()
                return await durable.result("j")

    with begun(tmp_path) as first:
        ended = asyncio.run(main(first))
    known = ("unknown", ["0", "1"]) if crashing.HAS_LEDGER else ("done", ["0", "1", "2", "3"])
    assert (ended, effects(tmp_path)) == known


async def forever(job: Any, payload: Any) -> None:
    """Wait."""
    await asyncio.Event().wait()


def test_looking_at_what_is_kept_begins_none_of_it(ares: Ares, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "waiting", sys.modules[__name__])

    async def left() -> None:
        async with Durable(ares, url) as durable:
            await durable.start("waiting:forever", id="j")

    async def looked() -> list[dict[str, Any]]:
        async with Kept(url) as kept:
            return await kept.jobs()

    asyncio.run(left())
    assert [one["status"] for one in asyncio.run(looked())] == ["pending"]
    with pytest.raises(UsageError, match="closed"):
        Kept(url).client.list_queues()


@pytest.mark.parametrize("queues", [{}, {"slow": Queue(concurrency=1)}], ids=["job", "queue"])
def test_a_process_ends_after_the_calls_that_it_is_making(ares: Ares, url: str, queues: dict[str, Queue]) -> None:
    told: list[str] = []
    working = asyncio.Event()

    @tool(effects=Effects(read_only=True))
    async def slow(n: int) -> int:
        """Work a little."""
        working.set()
        await asyncio.sleep(0.2)
        told.append("done")
        return n

    ares.register(slow)

    async def main() -> None:
        async with Durable(ares, url, queues) as durable:
            payload = {"tool": "slow", "arguments": {"n": 1}}
            await durable.start("ares_plugin_durable.jobs:call", payload)
            await asyncio.wait_for(working.wait(), 60)

    asyncio.run(main())
    assert told == ["done"]


def test_a_tool_with_a_queue_that_came_too_late_is_told(ares: Ares, url: str) -> None:
    @tool(effects=Effects(read_only=True))
    def late(n: int) -> int:
        """Come late."""
        return n

    async def main() -> None:
        async with Durable(ares, url, {"late": Queue(concurrency=1)}) as durable:
            refused = await durable.call("late", {"n": 1})
            assert (refused.error and refused.error.code) == "unknown_tool"
            ares.register(late)
            await durable.call("late", {"n": 1})

    with pytest.raises(Exception, match="register it before this Durable is opened"):
        asyncio.run(main())


def test_a_process_that_has_ended_is_known_by_its_file(tmp_path: Path) -> None:
    first, second = Files(tmp_path / "open"), Files(tmp_path / "open")
    assert first.dead([first.id, second.id, "never-there"]) == ["never-there"]
    second.close()
    assert first.dead([second.id]) == [second.id]
    first.close()
    assert list((tmp_path / "open").iterdir()) == []


def test_what_is_taken_up_while_a_process_ends_is_made_by_the_next(ares: Ares, url: str) -> None:
    async def rounds() -> list[Any]:
        ids = [f"n{n}" for n in range(40)]
        for part in range(0, 40, 8):
            async with Durable(ares, url, {"double": Queue()}) as durable:
                for n in range(part, part + 8):
                    await durable.start(
                        "ares_plugin_durable.jobs:call", {"tool": "double", "arguments": {"n": n}}, id=ids[n]
                    )
                await asyncio.sleep(0.02 * part / 8)  # the threads of queues look every 0.1 s
        async with Durable(ares, url, {"double": Queue()}) as durable:
            return [(await durable.result(id))["data"] for id in ids]

    assert asyncio.run(rounds()) == [2 * n for n in range(40)]
