"""Kill a run of a graph at random moments, resume it, and count what was done twice, lost, or left unknown.

Run: python benchmarks/kill_graph.py [--durable] [--times N] [--seed N]. The run has six nodes, two of which change
something; with --durable it is a job of the plugin durable, which takes itself up again.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

PROGRAM = Path(__file__).parents[1] / "plugins" / "graph" / "tests" / "killed.py"
LONGEST = 0.3
MOST_SECONDS = 120


def command(folder: Path, what: str, durable: bool) -> list[str]:
    """Give the command line of the process that runs the graph, or goes on with it."""
    if durable:
        return [sys.executable, __file__, "--child", str(folder), "durable"]
    return [sys.executable, str(PROGRAM), str(folder), what]


def kill(folder: Path, after: float, durable: bool) -> None:
    """Start the run and kill its process some time after it has begun."""
    process = subprocess.Popen(command(folder, "run", durable), stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(after)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()


def outcome(folder: Path, durable: bool) -> str:
    """Resume the run, and say how it ended."""
    done = subprocess.run(
        command(folder, "resume", durable), capture_output=True, text=True, check=False, timeout=MOST_SECONDS
    )
    if done.returncode:
        return f"WRONG: {done.stderr[-300:]}"
    status, *unknown = done.stdout.splitlines()[-1].split()
    written = folder / "effects"
    lines = written.read_text().splitlines() if written.exists() else []
    if len(lines) != len(set(lines)):
        return "WRONG: an effect twice"
    if status == "done":
        return "done, both effects once" if set(lines) == {"one", "two"} else "WRONG: an effect lost"
    return "unknown, and it asks" if status == "waiting" and unknown else f"WRONG: {status}"


def child() -> None:
    """Be the process that runs the graph as a durable job."""
    sys.argv = [sys.argv[0], *sys.argv[-2:]]
    sys.path.insert(0, str(PROGRAM.parent))
    import killed
    from ares_plugin_durable import Durable
    from ares_plugin_graph.written import written

    from ares_core import Ares

    async def work(ares: Ares) -> Any:
        payload = {"graph": written(killed.GRAPH), "input": {}, "path": str(killed.FOLDER / "runs.db")}
        async with Durable(ares, f"sqlite:///{killed.FOLDER}/durable.db") as durable:
            name = await durable.start("ares_plugin_graph.jobs:run", payload, id="r")
            sys.stdout.write("begun\n")
            sys.stdout.flush()
            return await durable.result(name)

    with Ares(plugins=["durable"]) as ares:
        ares.register(killed.look)
        ares.register(killed.change)
        result = asyncio.run(work(ares))
    unknown = [name for name, one in result["nodes"].items() if one["status"] == "unknown"]
    sys.stdout.write(" ".join([result["status"], *unknown]) + "\n")


def main() -> int:
    if "--child" in sys.argv:
        child()
        return 0
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--durable", action="store_true")
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance, found = random.Random(options.seed), collections.Counter[str]()
    for _ in range(options.times):
        with tempfile.TemporaryDirectory() as folder:
            kill(Path(folder), chance.uniform(0, LONGEST), options.durable)
            found[outcome(Path(folder), options.durable)] += 1
    for what, count in found.most_common():
        print(f"{count:5}  {what}")
    return 1 if any(what.startswith("WRONG") for what in found) else 0


if __name__ == "__main__":
    sys.exit(main())
