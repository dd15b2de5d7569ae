"""Kill a run of a graph at random moments, resume it, and count what was done twice, lost, or left unknown.

Run: python benchmarks/kill_graph.py [--times N] [--seed N]. The run has six nodes, two of which change something.
"""

from __future__ import annotations

import argparse
import collections
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = Path(__file__).parents[1] / "plugins" / "graph" / "tests" / "killed.py"
LONGEST = 0.3


def kill(folder: Path, after: float) -> None:
    """Start the run and kill its process some time after it has begun."""
    process = subprocess.Popen([sys.executable, PROGRAM, folder, "run"], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(after)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()


def outcome(folder: Path) -> str:
    """Resume the run, and say how it ended."""
    done = subprocess.run([sys.executable, PROGRAM, folder, "resume"], capture_output=True, text=True, check=True)
    status, *unknown = done.stdout.split()
    written = folder / "effects"
    lines = written.read_text().splitlines() if written.exists() else []
    if len(lines) != len(set(lines)):
        return "WRONG: an effect twice"
    if status == "done":
        return "done, both effects once" if set(lines) == {"one", "two"} else "WRONG: an effect lost"
    return "unknown, and it asks" if status == "waiting" and unknown else f"WRONG: {status}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance, found = random.Random(options.seed), collections.Counter[str]()
    for _ in range(options.times):
        with tempfile.TemporaryDirectory() as folder:
            kill(Path(folder), chance.uniform(0, LONGEST))
            found[outcome(Path(folder))] += 1
    for what, count in found.most_common():
        print(f"{count:5}  {what}")
    return 1 if any(what.startswith("WRONG") for what in found) else 0


if __name__ == "__main__":
    sys.exit(main())
