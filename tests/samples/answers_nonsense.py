"""Every hook of its gives something that is none of the answers."""

from __future__ import annotations

from ares_core import Capability, Result, ToolCall, hookimpl


@hookimpl
def register_tools() -> list[object]:
    return [42, "add"]


@hookimpl
def declare_capabilities() -> list[object]:
    return ["Summation", Capability("Hashing", tools="add")]  # type: ignore[arg-type]


@hookimpl
def register_rule_sets() -> list[object]:
    return [{"name": "mine"}]


@hookimpl
def register_wire_formats() -> list[object]:
    return [object()]


@hookimpl
def register_middleware() -> list[object]:
    return [print]


@hookimpl(tools=("double",))
def pre_tool_call(call: ToolCall) -> str:
    return "fine"


@hookimpl
def post_tool_call(result: Result) -> str:
    return "fine"


@hookimpl(tools=("add",))
def format_result(result: Result) -> int:
    return 42
