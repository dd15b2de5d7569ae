"""A person who waits for a job, and leaves: the calls in progress end first, and what becomes of the job is told."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest
from ares_plugin_durable import Durable, engine
from ares_plugin_durable.making import FINISHING

from ares_core import Ares, Effects, tool


class Attended:
    """A job of some calls, at whose first one who waits is cancelled; the call ends when that was told."""

    def __init__(self, ares: Ares, url: str) -> None:
        self.ares, self.url = ares, url
        self.told: list[str] = []

        @tool(effects=Effects(read_only=True))
        async def slow() -> int:
            """Work until it was told that it is waited for."""
            self.begun.set()
            await asyncio.wait_for(self.leave.wait(), 60)
            return 5

        ares.register(slow)

    def tell(self, text: str) -> None:
        self.told.append(text)
        self.heard.put_nowait(text)
        if self.ends:
            self.leave.set()

    async def job(self, job: Any, calls: int) -> Any:
        return [(await job.call("slow")).data for _ in range(calls)]

    async def run(self, calls: int, *, times: int = 1, ends: bool = True) -> Any:
        self.begun, self.leave, self.ends = asyncio.Event(), asyncio.Event(), ends
        self.heard: asyncio.Queue[str] = asyncio.Queue()
        async with Durable(self.ares, self.url) as durable:
            await durable.start("attended:job", calls, id="j")
            waiting = asyncio.create_task(durable.attend("j", self.tell))
            await asyncio.wait_for(self.begun.wait(), 60)
            for _ in range(times):
                waiting.cancel()
                await asyncio.wait_for(self.heard.get(), 60)
            return await waiting

    async def go_on(self) -> Any:
        self.begun, self.leave = asyncio.Event(), asyncio.Event()
        self.leave.set()
        async with Durable(self.ares, self.url) as durable:
            return await durable.result("j")


@pytest.fixture
def attended(ares: Ares, url: str, monkeypatch: pytest.MonkeyPatch) -> Attended:
    monkeypatch.setattr(engine, "MOMENTS", 600)
    made = Attended(ares, url)
    monkeypatch.setitem(sys.modules, "attended", made)
    return made


def test_who_leaves_in_the_last_call_still_gets_the_result(attended: Attended) -> None:
    assert asyncio.run(attended.run(1)) == [5]
    assert attended.told == [FINISHING]


@pytest.mark.parametrize(("times", "ends"), [(1, True), (2, False)], ids=["one", "another"])
def test_a_job_with_more_to_do_is_told_to_go_on_and_does(attended: Attended, times: int, ends: bool) -> None:
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(attended.run(2, times=times, ends=ends))
    assert attended.told == [FINISHING, "j goes on at the next start: ares durable resume j"]
    assert asyncio.run(attended.go_on()) == [5, 5]
