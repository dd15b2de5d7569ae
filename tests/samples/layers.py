"""Wraps every call: one layer outside, one inside, and one that looks at the request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from ares_core import ExecutionLayer, Layer, ToolCall, hookimpl

log: list[str] = []


def _wrap(name: str) -> ExecutionLayer:
    async def run(call: ToolCall, next_call: Callable[[], Awaitable[object]]) -> object:
        log.append(f"{name} in")
        try:
            return await next_call()
        finally:
            log.append(f"{name} out")

    return run


async def look(call: ToolCall) -> None:
    log.append("request")


@hookimpl
def register_middleware() -> list[Layer]:
    return [
        Layer("inner", "tool_execution", _wrap("inner"), order=10),
        Layer("outer", "tool_execution", _wrap("outer"), order=-10),
        Layer("look", "tool_request", look),
    ]
