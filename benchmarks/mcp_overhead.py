"""What Ares adds to a call of an MCP tool: ``call`` against the SDK client's own ``call_tool``, over stdio.

    python benchmarks/mcp_overhead.py [CALLS]

Both talk to a server of their own with the tool ``echo``, in turns within one process; the best of many rounds counts.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

ROUNDS = 20
SERVER = '''
from mcp.server.mcpserver import MCPServer

server = MCPServer("echo")

@server.tool()
def echo(text: str) -> str:
    """Say it again."""
    return text

server.run("stdio")
'''
Call = Callable[[], Awaitable[Any]]


async def best(calls: dict[str, Call], count: int) -> dict[str, float]:
    """Give the best mean time of each in microseconds, measured in turns."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            started = time.perf_counter()
            for _ in range(count):
                await call()
            times[name].append((time.perf_counter() - started) / count * 1e6)
    for name, found in times.items():
        print(f"{name:8} best {min(found):7.0f} us  median {statistics.median(found):7.0f} us")
    return {name: min(found) for name, found in times.items()}


async def measure(script: Path, count: int) -> float:
    """Run both sides; gives the ratio."""
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters

    from ares_core import Ares

    command: dict[str, Any] = {"command": sys.executable, "args": [str(script)]}
    async with (
        Ares(plugins=["mcp"], config={"mcp": {"servers": {"bench": command}}}) as ares,
        Client(StdioServerParameters(**command)) as client,
    ):
        arguments = {"text": "hello"}
        answer = await ares.call("mcp.bench.echo", arguments)
        assert answer.success, answer.text
        assert (await client.call_tool("echo", arguments)).content
        times = await best(
            {
                "sdk": lambda: client.call_tool("echo", arguments),
                "ares": lambda: ares.call("mcp.bench.echo", arguments),
            },
            count,
        )
    return times["ares"] / times["sdk"]


def main() -> None:
    """Print both times and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("calls", nargs="?", type=int, default=100, metavar="CALLS")
    count = parser.parse_args().calls
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "echo.py")
        script.write_text(SERVER, "utf-8")
        print(f"ares / sdk: {asyncio.run(measure(script, count)):.2f}")


if __name__ == "__main__":
    main()
