"""Call tools of worker processes over NATS: what it costs over a local call, and what is lost when workers are killed.

Run: python benchmarks/workers.py [--calls N] [--every N] [--rounds N]. Needs the program nats-server. Half of the calls
only read, half write a line to a file; of two workers one is killed at every 1,000th call, and another one started.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ares_plugin_workers.server import LocalServer

from ares_core import Ares, ConfigError, Effects, Result, tool

PROGRAM = Path(__file__).parents[1] / "plugins" / "workers" / "tests" / "served.py"
AT_ONCE = 8


@tool(effects=Effects(read_only=True, open_world=False))
async def local_add(a: int, b: int = 1) -> dict[str, int]:
    """Add two whole numbers."""
    return {"sum": a + b}


def end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def start(url: str, folder: str, number: int) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, PROGRAM, url, f"worker-{number}", folder, "network"], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


async def one(ares: Ares, name: str, arguments: dict[str, object]) -> float:
    begun = time.perf_counter()
    result = await ares.call(name, arguments)
    assert result.success, result
    return (time.perf_counter() - begun) * 1000


async def compare(ares: Ares, rounds: int) -> bool:
    """Call a tool here, the same in a worker, and one there that changes something, in turn."""
    kinds = {"local_add": {"a": 1}, "add": {"a": 1}, "write": {"what": "measured"}}
    for name, arguments in kinds.items():
        await one(ares, name, arguments)
    spent: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(rounds):
        for name, arguments in kinds.items():
            spent[name] += [await one(ares, name, arguments) for _ in range(20)]
    local, reads, writes = (statistics.median(spent[name]) for name in kinds)
    print(f"one call after the other, median of {rounds * 20}:")
    print(f"  local            {local:7.3f} ms")
    print(f"  worker, reads    {reads:7.3f} ms   +{reads - local:.3f} ms (wanted: 1 ms)")
    print(f"  worker, changes  {writes:7.3f} ms   +{writes - local:.3f} ms (two ways there and back)")
    return reads - local <= 1


class Killing:
    """Many calls, while workers are killed."""

    def __init__(self, ares: Ares, url: str, folder: str, calls: int, every: int) -> None:
        self._ares, self._url, self._folder, self._calls, self._every = ares, url, folder, calls, every
        self._left = iter(range(calls))
        self._workers = [start(url, folder, number) for number in range(2)]
        self.outcomes: dict[str, str] = {}
        self.reads: collections.Counter[str] = collections.Counter()
        self.kills = 0
        self._turn = asyncio.Lock()
        self._replacing: asyncio.Future[None] | None = None
        self.slowest = 0.0

    async def run(self) -> None:
        try:
            await asyncio.gather(*(self._call_on() for _ in range(AT_ONCE)))
        finally:
            if self._replacing is not None:
                await self._replacing
            for worker in self._workers:
                end(worker)

    async def _call_on(self) -> None:
        for number in self._left:
            if number and number % self._every == 0:
                await self._kill()
            begun = time.perf_counter()
            if number % 2:
                self.outcomes[f"call {number}"] = said(await self._ares.call("write", {"what": f"call {number}"}))
            else:
                result = await self._ares.call("add", {"a": number})
                right = result.success and result.data == {"sum": number + 1}
                self.reads["right" if right else said(result)] += 1
            self.slowest = max(self.slowest, time.perf_counter() - begun)

    async def _kill(self) -> None:
        async with self._turn:
            if self._replacing is not None:
                await self._replacing
            which = self.kills % 2
            self._workers[which].kill()
            self.kills += 1
            self._replacing = asyncio.get_running_loop().run_in_executor(None, self._replace, which)

    def _replace(self, which: int) -> None:
        end(self._workers[which])
        self._workers[which] = start(self._url, self._folder, self.kills + 1)


def said(result: Result) -> str:
    return "done" if result.success else result.error.code if result.error else "?"


def judge(killing: Killing, folder: str) -> bool:
    """Say what became of every call, and compare it with what was written down."""
    written = collections.Counter(Path(folder, "effects").read_text("utf-8").splitlines())
    del written["measured"]
    told = collections.Counter(killing.outcomes.values())
    twice = sum(count > 1 for count in written.values())
    lost = sum(outcome == "done" and not written[call] for call, outcome in killing.outcomes.items())
    silent = sum(outcome not in ("done", "outcome_unknown") and written[call] > 0
                 for call, outcome in killing.outcomes.items())  # fmt: skip
    took = sum(outcome == "outcome_unknown" and written[call] > 0 for call, outcome in killing.outcomes.items())
    calls = sum(killing.reads.values()) + len(killing.outcomes)
    print(f"{calls} calls, {AT_ONCE} at a time, {killing.kills} workers killed, slowest {killing.slowest:.2f} s:")
    print(f"  calls that read:   {dict(killing.reads)}")
    print(f"  calls that change: {dict(told)}; of the unknown ones {took} had taken effect")
    print(f"  run twice: {twice}   done without effect: {lost}   effect, but told as not done: {silent}")
    return (
        not (twice or lost or silent) and set(killing.reads) == {"right"} and set(told) <= {"done", "outcome_unknown"}
    )


async def measure(url: str, calls: int, every: int, rounds: int) -> bool:
    config = {"workers": {"url": url}}
    with tempfile.TemporaryDirectory() as folder, Ares(plugins=["network", "workers"], config=config) as ares:
        ares.register(local_add)
        worker = start(url, folder, 0)
        try:
            is_quick = await compare(ares, rounds)
        finally:
            end(worker)
        killing = Killing(ares, url, folder, calls, every)
        await killing.run()
        return judge(killing, folder) and is_quick


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--every", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=50)
    options = parser.parse_args()
    try:
        server = LocalServer()
    except ConfigError as error:
        print(f"not measured: {error}")
        return 0
    try:
        return 0 if asyncio.run(measure(server.url, options.calls, options.every, options.rounds)) else 1
    finally:
        server.close()


if __name__ == "__main__":
    sys.exit(main())
