"""One of its hooks has no @hookimpl."""

from __future__ import annotations

from ares_core import Deny, Result, ToolCall, hookimpl


def pre_tool_call(call: ToolCall) -> Deny:
    return Deny("never asked")


@hookimpl
def post_tool_call(result: Result) -> None:
    """Marked as it should be."""
