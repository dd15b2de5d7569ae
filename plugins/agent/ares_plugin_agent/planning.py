"""Where a model gives no answer that can be used, Ares' own planner may know one."""

from __future__ import annotations

from ares_core import Ares, Result, Scoped

SURE = 0.9
"""The confidence from which a plan stands in for a model."""


async def planned(door: Ares | Scoped, request: str, session: str) -> Result | None:
    """Do what a request in words asks for, if a plan for it is certain and only reads; else do nothing."""
    if not request.strip():
        return None
    plan = door.plan(request)
    if plan.error is not None or not plan.read_only or plan.confidence < SURE:
        return None
    result = await door.ask(request, session=f"{session}-planner")  # what the model did too often is no loop here
    return result if result.success else None
