"""The tools ``data_transform``, ``data_validation`` and ``log_analyzer``."""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ares_core import Capability, Effects, Result, Tool, ToolContext, hookimpl
from ares_plugin_data import schemas

QUICK = 2_000
"""Up to how many characters a text is worked on at once, not in a thread."""
LOOKS = Effects(read_only=True, destructive=False, idempotent=True, open_world=False)
Answer = dict[str, Any] | Awaitable[dict[str, Any]]
TOOLS = (
    ("data_transform", "transforming", "DataTransform", 2, 5),
    ("data_validation", "validating", "DataValidation", 1, 2),
    ("log_analyzer", "logs", "LogAnalysis", 3, 10),
)


def running(module: str) -> Callable[[Mapping[str, Any], ToolContext], Awaitable[dict[str, Any]]]:
    """Make the function of a tool, which imports its module when it is first called."""

    async def execute(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
        run: Callable[[Mapping[str, Any]], Answer] = importlib.import_module(f"ares_plugin_data.{module}").run
        given = arguments.get("data", arguments.get("log_content"))
        if isinstance(given, str) and len(given) <= QUICK and not schemas.MAY_TAKE_LONG & arguments.keys():
            answer = run(arguments)
        else:
            import asyncio

            answer = await asyncio.to_thread(run, arguments)
        return answer if isinstance(answer, dict) else await answer

    return execute


@hookimpl
def register_tools() -> list[Tool]:
    """Bring the three tools."""
    return [
        Tool(
            name,
            schemas.DESCRIPTIONS[name],
            schemas.PARAMETERS[name],
            running(module),
            capabilities=(capability,),
            effects=LOOKS,
            examples=schemas.EXAMPLES[name],
            cost=cost,
            latency_ms=latency,
            deterministic=True,
        )
        for name, module, capability, cost, latency in TOOLS
    ]


@hookimpl
def declare_capabilities() -> list[Capability]:
    """Declare what the three tools are for."""
    return [
        Capability(
            "DataTransform",
            aliases=("csv", "transform", "convert", "flatten", "转换"),
            inputs=("Text", "JSON"),
            outputs=("Text", "JSON"),
        ),
        Capability(
            "DataValidation",
            aliases=("validate", "validation", "校验", "验证"),
            inputs=("Text", "JSON", "URL"),
            outputs=("JSON",),
        ),
        Capability("LogAnalysis", aliases=("log", "logs", "日志"), inputs=("Text",), outputs=("JSON",)),
    ]


@hookimpl
def format_result(result: Result) -> str | None:
    """Give counts and units first, then the rows, the reasons or the lines."""
    if not result.success:
        return None
    from ares_plugin_data.shown import words

    return words(result.data)
