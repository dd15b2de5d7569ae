"""Tools for graphs: one that counts, one that fails, one that waits, one that changes something."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from ares_core import Ares, Effects, ToolError, tool

collect_ignore = ["killed.py"]
"""A program that the tests kill."""
READS = Effects(read_only=True)


@tool(effects=READS)
async def inc(n: int) -> int:
    """Give the next number."""
    return n + 1


@tool(effects=READS)
async def fail(why: str = "it broke") -> int:
    """Fail."""
    raise ToolError(why)


@tool(effects=READS)
async def wait(seconds: float = 60) -> str:
    """Wait."""
    await asyncio.sleep(seconds)
    return "waited"


@tool(effects=READS)
async def echo(text: str) -> str:
    """Give the text back."""
    return text


@tool(effects=READS)
async def facts() -> dict[str, Any]:
    """Give an object with odd values."""
    return {"zero": 0, "nothing": None, "empty": "", "list": [{"a b": 1}], "braces": "${x} {y}", "text": "hi"}


@tool(requires_approval=True, effects=READS)
async def careful(text: str) -> str:
    """Do what needs a person's yes."""
    return f"did {text}"


@pytest.fixture
def until() -> Callable[[Callable[[], Any]], Awaitable[None]]:
    """Waits for something, however slow the machine is."""

    async def until(holds: Callable[[], Any]) -> None:
        for _ in range(60_000):
            if holds():
                return
            await asyncio.sleep(0.001)
        raise TimeoutError

    return until


@pytest.fixture
def written() -> list[str]:
    """What ``change`` wrote, and what was taken back."""
    return []


@pytest.fixture
def change(written: list[str]) -> Callable[..., Any]:
    """A tool that changes something, and can take it back."""

    @tool(undo=lambda arguments, data: written.append(f"undo {data}"))
    async def change(name: str, seconds: float = 0) -> str:
        """Change the world."""
        written.append(name)
        await asyncio.sleep(seconds)
        return name

    return change


@pytest.fixture
def door(change: Callable[..., Any]) -> Iterator[Ares]:
    """An Ares with the tools of this folder."""
    with Ares(plugins=[]) as ares:
        for one in (inc, fail, wait, echo, facts, careful, change):
            ares.register(one)
        yield ares
