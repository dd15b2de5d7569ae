"""Rewrites a too large argument a, and remembers what it was asked."""

from __future__ import annotations

from collections.abc import Mapping

from ares_core import ToolCall, hookimpl, replace

asked: list[int] = []


@hookimpl
def pre_tool_call(call: ToolCall) -> ToolCall | None:
    assert isinstance(call.arguments, Mapping)
    a = call.arguments["a"]
    asked.append(a)
    return replace(call, arguments={**call.arguments, "a": 10}) if a > 10 else None
