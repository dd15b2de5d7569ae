"""A plan from words: with the builtin tools, with 10,000 more, after 1,000,000 outcomes, and the first of a process.

The floor is what no planner can leave out: cut the request into words and look each of them up.

Run: python benchmarks/planner.py [--rounds 7]
"""

from __future__ import annotations

import argparse
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial

from ares_core import Ares, Effects, Evidence, EvidenceRow, Tool

RULED = (
    "sum from 1 to 1,000,000", "md5 of 'hello'", "把hello改成大写", "what time is it in Tokyo?", "generate 3 uuids",
    "read report.pdf page 2 and 3", "从1累加到100万", "search the web for red pandas",
)  # fmt: skip
SEVERAL = ("md5 of hello, then base64 encode it", "先计算1到100的和，再求它的sha256", "mean and stddev of 1,2,3,4,5,6")
GUESSED = ("forecast of the harvest for Ohio over 3 days",)
REFUSED = ("hash browns", "Don't calculate anything, just say hi to all 3 of us", "参加了2个会议和3个培训")
KINDS = {"with a rule": RULED, "of several steps": SEVERAL, "refused": REFUSED, "by a tool's words": GUESSED}
TOPICS = "weather harvest stock ticket invoice parcel route museum recipe lesson patient sensor battery".split()
VERBS = "get list find create update cancel estimate compare".split()
ROWS = 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    few = Ares()
    many = Ares()
    for number in range(10_000):
        many.register(made(number))
    floor = best(lambda: looked_up(RULED[0]), rounds)
    print(f"floor: {floor * 1000:.4f} ms")
    table("20 tools", few, floor, rounds)
    began = time.process_time()
    many.plan(GUESSED[0])
    print(f"10,000 tools: made ready in {(time.process_time() - began) * 1000:.0f} ms, once")
    table("10,000 tools", many, floor, rounds)
    remember(few)
    table(f"20 tools, {ROWS:,} outcomes", few, floor, rounds)
    print(f"the first plan of a process: {statistics.median(first() for _ in range(rounds)):.0f} ms CPU")


def table(what: str, ares: Ares, floor: float, rounds: int) -> None:
    for kind, requests in KINDS.items():
        figures = [best(partial(ares.plan, request), rounds) for request in requests]
        middle, worst = statistics.median(figures), max(figures)
        print(f"{what}, {kind}: {middle * 1000:.2f} ms ({middle / floor:.0f} × floor), at most {worst * 1000:.2f} ms")


def best(work: Callable[[], object], rounds: int) -> float:
    work()
    figures = []
    for _ in range(rounds * 10):
        began = time.perf_counter()
        work()
        figures.append(time.perf_counter() - began)
    return min(figures)


KNOWN = {word: number for number, word in enumerate((*TOPICS, *VERBS, "sum", "from", "to"))}


def looked_up(request: str) -> list[int]:
    return [KNOWN[word] for word in re.findall(r"\w+", request.lower()) if word in KNOWN]


def made(number: int) -> Tool:
    chance = random.Random(number)
    topic, verb = chance.choice(TOPICS), chance.choice(VERBS)
    properties = {name: {"type": "string"} for name in (topic, "region")} | {"days": {"type": "integer"}}
    return Tool(
        f"{verb}_{topic}_{number}",
        f"{verb.capitalize()} the {topic} of a region, as service {number} knows it.",
        {"type": "object", "properties": properties},
        lambda arguments, context: arguments,
        effects=Effects(read_only=True),
    )


def remember(ares: Ares) -> None:
    row = EvidenceRow("calculator", True, 1.0, time.time())
    for _ in range(ROWS // 10_000):
        ares.evidence.store.record([row] * 10_000)
    known: Evidence = ares.evidence.store.read("calculator")
    assert known.n > 40


def first() -> float:
    code = (
        "import time\nfrom ares_core import Ares\nares = Ares()\nares.ready()\nbegan = time.process_time()\n"
        "ares.plan('sum from 1 to 100')\nprint((time.process_time() - began) * 1000)"
    )
    return float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout)


if __name__ == "__main__":
    main()
