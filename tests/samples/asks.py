"""Wants a person's approval for every call."""

from __future__ import annotations

from ares_core import Ask, ToolCall, hookimpl


@hookimpl
def pre_tool_call(call: ToolCall) -> Ask:
    return Ask(f"{call.name} costs money")
