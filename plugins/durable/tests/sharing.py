"""One of two processes that make calls through the same queues; what happens is written down, in one file for both."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from ares_plugin_durable import Durable, Queue

from ares_core import Ares, Effects, tool

URL, FOLDER, NUMBER = sys.argv[-3], Path(sys.argv[-2]), sys.argv[-1]
QUEUES = {"triple": Queue(concurrency=3), "now_and_then": Queue(rate="5/day")}


def note(what: str) -> None:
    """Write a line, in one piece also when the other process writes."""
    file = os.open(FOLDER / "happened", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, f"{what}\n".encode())
    os.close(file)


async def until(what: str, times: int) -> None:
    """Wait until something has happened as many times."""
    for _ in range(10_000):
        if (FOLDER / "happened").read_text().split().count(what) >= times:
            return
        await asyncio.sleep(0.02)


@tool(effects=Effects(read_only=True))
async def triple(n: int) -> int:
    """Give three times a number."""
    note("begin")
    await asyncio.sleep(0.02)
    note("end")
    return 3 * n


@tool(effects=Effects(read_only=True))
def now_and_then(n: int) -> int:
    """Do what may not be done often."""
    note("rare")
    return n


async def main() -> int:
    """Make ten calls; give how many were right."""
    with Ares(plugins=["durable"]) as ares:
        ares.register(triple)
        ares.register(now_and_then)
        async with Durable(ares, URL, QUEUES) as durable:
            note("there")
            await until("there", 2)
            for n in range(6):
                payload = {"tool": "now_and_then", "arguments": {"n": n}}
                await durable.start("ares_plugin_durable.jobs:call", payload, id=f"rare-{NUMBER}-{n}")
            calls = [durable.call("triple", {"n": n}, id=f"{NUMBER}-{n}") for n in range(10)]
            found = await asyncio.gather(*calls)
            await until("rare", 5)
            return sum(one.data == 3 * n for n, one in enumerate(found))


if __name__ == "__main__":
    sys.stdout.write(f"{asyncio.run(main())}\n")
