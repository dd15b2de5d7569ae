"""Brings the tool double and writes its results, and would write every other."""

from __future__ import annotations

from ares_core import Effects, Result, Tool, hookimpl


def double(a: int) -> int:
    """Double a whole number."""
    return 2 * a


@hookimpl
def register_tools() -> list[Tool]:
    return [Tool.from_function(double, effects=Effects(open_world=False))]


@hookimpl
def format_result(result: Result) -> str:
    return f"twice is {result.data}"
