"""Adds to what others declared, once with other types."""

from __future__ import annotations

from ares_core import Capability, hookimpl


@hookimpl
def declare_capabilities() -> list[Capability]:
    return [
        Capability("Arithmetic", aliases=("sums",), outputs=("Number",), tools=("double",)),
        Capability("Summation", outputs=("Text",)),
    ]
