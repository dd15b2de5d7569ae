"""Its guard, observer and formatter are for the tool add alone."""

from __future__ import annotations

from collections.abc import Mapping

from ares_core import Deny, Result, ToolCall, hookimpl, replace


@hookimpl(tools=("add",))
def pre_tool_call(call: ToolCall) -> Deny | None:
    assert isinstance(call.arguments, Mapping)
    return Deny("13 is unlucky") if call.arguments["a"] == 13 else None


@hookimpl(tools=("add",))
def post_tool_call(result: Result) -> Result | None:
    return replace(result, metadata={**result.metadata, "seen": True})


@hookimpl(tools=("add",))
def format_result(result: Result) -> str:
    return f"the sum is {result.data}"
