"""Denies every call."""

from __future__ import annotations

from ares_core import Deny, ToolCall, hookimpl


@hookimpl
def pre_tool_call(call: ToolCall) -> Deny:
    return Deny(f"{call.name} is off limits")
