"""One of several processes that make calls through one queue."""

from __future__ import annotations

import asyncio
import sys

from ares_plugin_durable import Durable, Queue

from ares_core import Ares, Effects, tool


@tool(effects=Effects(read_only=True))
async def triple(n: int) -> int:
    """Give three times a number."""
    await asyncio.sleep(0.01)
    return 3 * n


async def main(url: str, number: str) -> None:
    """Make twenty calls, and tell how many were right."""
    with Ares(plugins=["durable"]) as ares:
        ares.register(triple)
        async with Durable(ares, url, {"triple": Queue(concurrency=3)}) as durable:
            ids = [f"{number}-{n}" for n in range(20)]
            found = await asyncio.gather(*(durable.call("triple", {"n": n}, id=one) for n, one in enumerate(ids)))
            sys.stdout.write(f"{sum(one.data == 3 * n for n, one in enumerate(found))} right\n")
            await asyncio.sleep(1)  # the other one may still wait for calls that this process has taken


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[-2:]))
