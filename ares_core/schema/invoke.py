"""Running a function with arguments that came as one mapping."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from ares_core.context import ToolContext
from ares_core.errors import ToolError

Execute = Callable[[Mapping[str, Any], ToolContext], Any]
MUTABLE = (list, dict, set, bytearray)


class Binding(Struct, frozen=True, eq=False):
    """How the arguments of one function are handed over.

    ``contexts`` are the parameters that want the context, ``positional`` those before ``/`` with their defaults;
    ``fresh`` are defaults to be copied per call; ``convert`` makes what the function wants of a JSON value.
    """

    contexts: tuple[str, ...] = ()
    positional: tuple[tuple[str, Any], ...] = ()
    fresh: Mapping[str, Any] = {}
    convert: Mapping[str, Callable[[Any], Any]] = {}

    @property
    def is_direct(self) -> bool:
        """Whether the arguments can be handed over as they are."""
        return not (self.contexts or self.positional or self.fresh or self.convert)

    def bind(self, arguments: Mapping[str, Any], context: ToolContext) -> tuple[list[Any], dict[str, Any]]:
        """Give the positional and the keyword arguments."""
        keywords = dict(arguments)
        for name, default in self.fresh.items():
            if name not in keywords:
                keywords[name] = copy.deepcopy(default)
        for name, convert in self.convert.items():
            if name in arguments:
                keywords[name] = convert(arguments[name])
        for name in self.contexts:
            keywords[name] = context
        return [keywords.pop(name, default) for name, default in self.positional], keywords


def _kind_of(fn: Callable[..., Any]) -> str:
    """Say what a call gives: ``value``, ``awaitable`` or ``async generator``."""
    candidates = (fn,) if inspect.isfunction(fn) else (fn, getattr(fn, "func", None), vars(type(fn)).get("__call__"))
    if any(inspect.iscoroutinefunction(each) for each in candidates):
        return "awaitable"
    return "async generator" if any(inspect.isasyncgenfunction(each) for each in candidates) else "value"


def make_execute(fn: Callable[..., Any], binding: Binding) -> Execute:
    """Make ``execute(arguments, context)``: a coroutine function if ``fn`` is one, also within a partial or object.

    A function that gives an async generator counts as one too: it must not run in a thread.
    """
    kind = _kind_of(fn)
    if kind == "awaitable":
        return _async_direct(fn) if binding.is_direct else _async_bound(fn, binding)
    plain = _direct(fn) if binding.is_direct else _bound(fn, binding)
    return plain if kind == "value" else _as_coroutine(plain)


def _async_direct(fn: Callable[..., Any]) -> Execute:
    async def execute(arguments: Mapping[str, Any], context: ToolContext) -> Any:
        return await fn(**arguments)

    return execute


def _async_bound(fn: Callable[..., Any], binding: Binding) -> Execute:
    async def execute(arguments: Mapping[str, Any], context: ToolContext) -> Any:
        positional, keywords = binding.bind(arguments, context)
        return await fn(*positional, **keywords)

    return execute


def _direct(fn: Callable[..., Any]) -> Execute:
    def execute(arguments: Mapping[str, Any], context: ToolContext) -> Any:
        return fn(**arguments)

    return execute


def _bound(fn: Callable[..., Any], binding: Binding) -> Execute:
    def execute(arguments: Mapping[str, Any], context: ToolContext) -> Any:
        positional, keywords = binding.bind(arguments, context)
        return fn(*positional, **keywords)

    return execute


def _as_coroutine(plain: Execute) -> Execute:
    async def execute(arguments: Mapping[str, Any], context: ToolContext) -> Any:
        return plain(arguments, context)

    return execute


class Conversion:
    """Makes what the function wants of one argument; what can't be made is the caller's mistake."""

    __slots__ = ("_convert", "_name")

    def __init__(self, name: str, convert: Callable[[Any], Any]) -> None:
        self._name = name
        self._convert = convert

    def __call__(self, value: Any) -> Any:
        try:
            return self._convert(value)
        except (ValueError, TypeError) as error:
            raise ToolError(f"the argument {self._name!r} does not fit: {_said(error)}", blame="input") from None


def _said(error: Exception) -> str:
    """Say what pydantic found, without the value and the address of its documentation."""
    if not hasattr(error, "errors"):
        return str(error)[:300]
    found = error.errors(include_url=False, include_context=False, include_input=False)[:5]
    return "; ".join("/".join(map(str, each["loc"])) + f"{': ' if each['loc'] else ''}{each['msg']}" for each in found)


def check_names(
    execute: Execute, tool: str, accepted: frozenset[str] | None, required: frozenset[str]
) -> Execute:  # fmt: skip
    """Refuse arguments that the function can't take, which a schema written by hand may allow.

    ``accepted`` is ``None`` for a function that takes any name.
    """

    def check(arguments: Mapping[str, Any]) -> None:
        unknown = [name for name in arguments if accepted is not None and name not in accepted]
        missing = [name for name in required if name not in arguments]
        if unknown or missing:
            raise _mismatch(tool, unknown, missing, accepted or frozenset())

    if inspect.iscoroutinefunction(execute):

        async def checked_async(arguments: Mapping[str, Any], context: ToolContext) -> Any:
            check(arguments)
            return await execute(arguments, context)

        return checked_async

    def checked(arguments: Mapping[str, Any], context: ToolContext) -> Any:
        check(arguments)
        return execute(arguments, context)

    return checked


def _mismatch(tool: str, unknown: list[str], missing: list[str], accepted: frozenset[str]) -> ToolError:
    said = [f"it has no argument {name!r}" for name in unknown[:5]] + [f"it needs {name!r}" for name in missing[:5]]
    takes = ", ".join(sorted(accepted)) or "no arguments"
    return ToolError(f"{tool} was not run: {'; '.join(said)}", blame="input", hint=f"it takes {takes}")
