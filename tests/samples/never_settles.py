"""Rewrites the arguments each time it is asked."""

from __future__ import annotations

from collections.abc import Mapping

from ares_core import ToolCall, hookimpl, replace


@hookimpl
def pre_tool_call(call: ToolCall) -> ToolCall:
    assert isinstance(call.arguments, Mapping)
    return replace(call, arguments={**call.arguments, "a": call.arguments["a"] + 1})
