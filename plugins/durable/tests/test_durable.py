"""Work that survives a crash: each step once, whatever happens in between; queues beyond one process; schedules."""

from __future__ import annotations

import asyncio
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from ares_plugin_durable import Durable, Queue
from ares_plugin_durable.kept import TAKER, Kept

from ares_core import Ares, ConfigError, Effects, UsageError, tool
from ares_core.testing import check_plugin


async def chain(job: Any, payload: Any) -> Any:
    """A job of three calls."""
    value = payload
    for _ in range(3):
        value = (await job.call("double", {"n": value})).data
    return value


async def broken(job: Any, payload: Any) -> Any:
    """A job that fails."""
    raise ValueError("no luck")


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs are named by their import path."""
    monkeypatch.setitem(sys.modules, "sample_jobs", sys.modules[__name__])


def test_a_call_with_an_id_is_made_once_and_refused_with_other_arguments(ares: Ares, url: str) -> None:
    async def main() -> list[Any]:
        async with Durable(ares, url) as durable:
            found = [await durable.call("double", {"n": n}, id="one") for n in (4, 4, 9, 4.0)]
            found.append(await durable.ask("double 4", id="one"))
            with pytest.raises(UsageError, match="'one' was used before"):
                await durable.start("sample_jobs:chain", 1, id="one")
            return [one.error.code if one.error else one.data for one in found]

    assert asyncio.run(main()) == [8, 8, "key_conflict", "key_conflict", "key_conflict"]


def test_a_refusal_is_a_result_here_too(ares: Ares, url: str) -> None:
    async def main() -> Any:
        async with Durable(ares, url) as durable:
            return await durable.call("double", {"n": "many"})

    result = asyncio.run(main())
    assert (result.success, result.error.code) == (False, "invalid_arguments")
    assert result.error.issues[0].pointer == "/n"


def test_a_job_runs_its_calls_in_order_and_is_listed(ares: Ares, url: str) -> None:
    async def main() -> Any:
        async with Durable(ares, url) as durable:
            value = await durable.run("sample_jobs:chain", 1, id="c")
            with pytest.raises(UsageError, match="'c' has ended already"):
                await durable.cancel("c")
            await durable.call("absent", id="a")
            return value, await durable.jobs(), await durable.show("c")

    value, jobs, shown = asyncio.run(main())
    told = [(one["id"], one["status"], one["job"].partition(":")[2], one["what"]) for one in jobs]
    assert told == [("a", "unknown_tool", "call", "absent"), ("c", "success", "chain", "")]
    assert (value, shown["outcome"], shown["begun"] <= shown["ended"]) == (8, 8, True)


def test_what_a_job_raises_is_raised_to_who_waits(ares: Ares, url: str) -> None:
    async def main() -> Any:
        async with Durable(ares, url) as durable:
            await durable.run("sample_jobs:broken")

    with pytest.raises(Exception, match="no luck"):
        asyncio.run(main())


@pytest.mark.parametrize("job", ["os", "os:none", "no_such_module:x", "a b:c", 5])
def test_a_job_that_can_not_be_named_is_told(ares: Ares, url: str, job: Any) -> None:
    async def main() -> Any:
        async with Durable(ares, url) as durable:
            await durable.start(job)

    with pytest.raises(UsageError):
        asyncio.run(main())


def test_a_queue_lets_as_many_run_as_it_says(ares: Ares, url: str) -> None:
    working, most = 0, 0

    @tool(effects=Effects(read_only=True))
    async def slow(n: int) -> int:
        """Work a little."""
        nonlocal working, most
        working += 1
        most = max(most, working)
        await asyncio.sleep(0.05)
        working -= 1
        return n

    ares.register(slow)

    async def main() -> list[Any]:
        async with Durable(ares, url, {"slow": Queue(concurrency=2)}) as durable:
            return [result.data for result in await asyncio.gather(*(durable.call("slow", {"n": n}) for n in range(6)))]

    assert asyncio.run(main()) == list(range(6))
    assert most <= 2
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith(TAKER)]


def test_a_schedule_runs_a_job_again_and_again_and_warns_of_what_fails(
    ares: Ares, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    seen: list[Any] = []

    async def note(job: Any, payload: Any) -> Any:
        seen.append(payload)
        return {"success": False, "error": {"code": "tool_error"}}

    sys.modules[__name__].note = note  # type: ignore[attr-defined]

    async def main() -> None:
        async with Durable(ares, url) as durable:
            await durable.schedule("every-second", "* * * * * *", "sample_jobs:note", {"n": 1})
            for _ in range(2000):
                await asyncio.sleep(0.05)
                if len(seen) >= 2:
                    return

    asyncio.run(main())
    assert seen[:2] == [{"n": 1}, {"n": 1}]
    assert "failed: tool_error; see it with 'ares durable show sched-every-second" in caplog.text


def test_a_run_that_has_not_begun_is_not_made_when_its_schedule_is_taken_out(ares: Ares, url: str) -> None:
    async def main() -> Any:
        async with Durable(ares, url):
            pass
        async with Kept(url) as kept:
            await kept.schedule("daily", "0 7 * * *", "sample_jobs:chain", 1)
            await asyncio.to_thread(kept.client.trigger_schedule, "daily")
            before = await kept.jobs()
            await kept.unschedule("daily")
            return [(one["status"], one["job"]) for one in before + await kept.jobs()]

    assert asyncio.run(main()) == [("enqueued", "sample_jobs:chain"), ("cancelled", "sample_jobs:chain")]


def test_schedules_are_listed_replaced_and_taken_out(ares: Ares, url: str) -> None:
    async def main() -> Any:
        async with Durable(ares, url) as durable:
            for cron in ("0 7 * * *", "0 8 * * *"):
                await durable.schedule("daily", cron, "sample_jobs:chain", 1)
            with pytest.raises(UsageError, match="can't be kept: 'whenever' is no time such as"):
                await durable.schedule("daily", "whenever", "sample_jobs:chain", 1)
            listed = await durable.schedules()
            return (
                listed,
                await durable.unschedule("daily"),
                await durable.unschedule("daily"),
                await durable.schedules(),
            )

    daily = {"name": "daily", "schedule": "0 8 * * *", "job": "sample_jobs:chain", "what": ""}
    assert asyncio.run(main()) == ([daily], True, False, [])


def test_a_job_that_is_not_kept_can_neither_be_cancelled_nor_go_on(ares: Ares, url: str) -> None:
    async def main() -> None:
        async with Durable(ares, url) as durable:
            for work in (durable.cancel, durable.resume, durable.show):
                with pytest.raises(UsageError, match="there is no job 'nobodys'"):
                    await work("nobodys")

    asyncio.run(main())


def test_a_cancelled_job_makes_no_further_step_and_can_go_on(ares: Ares, url: str) -> None:
    made: list[int] = []
    begun, leave, ended = asyncio.Event(), asyncio.Event(), asyncio.Event()

    @tool(effects=Effects(read_only=True))
    async def slow(n: int) -> int:
        """Work until the job is cancelled."""
        made.append(n)
        begun.set()
        await leave.wait()
        return n

    async def steps(job: Any, payload: Any) -> int:
        try:
            for n in range(3):
                await job.call("slow", {"n": n})
        finally:
            ended.set()
        return len(made)

    ares.register(slow)
    setattr(sys.modules[__name__], "steps", steps)  # noqa: B010 - jobs are found by their import path

    async def main() -> Any:
        async with Durable(ares, url) as durable:
            await durable.start("sample_jobs:steps", id="s")
            await asyncio.wait_for(begun.wait(), 60)
            await durable.cancel("s")
            leave.set()
            await asyncio.wait_for(ended.wait(), 60)
            before = list(made)
            await durable.resume("s")
            return before, await durable.result("s")

    assert asyncio.run(main()) == ([0], 3)


def test_there_is_one_in_a_process_and_a_bad_database_is_told(ares: Ares, url: str, tmp_path: Path) -> None:
    with Durable(ares, url), pytest.raises(UsageError, match="already"):
        Durable(ares, url).__enter__()
    (tmp_path / "file").write_text("x")
    with pytest.raises(ConfigError, match=r"durable\.url"):
        Durable(ares, f"sqlite:///{tmp_path}/file/x.db").__enter__()


def test_a_wrong_section_is_a_configuration_error() -> None:
    for section in ({"url": "mysql://x"}, {"queues": {"t": {"rate": "fast"}}}, {"colour": 1}):
        with (
            pytest.raises(ConfigError, match="durable"),
            Ares(plugins=["durable"], config={"durable": section}) as ares,
        ):
            ares.ready()


def test_the_plugin_is_in_order() -> None:
    check_plugin("durable")
