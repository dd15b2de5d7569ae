"""A tool as it is told of to other processes, and the tool that stands for it there."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from ares_core import Effects, Tool, ToolContext
from ares_plugin_workers.messages import Definition

log = logging.getLogger("ares.plugin.workers")
Run = Callable[[str, Definition, Mapping[str, Any], ToolContext], Any]
"""Runs a call of a definition, given with its address, somewhere else."""
SAME = (
    "name", "description", "capabilities", "aliases", "toolset", "timeout", "requires_approval", "output_schema",
    "cost", "latency_ms", "deterministic", "composable", "max_concurrency",
)  # fmt: skip
"""What goes over as it is."""
MOST_CASES = 200
_sorted = msgspec.json.Encoder(order="sorted", enc_hook=str).encode


def definition_of(tool: Tool) -> Definition:
    """Tell of a tool."""
    effects = tool.effects
    by: str | None = None
    cases: dict[str, Effects] = {}
    if not isinstance(effects, Effects):
        by, cases = _cases(tool)
        effects = Effects() if by is not None else _tried(tool, {}) or Effects()
    same = {name: getattr(tool, name) for name in SAME}
    same |= {name: tuple(same[name]) for name in ("capabilities", "aliases")}
    told = Definition(parameters=dict(tool.parameters), examples=tuple(map(dict, tool.examples)), effects=effects,
                      by=by, effects_by=cases, **same)  # fmt: skip
    return msgspec.json.decode(_sorted(told), type=Definition)  # as it arrives, so that both sides see the same


def address(definition: Definition) -> str:
    """Give the last word of the subject for calls: two workers share it only if their tools are told of alike."""
    return hashlib.sha256(_sorted(definition)).hexdigest()[:24]


def _cases(tool: Tool) -> tuple[str | None, dict[str, Effects]]:
    """Ask a tool whose effects depend on its arguments what each operation does; such functions don't travel."""
    for name, schema in (tool.parameters.get("properties") or {}).items():
        values = schema.get("enum") if isinstance(schema, Mapping) else None
        if values and len(values) <= MOST_CASES and all(isinstance(value, str) for value in values):
            found = {value: effects for value in values if (effects := _tried(tool, {name: value})) is not None}
            if len(set(found.values())) > 1 or len(found) < len(values):
                return name, found
    return None, {}


def _tried(tool: Tool, given: Mapping[str, Any]) -> Effects | None:
    """Ask with each text standing for itself, so that ``file:{path}`` comes back as the template that it is."""
    names = tool.parameters.get("properties") or {}
    arguments = {**{name: f"{{{name}}}" for name in names}, **given}
    try:
        found = tool.effects(arguments) if callable(tool.effects) else tool.effects
    except Exception as error:
        log.debug("tool %s: its effects with %s can't be told (%s)", tool.name, given, error)
        return None
    return found if isinstance(found, Effects) else None


def tool_of(digest: str, definition: Definition, run: Run) -> Tool:
    """Make the tool that runs elsewhere."""

    async def execute(arguments: Mapping[str, Any], context: ToolContext) -> Any:
        return await run(digest, definition, arguments, context)

    same = {name: getattr(definition, name) for name in SAME}
    return Tool(
        parameters=definition.parameters, execute=execute, examples=definition.examples,
        effects=_effects(definition), **same,
    )  # fmt: skip


def _effects(definition: Definition) -> Any:
    by, cases = definition.by, definition.effects_by
    if by is None:
        return definition.effects

    def effects(arguments: Mapping[str, Any]) -> Effects:
        return cases.get(str(arguments.get(by)), definition.effects)

    return effects
