"""Its guard asks the process to exit."""

from __future__ import annotations

from ares_core import ToolCall, hookimpl


@hookimpl
def pre_tool_call(call: ToolCall) -> None:
    raise SystemExit(3)
