"""One question to a model where no plan is sure. It may only choose among candidates, and fill the schema of one."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from ares_core.calls import Result
from ares_core.planner.plan import ExecutionPlan, Intent, PlanStep
from ares_core.planner.score import effects_of
from ares_core.tools import Tool

log = logging.getLogger("ares")
Chooser = Callable[[str, list[dict[str, Any]]], Awaitable[Any] | Any]
"""``choose(request, candidates)`` gives ``{"tool": …, "arguments": …}``, or ``None`` for none of them; plain or async.

A candidate has ``tool``, ``description`` and ``parameters``, the schema that the arguments must fit."""
CHOSEN = 0.8
"""The confidence in what a model chose."""


async def chosen(plan: ExecutionPlan, tools: Sequence[Tool], choose: Chooser) -> ExecutionPlan:
    """Ask once. Whatever is not a candidate with arguments that fit its schema leaves the plan as it was."""
    shown = [
        {"tool": tool.name, "description": tool.description, "parameters": dict(tool.parameters)} for tool in tools
    ]
    try:
        answer = choose(plan.request, shown)
        answer = await answer if inspect.isawaitable(answer) else answer
    except Exception:
        log.warning("the planner's model gave no answer", exc_info=True)
        return plan
    tool = _named(answer, tools)
    arguments = answer.get("arguments") if tool is not None else None
    if tool is None or not isinstance(arguments, Mapping) or not _fits(tool, arguments):
        return plan
    given = dict(arguments)
    step = PlanStep("s1", tool.name, "", given, read_only=effects_of(tool, given).read_only)
    intents = (Intent("chosen by the planner's model", "", (), plan.request),)
    return replace(plan, intents=intents, steps=(step,), error=None, confidence=CHOSEN)


def _named(answer: Any, tools: Sequence[Tool]) -> Tool | None:
    if not isinstance(answer, Mapping) or set(answer) != {"tool", "arguments"}:
        return None
    return next((tool for tool in tools if tool.name == answer["tool"]), None)


def _fits(tool: Tool, arguments: Mapping[str, Any]) -> bool:
    from ares_core.schema import compile_schema

    return not compile_schema(tool.parameters, tool=tool.name).issues(dict(arguments))


def by_tool(call: Callable[..., Awaitable[Result]], name: str | None) -> Chooser | None:
    """Let a tool choose: it takes ``request`` and ``candidates``, and gives what a ``Chooser`` gives."""
    if name is None:
        return None

    async def choose(request: str, candidates: list[dict[str, Any]]) -> Any:
        result = await call(name, {"request": request, "candidates": candidates})
        return result.data if result.success else None

    return choose
