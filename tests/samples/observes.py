"""Remembers every result."""

from __future__ import annotations

from ares_core import Result, hookimpl

seen: list[Result] = []


@hookimpl
def post_tool_call(result: Result) -> None:
    seen.append(result)
