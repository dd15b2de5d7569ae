"""Rewrites a too large argument a, and remembers what it was asked."""

from __future__ import annotations

from ares_core import ToolCall, hookimpl, replace

asked: list[int] = []


@hookimpl
def pre_tool_call(call: ToolCall) -> ToolCall | None:
    arguments = dict(call.arguments)
    asked.append(arguments["a"])
    return replace(call, arguments={**arguments, "a": 10}) if arguments["a"] > 10 else None
