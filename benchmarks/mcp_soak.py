"""Ten thousand calls of three MCP servers, one of which is killed at every five hundredth.

    python benchmarks/mcp_soak.py [CALLS]

Exits with 1 if a call was lost or run twice, if a task, process or file descriptor was left over, or if memory grew.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import itertools
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from ares_core import Ares, Result

SERVERS, KILLED_EVERY, AT_ONCE = 3, 500, 6
GROWTH_MB = 10.0
SERVER = """
import json, os, sys

diary = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
os.write(diary, f"start {os.getpid()}\\n".encode())
schema = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
tools = [{"name": name, "inputSchema": schema, "annotations": {"readOnlyHint": name == "look"}}
         for name in ("work", "look")]
for line in sys.stdin:
    request = json.loads(line)
    method = request["method"]
    if method == "initialize":
        result = {"protocolVersion": request["params"]["protocolVersion"], "capabilities": {"tools": {}},
                  "serverInfo": {"name": "soak", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": tools}
    elif method == "tools/call":
        wanted = request["params"]
        os.write(diary, f"{wanted['name']} {wanted['arguments']['id']}\\n".encode())
        result = {"content": [{"type": "text", "text": wanted["arguments"]["id"]}]}
    elif "id" in request:
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "error": {"code": -32601, "message": "no"}}),
              flush=True)
        continue
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"""


class Soak:
    """The run: what was asked, what came of it, and what the servers wrote down."""

    def __init__(self, folder: Path, count: int) -> None:
        self.count = count
        self.diaries = [folder / f"diary{number}" for number in range(SERVERS)]
        self.outcomes: dict[str, tuple[str, str]] = {}
        self.memory: list[float] = []
        self._numbers = itertools.count(1)
        script = folder / "server.py"
        script.write_text(SERVER, "utf-8")
        servers = {
            f"s{number}": {"command": sys.executable, "args": [str(script), str(diary)], "trusted": True}
            for number, diary in enumerate(self.diaries)
        }
        self.ares = Ares(plugins=["mcp"], config={"mcp": {"servers": servers}})

    async def run(self) -> None:
        """Make the calls, some at once."""
        await asyncio.gather(*(self._work() for _ in range(AT_ONCE)))

    async def _work(self) -> None:
        for number in self._numbers:
            if number > self.count:
                return
            if number % KILLED_EVERY == 0:
                self._kill(number // KILLED_EVERY % SERVERS)
            if number % 1000 == 0:
                self._weigh(number)
            tool = "look" if number % 3 == 0 else "work"
            name = f"mcp.s{number % SERVERS}.{tool}"
            self.outcomes[str(number)] = (tool, outcome(await self.ares.call(name, {"id": str(number)})))

    def _kill(self, server: int) -> None:
        started = [line.split()[1] for line in self._lines(server) if line.startswith("start")]
        if started:
            os.kill(int(started[-1]), signal.SIGKILL)

    def _weigh(self, number: int) -> None:
        gc.collect()
        kib = int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024
        self.memory.append(kib / 1024)
        print(
            f"{number:6} calls  {self.memory[-1]:6.1f} MB  {len(os.listdir('/proc/self/fd'))} descriptors", flush=True
        )

    def _lines(self, server: int) -> list[str]:
        path = self.diaries[server]
        return path.read_text("ascii").splitlines() if path.exists() else []

    def troubles(self) -> list[str]:
        """Compare what was told with what was done."""
        done = Counter(line.split()[1] for server in range(SERVERS) for line in self._lines(server)
                       if not line.startswith("start"))  # fmt: skip
        found = [] if len(self.outcomes) == self.count else [f"{self.count - len(self.outcomes)} calls have no result"]
        for number, (tool, code) in self.outcomes.items():
            times = done[number]
            if tool == "work" and times > 1:
                found.append(f"call {number} was run {times} times")
            if code == "done" and times == 0:
                found.append(f"call {number} is told as done and was not run")
            if code not in ("done", "outcome_unknown") and times:
                found.append(f"call {number} is told as {code} and was run")
            if tool == "look" and code != "done":
                found.append(f"call {number} only reads and was lost: {code}")
        codes = Counter(code for _, code in self.outcomes.values())
        starts = sum(line.startswith("start") for server in range(SERVERS) for line in self._lines(server))
        print(f"outcomes: {dict(codes)}; servers started: {starts}")
        return found

    def growth(self) -> list[str]:
        """Say whether memory grew after the first fifth."""
        early, late = self.memory[len(self.memory) // 5], self.memory[-1]
        return [f"memory grew from {early:.1f} to {late:.1f} MB"] if late - early > GROWTH_MB else []


def outcome(result: Result) -> str:
    """Give what became of a call, in a word."""
    return result.error.code if result.error else "done"


def left_over(descriptors: int) -> list[str]:
    """Say what is still there after everything was closed."""
    time.sleep(0.5)
    children = subprocess.run(["ps", "--ppid", str(os.getpid()), "-o", "args="], capture_output=True, text=True,
                              check=False).stdout  # fmt: skip
    servers = [line for line in children.splitlines() if "server.py" in line]
    threads = [thread.name for thread in threading.enumerate() if thread is not threading.main_thread()]
    open_now = len(os.listdir("/proc/self/fd"))
    found = [f"left over: {line}" for line in [*servers, *threads]]
    return [*found, *([f"{open_now - descriptors} descriptors left over"] if open_now > descriptors else [])]


async def soak(run: Soak) -> list[str]:
    """Run all, close, and tell the troubles; the loop's own tasks are over at the end."""
    async with run.ares:
        await run.run()
    tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    return [*run.troubles(), *(f"task left over: {task}" for task in tasks)]


def main() -> int:
    """Run it and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("calls", nargs="?", type=int, default=10_000, metavar="CALLS")
    count = parser.parse_args().calls
    descriptors = len(os.listdir("/proc/self/fd"))
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        run = Soak(Path(folder), count)
        troubles = asyncio.run(soak(run))
    troubles += [*run.growth(), *left_over(descriptors)]
    print(f"{count} calls in {time.monotonic() - started:.0f} s")
    print("\n".join(troubles) or "nothing lost, nothing twice, nothing left over")
    return 1 if troubles else 0


if __name__ == "__main__":
    sys.exit(main())
