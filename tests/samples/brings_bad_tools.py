"""One of its tools is fine; the others are none."""

from __future__ import annotations

from ares_core import Tool, hookimpl


def fine() -> str:
    """Say so."""
    return "fine"


@hookimpl
def register_tools() -> list[object]:
    return [
        Tool("bad_schema", "Has no schema.", {"type": "no such type"}, lambda arguments, context: None),
        Tool("bad name\n", "Has no name.", {}, lambda arguments, context: None),
        fine,
        42,
    ]
