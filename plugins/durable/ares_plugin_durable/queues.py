"""The queue of a tool, as the engine knows it."""

from __future__ import annotations

from typing import Any

from ares_plugin_durable import Queue
from ares_plugin_durable.kept import POLL_SECONDS

SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400}


def queue_name(tool: str) -> str:
    """Give the name of a tool's queue."""
    return f"ares:{tool}"


def limits_of(queue: Queue) -> dict[str, Any]:
    """Give what a queue says as the engine takes it."""
    limits: dict[str, Any] = {"polling_interval_sec": POLL_SECONDS, "global_concurrency": queue.concurrency}
    if queue.rate is not None:
        many, _, unit = queue.rate.partition("/")
        limits["limiter"] = {"limit": int(many), "period": float(SECONDS[unit])}
    return limits
