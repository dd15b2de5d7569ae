"""Rewrites the arguments each time it is asked."""

from __future__ import annotations

from ares_core import ToolCall, hookimpl, replace


@hookimpl
def pre_tool_call(call: ToolCall) -> ToolCall:
    arguments = dict(call.arguments)
    return replace(call, arguments={**arguments, "a": arguments["a"] + 1})
