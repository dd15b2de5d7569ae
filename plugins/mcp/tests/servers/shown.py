"""An Ares with a few tools that is shown over stdio, or over HTTP if a port and a token are given after the diary."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import Any

from ares_plugin_mcp.server import client_approver, make_server
from opentelemetry import trace

from ares_core import Ares, Effects, ToolContext, tool

READS = Effects(read_only=True, destructive=False, open_world=False)
DIARY = Path(sys.argv[1])


def note(line: str) -> None:
    with DIARY.open("a") as file:
        file.write(f"{line}\n")


@tool(effects=READS)
def add(a: int, b: int = 1) -> int:
    """Add two whole numbers."""
    return a + b


@tool(effects=READS)
def shout(text: str) -> str:
    """Print, in every way there is, and start a program that prints."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
    os.write(1, b"raw\n")
    os.system("echo from a program")
    return text


@tool(effects=READS)
async def wait(seconds: float, name: str) -> str:
    """Wait, and note how that ends."""
    note(f"begun {name}")
    try:
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        note(f"cancelled {name}")
        raise
    return name


@tool(effects=READS)
def block(name: str, context: ToolContext) -> str:
    """Work in a thread until nobody waits for it."""
    note(f"begun {name}")
    while not context.cancelled:
        time.sleep(0.01)
    note(f"cancelled {name}")
    return name


@tool(effects=READS)
async def steps(context: ToolContext) -> str:
    """Tell how far it has come."""
    for step in (1, 2, 3):
        context.emit(f"step {step}", progress=step, total=3)
    return "done"


@tool(effects=READS)
def odd_text() -> dict[str, Any]:
    """Give text that has no place in UTF-8."""
    return {"text": "a\ud800b"}


@tool(effects=READS)
def trace_id() -> str:
    """Give the trace that the call belongs to."""
    return f"{trace.get_current_span().get_span_context().trace_id:032x}"


@tool(requires_approval=True)
def remove(name: str) -> str:
    """Remove something."""
    note(f"removed {name}")
    return name


def main() -> None:
    with Ares(plugins=[], approver=client_approver()) as ares:
        for value in (add, shout, wait, block, steps, odd_text, trace_id, remove):
            ares.register(value)
        server = make_server(ares)
        if len(sys.argv) > 2:
            from ares_plugin_mcp.server import http

            with http.listen("127.0.0.1", int(sys.argv[2])) as opened:
                note(f"address {http.address('127.0.0.1', opened)}")
                asyncio.run(http.serve_http(http.app(server, "127.0.0.1", sys.argv[3]), opened))
        else:
            from ares_plugin_mcp.server import stdio

            stdio.LAST_ANSWERS = 60  # on a slow machine they take longer
            with stdio.claimed() as (source, sink):
                asyncio.run(stdio.serve_stdio(server, source, sink))


if __name__ == "__main__":
    main()
