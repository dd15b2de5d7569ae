"""Looking tools up among 10,000: what a query, a whole call and definitions take; and how often the right one is found.

The floor is what no search can leave out: cut the query into words, and read what stands under each of them.
The share that is found needs the data of a suite: pip install --no-deps bfcl-eval

Run: python benchmarks/tool_search.py [--rounds 7] [--tools 10000]
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.util import find_spec

from ares_core import Ares, Effects, Tool, ToolIndex

NOUNS = (
    "account airport album alarm answer article asset auction balance battery blog board book branch budget building "
    "bus calendar camera campaign car card case channel chart claim clinic code comment company contact contract "
    "coupon course currency customer deadline delivery device dish doctor document door driver email engine event "
    "exam file fine flight folder forecast form game garden gift grant group guest harvest hotel house image invoice "
    "island issue job journey key label lamp lease lesson letter library licence loan lottery map market match meal "
    "meeting member menu message meter mortgage movie museum note offer office order package page parcel park patient "
    "payment pension permit phone photo plan plant playlist policy port post price printer product profile project "
    "recipe record refund region rent report reservation review road role room route salary sample schedule school "
    "score season seat sensor server shift shop signal site song stage station stock store street student subscription "
    "survey table task tax team tenant ticket tide token track trade train translation trip truck tutor user vaccine "
    "vehicle vendor video visa visit voucher warehouse warranty watch weather website wedding wheel window workshop"
).split()  # fmt: skip
VERBS = "add archive assign cancel compare create delete estimate export find list move open rename send track".split()
CHINESE = {"weather": "天气", "ticket": "车票", "invoice": "发票", "hotel": "酒店", "parcel": "快递", "route": "路线"}
QUERIES = (
    "cancel the museum visit", "where is my parcel", "forecast of the harvest", "compare two hotels", "track a truck",
    "what is the price of a train ticket for a student on a Sunday afternoon in the season",
    "I'd like to rename the playlist that I made for the wedding of my sister last summer", "明天的天气怎么样",
    "查一下我的快递",
    "list of all open issues of a project, with labels and who they are assigned to",
)  # fmt: skip
SERVICES = 40


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--tools", type=int, default=10_000)
    options = parser.parse_args()
    tools = [made(number) for number in range(options.tools)]
    began = time.process_time()
    index = ToolIndex(tools)
    print(f"{len(tools):,} tools: index made in {(time.process_time() - began) * 1000:.0f} ms, once")
    queries(index, floor_of(tools), options.rounds)
    asyncio.run(calls(tools, options.rounds))
    shares()


def made(number: int) -> Tool:
    chance = random.Random(number)
    noun, other, verb = chance.choice(NOUNS), chance.choice(NOUNS), chance.choice(VERBS)
    words = f"{verb.capitalize()} a {noun} by its {other}, as service {chance.randrange(SERVICES)} keeps it."
    properties = {name: {"type": "string", "description": f"The {name}."} for name in (noun, other)}
    return Tool(
        f"{verb}_{noun}_{number}",
        f"{words} {CHINESE.get(noun, '')}".strip(),
        {"type": "object", "properties": properties},
        lambda arguments, context: arguments,
        effects=Effects(read_only=True),
    )


def floor_of(tools: Iterable[Tool]) -> Callable[[str], list[int]]:
    known: dict[str, list[int]] = {}
    for number, tool in enumerate(tools):
        for word in cut(f"{tool.name} {tool.description}"):
            known.setdefault(word, []).append(number)
    return lambda query: [number for word in cut(query) for number in known.get(word, ())]


def cut(text: str) -> list[str]:
    return re.findall(r"[a-z]+|[一-鿿]", text.lower())


def queries(index: ToolIndex, floor: Callable[[str], list[int]], rounds: int) -> None:
    spent = [best(partial(index.find, query), rounds) for query in QUERIES]
    least = [best(partial(floor, query), rounds) for query in QUERIES]
    ratios = [one / other for one, other in zip(spent, least, strict=True)]
    middle, worst = statistics.median(spent), max(spent)
    print(f"a query: {middle:.0f} µs, at most {worst:.0f} µs (wanted: 400); {statistics.median(ratios):.1f} × floor")


async def calls(tools: Sequence[Tool], rounds: int) -> None:
    """Time the whole life of a call of ``tool_search``, and what definitions cost."""
    async with Ares(plugins=["tool-search", "wires"]) as ares:
        for tool in tools:
            ares.register(tool)
        await ares.call("tool_search", {"query": "weather"})
        spent = []
        for query in QUERIES * rounds:
            began = time.perf_counter()
            await ares.call("tool_search", {"query": query})
            spent.append((time.perf_counter() - began) * 1e6)
        print(f"a whole call of tool_search: {statistics.median(spent):.0f} µs")
        print(f"definitions: {best(ares.definitions, rounds) / 1000:.1f} ms, {len(ares.definitions())} tools shown")


def best(work: Callable[[], object], rounds: int) -> float:
    """Give the microseconds of the quickest of many runs."""
    figures = []
    for _ in range(rounds * 10):
        began = time.perf_counter()
        work()
        figures.append((time.perf_counter() - began) * 1e6)
    return min(figures)


def shares() -> None:
    """Find the function of each question of a suite among those of all its python sets."""
    if find_spec("bfcl_eval") is None:
        print("the share that is found is left out: bfcl-eval is not installed")
        return
    import bfcl

    sets = {name: bfcl.load(name) for name in (*bfcl.TUNED, *bfcl.CHECKED)}
    functions = {one["name"]: one for cases in sets.values() for case in cases for one in case.functions}
    index = ToolIndex(map(bfcl.tool, functions.values()))
    for name, cases in sets.items():
        hits = sum(case.function in [tool.name for tool in index.find(case.question)] for case in cases)
        print(f"among the first 5 of {len(functions):,}, {name}: {100 * hits / len(cases):.1f} %")


if __name__ == "__main__":
    main()
