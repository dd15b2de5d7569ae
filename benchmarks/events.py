"""What a slow store of events costs calls, and whether it gets everything.

Run: python benchmarks/events.py [--calls N] [--rounds N]; the same calls with a store that sleeps at every write, and
with one that does not, in turn; minima are compared.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Sequence
from typing import Any

from ares_core import Ares, Effects, Event, hookimpl, tool

SLEEP = 0.02


class Kept:
    """A store that sleeps before it keeps."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.ends = seconds, 0

    def append(self, events: Sequence[Event]) -> None:
        time.sleep(self.seconds)
        self.ends += sum(event.kind == "finished" for event in events)

    def query(self, **wanted: Any) -> list[Event]:
        return []

    def close(self) -> None:
        return


@tool(effects=Effects(read_only=True))
async def ping(n: int) -> int:
    """Give a number back."""
    return n


def run(calls: int, seconds: float) -> tuple[float, int]:
    """Make the calls; give the seconds that they took, and how many ends were kept."""
    store = Kept(seconds)

    class Plugin:
        @hookimpl
        def open_store(self, kind: str) -> Any:
            return store if kind == "events" else None

    async def work(ares: Ares) -> float:
        begun = time.perf_counter()
        for n in range(calls):
            await ares.call("ping", {"n": n})
        return time.perf_counter() - begun

    with Ares(plugins=[Plugin()], config={"stores": {"events": "Plugin"}}) as ares:
        ares.register(ping)
        took = asyncio.run(work(ares))
    return took, store.ends


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    calls = options.calls
    run(calls, 0.0)
    rounds = [(run(calls, 0.0), run(calls, SLEEP)) for _ in range(options.rounds)]
    quick, slow = min(one[0] for one, _ in rounds), min(other[0] for _, other in rounds)
    ends = min(other[1] for _, other in rounds)
    print(f"{calls} calls: {quick / calls * 1e6:.1f} µs each, with a store that sleeps {slow / calls * 1e6:.1f} µs,"
          f" {slow / quick:.2f} × (wanted: 1.2); {calls - ends} lost")  # fmt: skip


if __name__ == "__main__":
    main()
