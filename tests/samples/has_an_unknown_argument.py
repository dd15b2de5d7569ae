"""Its hook asks for something that the hook does not have."""

from __future__ import annotations

from ares_core import ToolCall, hookimpl


@hookimpl
def pre_tool_call(call: ToolCall, extra: str) -> None:
    """There is no extra."""
