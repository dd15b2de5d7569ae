"""Has a hook that does not exist."""

from __future__ import annotations

from ares_core import Result, ToolCall, hookimpl, replace


@hookimpl
def pre_tool_cal(call: ToolCall) -> None:
    """Never asked."""


@hookimpl
def post_tool_call(result: Result) -> Result:
    return replace(result, data="changed by half a plugin")
