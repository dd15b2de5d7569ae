"""Says what the tool add can do."""

from __future__ import annotations

from ares_core import Capability, hookimpl


@hookimpl
def declare_capabilities() -> list[Capability]:
    return [
        Capability("Arithmetic", aliases=("maths",), outputs=("Number",)),
        Capability("Summation", outputs=("Number",), implies=("Arithmetic",), tools=("add",)),
    ]
