"""A worker in a process of its own, whose tools write down what they did, take their time, or end the process.

Run: python served.py URL NAME FOLDER [PLUGIN...]. It says "ready" when it takes calls.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from ares_plugin_workers import Worker

from ares_core import Ares, Effects, Network, Purpose, ToolContext, hookimpl, tool

READS = Effects(read_only=True, open_world=False)
FOLDER = Path(".")


class Stream:
    """A plain connection, as a network provider gives it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def read(self, most: int, timeout: float | None = None) -> bytes:
        return await self._reader.read(most)

    async def write(self, data: bytes, timeout: float | None = None) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def start_tls(self, context: Any, name: str | None = None, timeout: float | None = None) -> Stream:
        await self._writer.start_tls(context, server_hostname=name)
        return self

    async def aclose(self) -> None:
        self._writer.transport.abort()
        for _ in range(3):  # the loop closes the socket in one of its next turns, and may end after this one
            await asyncio.sleep(0)


class Connections:
    """A network provider that opens what it is asked for, and remembers it."""

    def __init__(self) -> None:
        self.opened: list[tuple[str, str, int]] = []

    def client(self, purpose: Purpose, base_url: str | None = None) -> Any:
        raise NotImplementedError

    async def connect(self, purpose: Purpose, host: str, port: int) -> Stream:
        self.opened.append((purpose, host, port))
        return Stream(*await asyncio.open_connection(host, port))


class Plain:
    """The plugin that brings it."""

    def __init__(self) -> None:
        self.network = Connections()

    @hookimpl
    def open_network(self) -> Network:
        return self.network


def note(what: str) -> None:
    """Write down that something happened, in a way that outlives the process."""
    with open(
        os.open(FOLDER / "effects", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a", encoding="utf-8"
    ) as file:
        file.write(f"{what}\n")


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@tool(effects=READS)
async def add(a: int, b: int = 1) -> dict[str, int]:
    """Add two whole numbers."""
    return {"sum": a + b}


@tool
async def write(what: str) -> str:
    """Write something down."""
    note(what)
    return what


@tool
def write_and_die(what: str) -> str:
    """Write something down, and go before saying so."""
    note(what)
    die()
    return what


@tool(effects=READS)
def read_and_die(what: str) -> str:
    """Go in the middle of reading, the first time."""
    note(what)
    if (FOLDER / "effects").read_text("utf-8").splitlines().count(what) == 1:
        time.sleep(1.5)  # long enough to have said that it began
        die()
    return what


@tool
def take_long(seconds: float, context: ToolContext) -> str:
    """Take long, and look whether anybody still waits."""
    note("begun")
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if context.cancelled:
            note("stopped")
            return "stopped"
        time.sleep(0.01)
    note("over")
    return "over"


TOOLS = (add, write, write_and_die, read_and_die, take_long)


async def main(url: str, name: str, plugins: list[str]) -> None:
    providers: list[Any] = [*plugins] or [Plain()]
    with Ares(plugins=[*providers, "workers"]) as ares:
        for each in TOOLS:
            ares.register(each)
        async with Worker(ares, ["*"], url=url, name=name) as worker:
            sys.stdout.write("ready\n")
            sys.stdout.flush()
            await worker.stopped()


if __name__ == "__main__":
    FOLDER = Path(sys.argv[3])
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[4:]))
