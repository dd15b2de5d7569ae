"""The jobs that come with the plugin: one call, and the plan of a request in words."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import Any

import msgspec
from dbos import DBOS

from ares_core import ExecutionPlan
from ares_plugin_durable.plans import run_kept
from ares_plugin_durable.steps import Job, plain

CONSIDERED = 50
"""How many of the tools that were considered are kept with a plan."""


async def call(job: Job, payload: Mapping[str, Any]) -> Any:
    """Make one call."""
    return plain(await job.call(payload["tool"], payload["arguments"]))


async def ask(job: Job, payload: Mapping[str, Any]) -> Any:
    """Plan a request, and run the plan as `ares.ask` does; the plan and what its steps gave are kept."""
    kept = await DBOS.run_step_async({"name": "plan"}, _planned, job, payload["request"])
    bridge = job.ares.bridge_for(job.ares)
    return plain(await bridge.carry_out(msgspec.convert(kept, ExecutionPlan), by=partial(run_kept, job)))


async def _planned(job: Job, request: str) -> Any:
    plan = await asyncio.to_thread(job.ares.plan, request)
    settled = await job.ares.bridge_for(job.ares).decide(plan)
    return plain(msgspec.structs.replace(settled, candidates=settled.candidates[:CONSIDERED]))
