"""The way that calls of one tool run, worked out once: which hooks are asked, which layers wrap it, its limits."""

from __future__ import annotations

import functools
import inspect
import logging
import re
from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from ares_core.answers import Guard, Observer
from ares_core.call.gate import Gate
from ares_core.call.rates import Bucket
from ares_core.call.redact import shower_of
from ares_core.calls import Effects
from ares_core.hooks import Hooks
from ares_core.names import fits
from ares_core.protocols import Layer
from ares_core.table import Entry

log = logging.getLogger("ares")
WHOLE_TEMPLATE = re.compile(r"([\w+.\-]+:)\{(\w+)\}")


class Route:
    """What a call of one tool goes through; made anew when tools or hooks change, calls under way keep theirs.

    ``name`` is what the caller knows the tool by, for words to it; all else goes by ``tool.name``.
    """

    __slots__ = (
        "asks_fields", "bucket", "checker", "effects", "execution_layers", "fields", "formatters", "gate", "guards",
        "is_async", "is_limited", "name", "observers", "owner", "request_layers", "shower", "timeout", "tool",
    )  # fmt: skip

    def __init__(
        self, entry: Entry, hooks: Hooks, layers: list[Layer], gate: Gate | None, bucket: Bucket | None, timeout: float
    ) -> None:  # fmt: skip
        tool = entry.tool
        self.tool = tool
        self.name = entry.name
        self.owner = entry.owner
        self.checker = entry.checker
        self.guards: tuple[Guard, ...] = hooks.guards(tool)
        self.observers: tuple[Observer, ...] = hooks.observers(tool)
        self.formatters: tuple[Observer, ...] = hooks.formatters(tool.name, entry.owner)
        mine = [layer for layer in layers if not layer.tools or fits(tool.name, layer.tools)]
        self.request_layers = tuple(layer for layer in mine if layer.kind == "tool_request")
        self.execution_layers = tuple(layer for layer in mine if layer.kind == "tool_execution")
        self.shower = None if entry.checker.secrets else shower_of(entry.checker.schema)
        self.is_async = is_async(tool.execute)
        self.gate = gate
        self.bucket = bucket
        self.timeout = timeout
        self.asks_fields = tool.fields == "ask"
        self.fields: tuple[str, ...] = () if tool.fields == "ask" else tool.fields
        effects = tool.effects
        self.effects = effects if isinstance(effects, Effects) and not effects.resources else None
        self.is_limited = gate is not None or bucket is not None or self.effects is None

    def effects_of(self, arguments: Mapping[str, Any]) -> Effects:
        """Work out what a call with these arguments would do; a function that fails leaves the cautious defaults."""
        effects = self.tool.effects
        try:
            if isinstance(effects, Effects):
                return fill_resources(effects, arguments)
            found = effects(arguments)
            return fill_resources(found, arguments, fixed=False) if found.resources else found
        except Exception:
            log.exception("tool %s: its effects can't be worked out; the cautious defaults are used", self.name)
            return Effects()


def is_async(execute: Callable[..., Any]) -> bool:
    """Whether calling it gives a coroutine: async functions, partials of them, objects with async ``__call__``."""
    while isinstance(execute, functools.partial):
        execute = execute.func
    return inspect.iscoroutinefunction(execute) or inspect.iscoroutinefunction(type(execute).__call__)


def fill_resources(effects: Effects, arguments: Mapping[str, Any], *, fixed: bool = True) -> Effects:
    """Put argument values into the braces of resource names; a name whose value is absent is left out.

    Effects that a function worked out (``fixed=False``) may hold argument values already, and those may hold braces
    that a model wrote: of them only whole templates such as ``file:{path}`` are filled, everything else stands.

    >>> fill_resources(Effects(resources=("file:{path}",)), {"path": "a.txt"}).resources
    ('file:a.txt',)
    >>> fill_resources(Effects(resources=("file:/{x}/..",)), {"x": "inside"}, fixed=False).resources
    ('file:/{x}/..',)
    """
    filled = []
    for template in effects.resources:
        try:
            if whole := WHOLE_TEMPLATE.fullmatch(template):
                filled.append(f"{whole[1]}{arguments[whole[2]]}")
            else:
                filled.append(_fill(template, arguments) if fixed else template)
        except KeyError:
            continue
    return replace(effects, resources=tuple(filled))


def _fill(template: str, arguments: Mapping[str, Any]) -> str:
    head, brace, rest = template.partition("{")
    if not brace:
        return template
    name, _, tail = rest.partition("}")
    return f"{head}{arguments[name]}{_fill(tail, arguments)}"
