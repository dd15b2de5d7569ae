"""A process that is killed in the middle of calls that change something, again and again: what took effect, how often.

Each round starts a process that makes calls, each under its own key, and kills it at a random moment. The next one
makes the last of these calls again, and some more. At the end all calls are made once more, without a kill.

Run: python benchmarks/kill.py [--kills 200] [--seed N] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

CALLS_PER_KILL = 4
AGAIN = 8
LONGEST = 0.02
"""Seconds between the answer to a call and the end of the process."""


def work(folder: Path, first: int, most: int) -> None:
    """Make the calls in order; say when the first begins, and what became of each."""
    from ares_core import Ares, ToolCall

    effects = folder / "effects"

    def change(number: int) -> int:
        """Take effect: one line in a file, somewhere in the middle of the call."""
        time.sleep(0.002)
        with effects.open("a", encoding="utf-8") as file:
            file.write(f"{number}\n")
        time.sleep(0.002)
        return number

    config = {"stores": {"ledger": "store-sqlite"}, "store_sqlite": {"path": str(folder / "ares.db")}}
    with Ares(plugins=["store-sqlite"], config=config) as ares:
        ares.register(change)
        print("ready", flush=True)
        for number in range(first, most):
            result = ares.call_sync(ToolCall("change", {"number": number}, key=f"key {number}"))
            known = "replayed" if "replayed" in result.metadata else "done"
            print(number, result.error.code if result.error else known, flush=True)


def start(folder: Path, first: int, most: int) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, "--work", str(folder), "--first", str(first), "--most", str(most)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def kill_once(folder: Path, most: int, answers: int, after: float) -> None:
    """Start the work and kill it so many seconds after so many answers."""
    with start(folder, max(most - CALLS_PER_KILL - AGAIN, 0), most) as process:
        assert process.stdout is not None
        for _ in range(1 + answers):
            process.stdout.readline()
        time.sleep(after)
        os.kill(process.pid, signal.SIGKILL)


def last_words(folder: Path, most: int) -> dict[int, str]:
    """Make all calls once more, and give what became of each."""
    with start(folder, 0, most) as process:
        assert process.stdout is not None
        lines = process.stdout.read().splitlines()[1:]
    return {int(line.split()[0]): line.split()[1] for line in lines}


def effects(folder: Path) -> Counter[int]:
    """Count how often each call took effect."""
    file = folder / "effects"
    return Counter(int(line) for line in file.read_text("utf-8").split()) if file.exists() else Counter()


def run(folder: Path, kills: int, seed: int) -> dict[str, int]:
    """Kill so many times, and count what is to be counted."""
    chance = random.Random(seed)
    most = kills * CALLS_PER_KILL
    for number in range(kills):
        answers = chance.randrange(CALLS_PER_KILL + AGAIN)
        kill_once(folder, (number + 1) * CALLS_PER_KILL, answers, chance.uniform(0, LONGEST))
    before = effects(folder)
    words = last_words(folder, most)
    after = effects(folder)
    broken_off = [number for number, word in words.items() if word == "outcome_unknown"]
    return {
        "kills": kills,
        "calls": most,
        "killed in the middle of a call": len(broken_off),
        "of these took effect": sum(after[number] == 1 for number in broken_off),
        "effects twice": sum(count > 1 for count in after.values()),
        "effects that the ledger lost": sum(words.get(number, "done") == "done" for number in before),
        "known as done without an effect": sum(word == "replayed" and not after[n] for n, word in words.items()),
        "calls without an answer": most - len(words),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--most", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.work, options.first, options.most)
        return
    with tempfile.TemporaryDirectory() as folder:
        figures = run(Path(folder), options.kills, options.seed)
    if options.json:
        print(json.dumps(figures))
    else:
        for name, figure in figures.items():
            print(f"{name:32} {figure}")


if __name__ == "__main__":
    main()
