"""The way that calls of one tool run, worked out once: which hooks are asked, which layers wrap it, its limits."""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable, Mapping
from typing import Any

from ares_core.call.limit import Gate
from ares_core.call.redact import shower_of
from ares_core.calls import Effects
from ares_core.hooks import Guard, Hooks, Observer
from ares_core.protocols import Layer
from ares_core.table import Entry

log = logging.getLogger("ares")


class Route:
    """What a call of one tool goes through; made anew when tools or hooks change, calls under way keep theirs."""

    __slots__ = (
        "checker", "effects", "execution_layers", "formatters", "gate", "guards", "is_async", "name", "observers",
        "owner", "request_layers", "shower", "timeout", "tool",
    )  # fmt: skip

    def __init__(self, entry: Entry, hooks: Hooks, layers: list[Layer], gate: Gate | None, timeout: float) -> None:
        tool = entry.tool
        self.tool = tool
        self.name = tool.name
        self.owner = entry.owner
        self.checker = entry.checker
        self.guards: tuple[Guard, ...] = hooks.guards(tool)
        self.observers: tuple[Observer, ...] = hooks.observers(tool)
        self.formatters: tuple[Observer, ...] = hooks.formatters(tool.name, entry.owner)
        mine = [layer for layer in layers if not layer.tools or tool.name in layer.tools]
        self.request_layers = tuple(layer for layer in mine if layer.kind == "tool_request")
        self.execution_layers = tuple(layer for layer in mine if layer.kind == "tool_execution")
        self.shower = None if entry.checker.secrets else shower_of(entry.checker.schema)
        self.is_async = is_async(tool.execute)
        self.gate = gate
        self.timeout = timeout
        effects = tool.effects
        self.effects = effects if isinstance(effects, Effects) and not effects.resources else None

    def effects_of(self, arguments: Mapping[str, Any]) -> Effects:
        """Work out what a call with these arguments would do; a function that fails leaves the cautious defaults."""
        effects = self.tool.effects
        try:
            found = effects if isinstance(effects, Effects) else effects(arguments)
            return fill_resources(found, arguments)
        except Exception:
            log.exception("tool %s: its effects can't be worked out; the cautious defaults are used", self.name)
            return Effects()


def is_async(execute: Callable[..., Any]) -> bool:
    """Whether calling it gives a coroutine: async functions, partials of them, objects with async ``__call__``."""
    while isinstance(execute, functools.partial):
        execute = execute.func
    return inspect.iscoroutinefunction(execute) or inspect.iscoroutinefunction(type(execute).__call__)


def fill_resources(effects: Effects, arguments: Mapping[str, Any]) -> Effects:
    """Put argument values into the braces of resource names; a name whose value is absent is left out."""
    filled = []
    for template in effects.resources:
        try:
            filled.append(_fill(template, arguments))
        except KeyError:
            continue
    return Effects(
        effects.read_only, effects.destructive, effects.idempotent, effects.open_world, effects.interactive,
        tuple(filled),
    )  # fmt: skip


def _fill(template: str, arguments: Mapping[str, Any]) -> str:
    head, brace, rest = template.partition("{")
    if not brace:
        return template
    name, _, tail = rest.partition("}")
    return f"{head}{arguments[name]}{_fill(tail, arguments)}"
