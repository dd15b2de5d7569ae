"""Reading a small file beside plain ``open().read()``; paging through and hashing 1 GB, and how memory grows.

Run: python benchmarks/files.py [--rounds 200] [--size-mb 1024] [--json]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable

from ares_core import Ares, Result, ToolCall

PAGE = 1_000_000
MEGABYTE = 1_048_576
TURN = 20
Work = Callable[[], Awaitable[object]]


def open_ares(folder: str) -> Ares:
    return Ares(plugins=["files", "file-sandbox", "hash"], config={"tools": {"file_sandbox_dir": folder}})


def make_file(folder: str, name: str, content: bytes, size: int = 0) -> str:
    """Make a file; what is missing from its size are zeros that take no room on the disk."""
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(content)
        file.truncate(max(size, len(content)))
    return path


async def spent(work: Work) -> float:
    """Measure a piece of work, in microseconds of wall time."""
    started = time.perf_counter()
    for _ in range(TURN):
        await work()
    return (time.perf_counter() - started) / TURN * 1e6


def read_plainly(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


async def compare(rounds: int) -> dict[str, float]:
    """Read a file of 4 KB in turn both ways; the least of many short turns is the one that nothing else disturbed."""
    with tempfile.TemporaryDirectory() as folder:
        path = make_file(folder, "small.txt", 64 * b"a line of sixty-four characters, with the one that ends it.....\n")
        async with open_ares(folder) as ares:
            call = ToolCall("file_tools", {"operation": "read", "path": "small.txt"})

            async def plain() -> str:
                return read_plainly(path)

            async def tool() -> Result:
                return await ares.call(call)

            assert (await tool()).text == await plain()
            turns = [(await spent(plain), await spent(tool)) for _ in range(rounds)]
    least = [min(figures) for figures in zip(*turns, strict=True)]
    return {"open().read(), µs": least[0], "file_tools read, µs": least[1], "added, µs": least[1] - least[0]}


def peak() -> int:
    """Give the most memory that this process has had, in bytes."""
    with open("/proc/self/status", encoding="ascii") as status:
        return int(next(line.split()[1] for line in status if line.startswith("VmHWM"))) * 1024


async def grow(job: str, size: int) -> dict[str, float]:
    """Work through a large sparse file, and tell how much the process grew."""
    with tempfile.TemporaryDirectory() as folder:
        make_file(folder, "small", b"", PAGE)
        make_file(folder, "large", b"", size)
        async with open_ares(folder) as ares:
            await JOBS[job](ares, "small")
            before, started = peak(), time.perf_counter()
            await JOBS[job](ares, "large")
            seconds, grown = time.perf_counter() - started, peak() - before
    return {"growth, MB": grown / MEGABYTE, "seconds": seconds, "MB/s": size / MEGABYTE / seconds}


async def page_through(ares: Ares, name: str) -> None:
    following: dict[str, object] | None = {"offset": 0, "unit": "bytes"}
    while following is not None:
        call = {"operation": "read", "path": name, "encoding": "latin-1", "limit": PAGE, **following}
        result = await ares.call("file_tools", call)
        assert result.success, result.text
        following = result.data.get("next")


async def hash_all(ares: Ares, name: str) -> None:
    assert (await ares.call("hash_tool", {"operation": "sha256", "path": name})).success


JOBS = {"read by pages": page_through, "hash_tool": hash_all}


def alone(job: str, size: int) -> dict[str, float]:
    """Run one job in a process of its own."""
    command = [sys.executable, __file__, "--job", job, "--size-mb", str(size // MEGABYTE)]
    figures: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--size-mb", type=int, default=1024)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--job", choices=JOBS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    size = options.size_mb * MEGABYTE
    if options.job:
        print(json.dumps(asyncio.run(grow(options.job, size))))
        return
    table = {"4 KB": asyncio.run(compare(options.rounds))}
    table |= {f"{options.size_mb} MB, {job}": alone(job, size) for job in JOBS}
    if options.json:
        print(json.dumps(table, indent=1))
        return
    for what, figures in table.items():
        print(what)
        for name, figure in figures.items():
            print(f"  {name:24} {figure:10.1f}")


if __name__ == "__main__":
    main()
