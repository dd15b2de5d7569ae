"""Kill a run of a graph at random moments, resume it, and count what was done twice, lost, or left unknown.

Run: python benchmarks/kill_graph.py [--durable] [--times N] [--seed N] [--at-once N]. The run has six nodes, two of
which change something; with --durable it is a job of the plugin durable, which takes itself up again. Moments are drawn
over the time that an undisturbed run takes. Each run and each resume is a process of its own, forked from one that has
imported everything. Ctrl-C ends it with the tally so far.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import importlib
import multiprocessing
import os
import pkgutil
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

PROGRAM = Path(__file__).parents[1] / "plugins" / "graph" / "tests" / "killed.py"
MEASURED = 3
MOST_SECONDS = 120
LINE_EVERY = 20
CONTEXT = multiprocessing.get_context("forkserver")


class Child:
    """A process that runs the graph, or goes on with it, and what it says."""

    starting = threading.Lock()

    def __init__(self, folder: Path, what: str, durable: bool) -> None:
        with self.starting:  # so that no other child inherits the end of the pipe that it writes to
            reader, writer = CONTEXT.Pipe(duplex=False)
            self.process = CONTEXT.Process(target=child, args=(folder, what, durable, writer), daemon=True)
            self.process.start()
            writer.close()
        self.said = os.fdopen(os.dup(reader.fileno()), encoding="utf-8")
        reader.close()

    def kill(self, after: float) -> None:
        """Kill the process some time after the run has begun."""
        self.said.readline()
        time.sleep(after)
        self.process.kill()
        self.process.join()
        self.said.close()

    def last_line(self) -> str:
        """Wait for the end of the process and give the last that it said; raises ``RuntimeError`` for a bad end."""
        self.process.join(MOST_SECONDS)
        if self.process.exitcode is None:
            self.process.kill()
            raise RuntimeError(f"no end after {MOST_SECONDS} s")
        with self.said as said:
            lines = said.read().splitlines()
        if self.process.exitcode:
            raise RuntimeError(lines[-1] if lines else f"exit code {self.process.exitcode}")
        return lines[-1] if lines else ""


def child(folder: Path, what: str, durable: bool, writer: Any) -> None:
    """Be the process that runs the graph; Ctrl-C is for the one that started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = os.fdopen(os.dup(writer.fileno()), "w", encoding="utf-8")
    sys.argv = [str(PROGRAM), str(folder), what]
    sys.path.insert(0, str(PROGRAM.parent))
    import killed

    try:
        (run_durably if durable else killed.main)()
    except BaseException as error:
        sys.stdout.write(f"{error!r}\n")
        sys.exit(1)
    finally:
        sys.stdout.flush()


def run_durably() -> None:
    """Run the graph as a durable job, or let the one that was cut off go on."""
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


def killed_once(after: float, durable: bool) -> str:
    """Kill a run, resume it, and say how it ended."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        Child(folder, "run", durable).kill(after)
        try:
            status, *unknown = Child(folder, "resume", durable).last_line().split()
        except RuntimeError as error:
            return f"WRONG: {error}"
        written = folder / "effects"
        return judged(status, unknown, written.read_text().splitlines() if written.exists() else [])


def length(durable: bool) -> float:
    """Measure how long a run takes when nobody kills it."""
    with tempfile.TemporaryDirectory() as name:
        undisturbed = Child(Path(name), "run", durable)
        undisturbed.said.readline()
        begun = time.perf_counter()
        undisturbed.said.readline()
        ended = time.perf_counter()
        undisturbed.last_line()
        return ended - begun


def judged(status: str, unknown: Sequence[str], effects: Sequence[str]) -> str:
    """Say whether a resumed run ended right."""
    if len(effects) != len(set(effects)):
        return "WRONG: an effect twice"
    if status == "done":
        return "done, both effects once" if set(effects) == {"one", "two"} else "WRONG: an effect lost"
    return "unknown, and it asks" if status == "waiting" and unknown else f"WRONG: {status}"


def imports(packages: Sequence[str]) -> list[str]:
    """Name all modules of packages, so that children import nothing: all are of one state of the tree."""
    places = [(name, importlib.import_module(name).__path__) for name in packages]
    found = [one.name for name, place in places for one in pkgutil.walk_packages(place, f"{name}.")]
    return ["pydantic", *(name for name in found if not name.endswith("__main__"))]


def tell(found: collections.Counter[str], times: int) -> None:
    """Say on stderr how far it is: a line that is written over, or one now and then where lines stay."""
    line = f"{found.total()} of {times}: " + ", ".join(f"{count} {what}" for what, count in found.most_common())
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{line}" + "\n" * (found.total() == times))
    elif not found.total() % LINE_EVERY or found.total() == times:
        sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--durable", action="store_true")
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=1)
    options = parser.parse_args()
    chance, found = random.Random(options.seed), collections.Counter[str]()
    CONTEXT.set_forkserver_preload(
        imports(["ares_core", "ares_plugin_graph", *["ares_plugin_durable"] * options.durable])
    )
    pool, stopped = ThreadPoolExecutor(options.at_once), False
    longest = sorted(length(options.durable) for _ in range(MEASURED))[MEASURED // 2]
    moments = [chance.uniform(0, longest) for _ in range(options.times)]
    running: list[Future[str]] = [pool.submit(killed_once, moment, options.durable) for moment in moments]
    try:
        for one in as_completed(running):
            found[one.result()] += 1
            tell(found, options.times)
    except KeyboardInterrupt:
        stopped = True
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    print(f"{found.total()} kills within {longest:.2f} s{', then stopped' if stopped else ''}")
    for what, count in found.most_common():
        print(f"{count:5}  {what}")
    return 130 if stopped else 1 if any(what.startswith("WRONG") for what in found) else 0


if __name__ == "__main__":
    sys.exit(main())
