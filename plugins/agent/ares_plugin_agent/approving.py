"""Calls that wait for a person: noted when a run stops for them, run when it goes on."""

from __future__ import annotations

from collections.abc import Sequence

from ares_core import Ares, Result
from ares_plugin_agent.run import Pending


def waiting(results: Sequence[Result]) -> dict[str, str]:
    """Give the approvals that results wait for, by the place of their call."""
    return {
        str(place): str(result.metadata["approval"])
        for place, result in enumerate(results)
        if result.error is not None and result.error.code == "approval_required" and result.metadata.get("approval")
    }


async def resumed(ares: Ares, pending: Pending) -> list[Result]:
    """Run the calls that were approved, in their order; what was denied or is still open says so."""
    results = list(pending.results)
    for place, approval in pending.approvals.items():
        results[int(place)] = await ares.approvals.resume(approval)
    return results
