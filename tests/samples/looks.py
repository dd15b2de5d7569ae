"""Remembers every call that it is asked about."""

from __future__ import annotations

from ares_core import ToolCall, hookimpl

calls: list[ToolCall] = []


@hookimpl
def pre_tool_call(call: ToolCall) -> None:
    calls.append(call)
