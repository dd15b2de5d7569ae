"""What a workflow graph costs beside the calls in it: a chain, and many nodes at once.

Run: python benchmarks/graph.py [--rounds N]; with langgraph installed the same chain runs there too.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable
from typing import Any

from ares_plugin_graph import Graph, MemoryCheckpoints, ToolNode

from ares_core import Ares, Effects, tool

LENGTH, WIDE, LIMIT, NAP = 50, 1000, 64, 0.001


@tool(effects=Effects(read_only=True))
async def inc(n: int) -> int:
    """Give the next number."""
    return n + 1


@tool(effects=Effects(read_only=True))
async def nap(n: int) -> int:
    """Wait a millisecond."""
    await asyncio.sleep(NAP)
    return n


CHAIN = Graph([
    ToolNode("n0", "inc", {"n": 0}), *(ToolNode(f"n{i}", "inc", {"n": f"${{n{i - 1}}}"}) for i in range(1, LENGTH))
])  # fmt: skip
MANY = Graph([ToolNode(f"n{i}", "nap", {"n": i}) for i in range(WIDE)], limit=LIMIT)


def langgraph_chain() -> Any:
    """Build the same chain for LangGraph, or give nothing where it is not installed."""
    try:
        from langgraph.checkpoint.memory import InMemorySaver
        from langgraph.graph import END, START, StateGraph
    except ImportError:
        return None
    from typing import TypedDict

    class State(TypedDict):
        n: int

    async def step(state: State) -> State:
        return {"n": state["n"] + 1}

    graph = StateGraph(State)
    names = [f"n{i}" for i in range(LENGTH)]
    for name in names:
        graph.add_node(name, step)
    for one, other in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(one, other)
    return graph.compile(checkpointer=InMemorySaver())


async def took(work: Callable[[], Awaitable[Any]]) -> float:
    """Give the seconds that one run takes."""
    begun = time.perf_counter()
    await work()
    return time.perf_counter() - begun


async def ideal() -> None:
    """The same naps with nothing around them."""
    places = asyncio.Semaphore(LIMIT)

    async def one() -> None:
        async with places:
            await asyncio.sleep(NAP)

    await asyncio.gather(*(one() for _ in range(WIDE)))


async def measure(rounds: int) -> dict[str, list[float]]:
    """Run everything in turn, round by round."""
    found: dict[str, list[float]] = {"calls": [], "chain": [], "langgraph": [], "ideal": [], "many": []}
    other, threads = langgraph_chain(), iter(range(1_000_000))
    with Ares(plugins=[], config={"limits": {"max_parallel": LIMIT}}) as ares:
        ares.register(inc)
        ares.register(nap)

        async def calls() -> None:
            value = 0
            for _ in range(LENGTH):
                value = (await ares.call("inc", {"n": value})).data

        async def there() -> None:
            settings = {"configurable": {"thread_id": str(next(threads))}, "recursion_limit": LENGTH * 2}
            await other.ainvoke({"n": 0}, settings)

        kept = MemoryCheckpoints()
        for _ in range(rounds + 1):
            found["calls"].append(min([await took(calls) for _ in range(5)]))
            found["chain"].append(min([await took(lambda: CHAIN.run(ares, checkpoints=kept)) for _ in range(5)]))
            if other is not None:
                found["langgraph"].append(min([await took(there) for _ in range(3)]))
            found["ideal"].append(min([await took(ideal) for _ in range(3)]))
            found["many"].append(min([await took(lambda: MANY.run(ares)) for _ in range(3)]))
    return {name: values[1:] for name, values in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    found = asyncio.run(measure(parser.parse_args().rounds))

    def ratio(one: str, other: str) -> float:
        return statistics.median(a / b for a, b in zip(found[one], found[other], strict=True))

    micro = {name: statistics.median(values) * 1e6 for name, values in found.items() if values}
    each, node = micro["calls"] / LENGTH, micro["chain"] / LENGTH
    print(f"{LENGTH} calls of ares.call: {each:.1f} µs each")
    print(f"{LENGTH} nodes in a chain: {node:.1f} µs each, {ratio('chain', 'calls'):.2f} × (wanted: 3)")
    if found["langgraph"]:
        there, times = micro["langgraph"] / LENGTH, ratio("langgraph", "chain")
        print(f"the chain in LangGraph: {there:.0f} µs each, {times:.1f} × ours (wanted: 10)")
    else:
        print("LangGraph is not installed: pip install langgraph")
    took_ms, times = micro["many"] / 1e3, ratio("many", "ideal")
    print(f"{WIDE} nodes of 1 ms, {LIMIT} at once: {took_ms:.1f} ms, {times:.2f} × the naps alone (wanted: 1.5)")


if __name__ == "__main__":
    main()
