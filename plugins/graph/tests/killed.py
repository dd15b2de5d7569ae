"""A run of six nodes, two of which change something, that is killed and resumed by the tests."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import Any

from ares_plugin_graph import Graph, SqliteCheckpoints, ToolNode

from ares_core import Ares, Effects, tool

FOLDER = Path(sys.argv[-2])
WHAT = sys.argv[-1]


@tool(effects=Effects(read_only=True))
def look(n: int) -> int:
    """Look."""
    time.sleep(0.02)
    return n + 1


@tool
def change(name: str, n: int) -> int:
    """Change the world: one line, written at once."""
    time.sleep(0.01)
    with open(FOLDER / "effects", "a", encoding="utf-8") as file:
        file.write(f"{name}\n")
        file.flush()
        os.fsync(file.fileno())
    time.sleep(0.01)
    return n + 1


GRAPH = Graph([
    ToolNode("a", "look", {"n": 0}),
    ToolNode("one", "change", {"name": "one", "n": "${a}"}),
    ToolNode("b", "look", {"n": "${one}"}),
    ToolNode("c", "look", {"n": "${one}"}),
    ToolNode("two", "change", {"name": "two", "n": "${b}"}),
    ToolNode("d", "look", {"n": "${two}"}, after=["c"]),
])  # fmt: skip


def main() -> None:
    """Run or resume, and print the status and the nodes whose outcome is unknown."""
    kept = SqliteCheckpoints(FOLDER / "runs.db")
    with Ares(plugins=[]) as ares:
        ares.register(look)
        ares.register(change)
        result: Any = asyncio.run(_work(ares, kept))
    unknown = [name for name, one in result.nodes.items() if one.status == "unknown"]
    sys.stdout.write(" ".join([result.status, *unknown]) + "\n")


async def _work(ares: Ares, kept: SqliteCheckpoints) -> Any:
    if WHAT == "resume" and kept.load("r") is not None:
        return await GRAPH.resume(ares, "r", kept)
    run = GRAPH.start(ares, run_id="r", checkpoints=kept)
    if WHAT == "run":
        sys.stdout.write("begun\n")
        sys.stdout.flush()
    return await run.wait()


if __name__ == "__main__":
    main()
