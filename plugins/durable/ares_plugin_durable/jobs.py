"""The jobs that come with the plugin: one call, and the plan of a request in words."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec

from ares_core import Result, handed_over
from ares_plugin_durable.engine import Job


async def call(job: Job, payload: Mapping[str, Any]) -> Any:
    """Make one call."""
    result = await job.call(payload["tool"], payload["arguments"])
    return msgspec.to_builtins(result, enc_hook=str)


async def ask(job: Job, payload: Mapping[str, Any]) -> Any:
    """Run the plan of a request, step by step; the first step that fails ends it, with what the others gave.

    One after the other, also those that don't wait for each other: a step is found again after a crash by its number,
    and side by side the numbers would depend on who is quicker.
    """
    from dbos import DBOS

    plan = await DBOS.run_step_async({"name": "plan"}, _planned, job, payload["request"])
    if plan["error"] is not None:
        failed = {"success": False, "error": plan["error"], "text": plan["error"]["message"]}
        return {**failed, "metadata": {"duration_ms": 0.0, "attempts": 0}}
    done: dict[str, Result] = {}
    for step in plan["steps"]:
        done[step["id"]] = result = await job.call(step["tool"], _arguments(job, step, done))
        if not result.success:
            break
    last = list(done.values())[-1]
    return msgspec.to_builtins(msgspec.structs.replace(last, steps=tuple(done.values())), enc_hook=str)


async def _planned(job: Job, request: str) -> Any:
    plan = await asyncio.to_thread(job.ares.plan, request)
    return plan.to_dict()


def _arguments(job: Job, step: Mapping[str, Any], done: Mapping[str, Result]) -> dict[str, Any]:
    tool = job.ares.registry.get(step["tool"])
    properties = tool.parameters.get("properties", {}) if tool is not None else {}
    bound: dict[str, list[Any]] = {}
    for one in step["bindings"]:
        given = handed_over(done[one["step"]].data, properties.get(one["argument"], {}))
        bound.setdefault(one["argument"], []).append(given)
    made = {name: values[0] if len(values) == 1 else values for name, values in bound.items()}
    return {**step["arguments"], **made}
