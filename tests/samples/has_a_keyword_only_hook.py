"""Its hook takes its argument by keyword only."""

from __future__ import annotations

from ares_core import ToolCall, hookimpl


@hookimpl
def pre_tool_call(*, call: ToolCall) -> None:
    """Would be called without its argument."""
