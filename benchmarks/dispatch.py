"""One call, a call in a turn of 50, many waiting calls, blocking calls, more plugins, a refusal: ratios to the floor.

Run: python benchmarks/dispatch.py [--rounds 15] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import statistics
import time
import types
from collections.abc import Awaitable, Callable
from typing import Any

import work

from ares_core import Ares, Effects, Result, ToolCall, ToolFunc, hookimpl

Measured = Callable[[], Awaitable[float]]


def make(plugins: list[Any] | None = None, *, listen: bool = False, most: int = 8) -> Ares:
    """Make an Ares with the three tools."""
    ares = Ares(plugins=plugins, config={"limits": {"max_parallel": most}})
    for name, function in work.FUNCTIONS.items():
        ares.register(
            ToolFunc(
                name=name, description=function.__doc__ or "", parameters=work.SCHEMA, fn=function,
                effects=Effects(read_only=True),
            )
        )  # fmt: skip
    if listen:
        ares.on_event(lambda event: None)
    return ares


def limited(number: int) -> types.ModuleType:
    """Make a plugin with a tool and hooks limited to it."""
    plugin = types.ModuleType(f"limited_{number}")
    name = f"tool_{number}"

    @hookimpl
    def register_tools() -> list[Any]:
        return [ToolFunc(name=name, description="Nothing.", parameters={}, fn=lambda: None)]

    @hookimpl(tools=(name,))
    def pre_tool_call(call: ToolCall) -> None:
        return None

    @hookimpl(tools=(name,))
    def post_tool_call(result: Result) -> None:
        return None

    @hookimpl(tools=(name,))
    def format_result(result: Result) -> None:
        return None

    for hook in (register_tools, pre_tool_call, post_tool_call, format_result):
        setattr(plugin, hook.__name__, hook)
    return plugin


def unlimited(number: int) -> types.ModuleType:
    """Make a plugin that is asked about every call."""
    plugin = types.ModuleType(f"unlimited_{number}")

    @hookimpl
    def pre_tool_call(call: ToolCall) -> None:
        return None

    vars(plugin)[pre_tool_call.__name__] = pre_tool_call
    return plugin


def call_of(call: dict[str, Any]) -> ToolCall:
    return ToolCall(call["function"]["name"], call["function"]["arguments"], call["id"])


def message(result: Result) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": result.call.id if result.call else None, "content": result.text}


def single(ares: Ares, *, session: bool = False, arguments: str = work.GOOD, count: int = 1000) -> Measured:
    """Measure one call after another, in microseconds of CPU each."""

    async def measure() -> float:
        call = work.wire_call("trivial", arguments)
        if session:
            calls = [work.wire_call("trivial", work.GOOD.replace("1, 2", f"{n}, 2")) for n in range(100)]
        started = time.process_time()
        for number in range(count):
            if session:
                message(await ares.call(call_of(calls[number % 100]), session="s"))
            else:
                message(await ares.call(call_of(call)))
        return (time.process_time() - started) / count * 1e6

    return measure


def refused_anew(ares: Ares, count: int = 500) -> Measured:
    """Measure refusals of arguments that are wrong in another way each time."""

    async def measure() -> float:
        texts = [work.BAD.replace("1, 2", f"{n}, 2").replace("quick", f"quick{n}") for n in range(count)]
        calls = [work.wire_call("trivial", text) for text in texts]
        started = time.process_time()
        for call in calls:
            message(await ares.call(call_of(call)))
        return (time.process_time() - started) / count * 1e6

    return measure


def single_floor(count: int = 1000) -> Measured:
    one, _ = work.floor()

    async def measure() -> float:
        call = work.wire_call("trivial")
        started = time.process_time()
        for _ in range(count):
            await one(call)
        return (time.process_time() - started) / count * 1e6

    return measure


def turn(run: Callable[[list[Any]], Awaitable[Any]], tool: str, size: int, *, wall: bool, times: int = 1) -> Measured:
    """Measure a turn, in microseconds each call (CPU) or milliseconds in all (wall)."""

    async def measure() -> float:
        calls = [work.wire_call(tool, number=number) for number in range(size)]
        clock = time.perf_counter if wall else time.process_time
        started = clock()
        for _ in range(times):
            await run(calls)
        spent = (clock() - started) / times
        return spent * 1e3 if wall else spent / size * 1e6

    return measure


def many(ares: Ares, session: str | None = None) -> Callable[[list[Any]], Awaitable[Any]]:
    async def run(calls: list[Any]) -> list[Any]:
        return [message(r) for r in await ares.call_many([call_of(call) for call in calls], session=session)]

    return run


def measures() -> dict[str, dict[str, Measured]]:
    """Give what is compared with what; the first of each group is what the ratios refer to."""
    bare, every = make([]), make(None)
    wide, wide64 = make(None, most=1000), make(None, most=64)
    _, floor_turn = work.floor()
    return {
        "one call, µs": {
            "floor": single_floor(),
            "no plugin": single(bare),
            "every plugin": single(every),
            "every plugin, named session": single(every, session=True),
            "every plugin, one listener": single(make(None, listen=True)),
            "50 plugins with limited hooks more": single(make([limited(n) for n in range(50)])),
            "50 plugins with unlimited hooks more": single(make([unlimited(n) for n in range(50)])),
            "refused, message included": single(every, arguments=work.BAD),
            "refused, another text each time": refused_anew(every),
        },
        "one call in a turn of 50, µs": {
            "floor": turn(floor_turn, "trivial", 50, wall=False, times=20),
            "every plugin": turn(many(wide), "trivial", 50, wall=False, times=20),
        },
        "1,000 calls of 1 ms, ms": {
            "floor": turn(floor_turn, "sleeper", 1000, wall=True),
            "every plugin": turn(many(wide), "sleeper", 1000, wall=True),
        },
        "64 blocking calls of 10 ms, ms": {
            "floor": turn(floor_turn, "blocker", 64, wall=True),
            "every plugin": turn(many(wide64), "blocker", 64, wall=True),
        },
    }


async def compare(rounds: int) -> dict[str, dict[str, tuple[float, float]]]:
    """Measure everything in turn, round by round; gives medians of figure and of ratio within the round."""
    groups = measures()
    figures: dict[str, dict[str, list[float]]] = {g: {name: [] for name in rows} for g, rows in groups.items()}
    for number in range(rounds + 1):
        for group, rows in groups.items():
            gc.collect()
            for name, measure in rows.items():
                value = await measure()
                if number:
                    figures[group][name].append(value)
    return {group: _ratios(rows) for group, rows in figures.items()}


def _ratios(rows: dict[str, list[float]]) -> dict[str, tuple[float, float]]:
    first = next(iter(rows.values()))
    return {
        name: (statistics.median(values), statistics.median(v / f for v, f in zip(values, first, strict=True)))
        for name, values in rows.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    table = asyncio.run(compare(options.rounds))
    if options.json:
        print(json.dumps(table, indent=1))
        return
    for group, rows in table.items():
        print(f"\n{group}")
        for name, (value, ratio) in rows.items():
            print(f"  {name:40} {value:8.2f}   {ratio:5.2f} ×")


if __name__ == "__main__":
    main()
