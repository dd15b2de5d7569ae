"""``regex`` on a text of 100 KB against google-re2 alone: ratios in one run.

Run: python benchmarks/regex.py [--rounds 15] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from typing import Any

import re2

from ares_core import Ares

LINE = "2026-03-04T05:06:07 host-{n} worker: user{n}@mail.example.org took {n} ms for /api/items/{n}, status 200\n"
TEXT = "".join(LINE.format(n=n) for n in range(2_000))[:100_000]
PATTERNS = {
    "no match": "zebra[0-9]+",
    "one match": "user899@",
    "a match to a line": r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    "with groups": r"(?P<date>\d{4}-\d\d-\d\d)T(\d\d):(\d\d)",
    "many matches": r"\w+",
}


def alone(pattern: str) -> float:
    """Find all matches with the library and its own cache, in microseconds."""
    options = re2.Options()
    options.log_errors = False
    started = time.perf_counter()
    for match in re2.finditer(pattern, TEXT, options=options):
        match.span()
    return (time.perf_counter() - started) * 1e6


async def through_ares(ares: Ares, pattern: str) -> float:
    """Call the tool with all stages of a call, in microseconds."""
    arguments: dict[str, Any] = {"operation": "match", "pattern": pattern, "text": TEXT}
    started = time.perf_counter()
    result = await ares.call("regex", arguments)
    spent = (time.perf_counter() - started) * 1e6
    if not result.success:
        raise SystemExit(result.text)
    return spent


async def compare(rounds: int) -> dict[str, tuple[float, float, float]]:
    """Give the medians of library, tool, and their ratio within a round."""
    ares = Ares(plugins=["regex"])
    table = {}
    for name, pattern in PATTERNS.items():
        pairs = [(alone(pattern), await through_ares(ares, pattern)) for _ in range(rounds + 3)][3:]
        library, tool = zip(*pairs, strict=True)
        ratio = statistics.median(mine / theirs for theirs, mine in pairs)
        table[name] = (statistics.median(library), statistics.median(tool), ratio)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    table = asyncio.run(compare(options.rounds))
    if options.json:
        print(json.dumps(table, indent=1))
        return
    print(f"{'':20} {'library, µs':>12} {'tool, µs':>12} {'ratio':>8}")
    for name, (library, tool, ratio) in table.items():
        print(f"{name:20} {library:12.0f} {tool:12.0f} {ratio:6.2f} ×")


if __name__ == "__main__":
    main()
