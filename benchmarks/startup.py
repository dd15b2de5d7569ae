"""Whole processes: importing, the first answered call, the commands; and 1,000 functions to definitions.

Run: python benchmarks/startup.py [--rounds 15] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
FLOOR = """
import sys; sys.path.insert(0, {here!r})
import asyncio, work
one, _ = work.floor()
asyncio.run(one(work.wire_call("trivial")))
"""
FIRST = """
import sys; sys.path.insert(0, {here!r})
import asyncio, work
from ares_core import Ares, Effects, ToolCall, ToolFunc
async def main():
    ares = Ares(plugins={plugins})
    ares.register(ToolFunc(name="trivial", description="Add.", parameters=work.SCHEMA, fn=work.trivial,
                           effects=Effects(read_only=True)))
    assert "10.5" in (await ares.call(ToolCall("trivial", work.GOOD))).text
asyncio.run(main())
"""
LISTING = """
import time
from ares_core import Ares, Tool
source = '''
def tool_{{n}}(query: str, limit: int = 10, tags: list[str] | None = None, exact: bool = False) -> dict[str, str]:
    "Search for something, number {{n}}."
    return {{}}
'''
space = {{}}
for n in range(1000):
    exec(source.replace("{{n}}", str(n)), space)
started = time.perf_counter()
tools = [Tool.from_function(space[f"tool_{{n}}"]) for n in range(1000)]
ares = Ares(plugins=["wires"])
for tool in tools:
    ares.register(tool)
assert len(ares.definitions(wire="openai-chat")) == 1000
print((time.perf_counter() - started) * 1000)
"""
MEMORY = """
import sys
{code}
print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))
"""


def commands() -> dict[str, list[str]]:
    """Give the processes that are timed."""
    python, here = sys.executable, str(HERE)
    ares = str(Path(sys.executable).with_name("ares"))
    return {
        "bare interpreter": [python, "-c", "pass"],
        "import ares_core": [python, "-c", "import ares_core"],
        "from ares_core import Ares": [python, "-c", "from ares_core import Ares"],
        "floor: first call": [python, "-c", FLOOR.format(here=here)],
        "first call, Ares(plugins=[])": [python, "-c", FIRST.format(here=here, plugins=[])],
        "first call, every plugin": [python, "-c", FIRST.format(here=here, plugins=None)],
        "ares --help": [ares, "--help"],
        "ares ask": [ares, "ask", "sum from 1 to 1,000,000"],
        "ares tools": [ares, "tools"],
    }


def plain_environment() -> dict[str, str]:
    """Give the environment without what changes how Python starts, such as a ban on writing bytecode."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def once(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=plain_environment())
    return (time.perf_counter() - started) * 1000


def output(code: str) -> float:
    return float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)


def measure(rounds: int) -> dict[str, tuple[float, float, float]]:
    """Give minimum and median of each process in milliseconds, and the median above the bare interpreter."""
    wanted = commands()
    times: dict[str, list[float]] = {name: [] for name in wanted}
    for number in range(rounds + 1):
        for name, command in wanted.items():
            spent = once(command)
            if number:
                times[name].append(spent)
    bare = times["bare interpreter"]
    return {
        name: (min(all_), statistics.median(all_), statistics.median(v - b for v, b in zip(all_, bare, strict=True)))
        for name, all_ in times.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    table = measure(options.rounds)
    listing = min(output(LISTING.format()) for _ in range(3))
    bare, loaded = output(MEMORY.format(code="pass")), output(MEMORY.format(code="import ares_core"))
    if options.json:
        print(json.dumps({"ms": table, "listing_us_each": listing, "import_mb": (loaded - bare) / 1024}, indent=1))
        return
    for name, (least, median, above) in table.items():
        print(f"{name:32} min {least:7.1f}   median {median:7.1f}   over bare {above:7.1f} ms")
    ratio = table["first call, Ares(plugins=[])"][0] / table["floor: first call"][0]
    print(f"first call without plugins: {ratio:.2f} × the floor (of the minima)")
    print(f"1,000 functions to definitions: {listing:.1f} µs each")
    print(f"memory of the import: {(loaded - bare) / 1024:.1f} MB over bare")


if __name__ == "__main__":
    main()
