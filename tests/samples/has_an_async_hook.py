"""Its hook is a coroutine function."""

from __future__ import annotations

from ares_core import ToolCall, hookimpl


@hookimpl
async def pre_tool_call(call: ToolCall) -> None:
    """Would never be awaited."""
