"""Wants to bring the tool add as well, and brings the tool double."""

from __future__ import annotations

from ares_core import Tool, hookimpl


def add(a: int, b: int = 1) -> str:
    """Add two whole numbers, in words."""
    return f"{a} and {b}"


def double(a: int) -> int:
    """Double a whole number."""
    return 2 * a


@hookimpl
def register_tools() -> list[Tool]:
    return [Tool.from_function(add), Tool.from_function(double)]
