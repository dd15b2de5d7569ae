"""Taking back what calls changed, with the ``undo`` of their tools."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from contextvars import copy_context
from typing import Any

from ares_core.call import Threads
from ares_core.calls import Result
from ares_core.tools import Tool

SECONDS = 30.0
"""What an undo may take, if its tool has no timeout of its own."""


async def take_back(tool: Tool | None, result: Result) -> str | None:
    """Undo a call; gives ``None``, or a sentence's end that says why it could not be undone."""
    if tool is None or (undo := tool.undo) is None:
        return "its tool has no undo"
    seconds = tool.timeout or SECONDS
    try:
        async with asyncio.timeout(seconds):
            await _undo(undo, result)
    except TimeoutError:
        return f"its undo gave no answer within {seconds:g} s"
    except Exception as error:
        return f"{type(error).__name__}: {error!s:.200}"
    return None


async def _undo(undo: Callable[..., Any], result: Result) -> None:
    arguments = result.call.arguments if result.call else {}
    if inspect.iscoroutinefunction(undo):
        await undo(arguments, result.data)
        return
    threads = Threads()
    try:
        value = await threads.run(copy_context(), lambda: undo(arguments, result.data))
    finally:
        threads.close()
    if inspect.isawaitable(value):
        await value
