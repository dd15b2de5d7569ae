"""Brings the tool add."""

from __future__ import annotations

from ares_core import Effects, Tool, hookimpl


def add(a: int, b: int = 1) -> int:
    """Add two whole numbers."""
    return a + b


@hookimpl
def register_tools() -> list[Tool]:
    return [Tool.from_function(add, effects=Effects(read_only=True, open_world=False))]
