"""Tools: what can be called, and how a function becomes one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeVar, overload

from msgspec import Struct
from msgspec.structs import replace

from ares_core.calls import Effects
from ares_core.context import ToolContext
from ares_core.errors import RegistrationError, shown
from ares_core.schema import describe_function

Execute = Callable[[Mapping[str, Any], ToolContext], Any]
"""``execute(arguments, context)``, plain or async: gives data, or a ``Result``."""

F = TypeVar("F", bound=Callable[..., Any])
OPTIONS = "__ares_tool__"


class Tool(Struct, frozen=True, eq=False, weakref=True):
    """Something that can be called: a name, words for the model, a JSON Schema, and what to run.

    ``execute(arguments, context)`` may be plain (it then runs in a thread) or async. ``effects`` may be a function
    of the arguments. ``timeout`` is in seconds. ``cost`` and ``latency_ms`` are what the planner starts from.
    ``undo`` takes back what a call did: a function of (arguments, data). ``fields`` are the only ones of the result
    that are given (``items.name`` or ``/items/0/name``); with ``"ask"`` the model names them in ``result_fields``.

    >>> Tool("ping", "Say pong.", {"type": "object"}, lambda arguments, context: "pong").name
    'ping'
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    execute: Execute
    capabilities: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    toolset: str | None = None
    effects: Effects | Callable[[Mapping[str, Any]], Effects] = Effects()
    timeout: float | None = None
    requires_approval: bool = False
    examples: tuple[Mapping[str, Any], ...] = ()
    output_schema: Mapping[str, Any] | None = None
    undo: Callable[..., Any] | None = None
    cost: float = 5
    latency_ms: float = 100
    deterministic: bool = False
    composable: bool = True
    max_concurrency: int | None = None
    fields: tuple[str, ...] | Literal["ask"] = ()

    @classmethod
    def from_function(cls, fn: Callable[..., Any], **options: Any) -> Tool:
        """Make a tool from a function: its hints give the schema, its docstring the words.

        Options are the fields of ``Tool``; they win over those of the ``@tool`` decorator.

        >>> def add(a: int, b: int = 1) -> int:
        ...     "Add two whole numbers."
        ...     return a + b
        >>> Tool.from_function(add).parameters["required"]
        ['a']
        """
        given = {**getattr(fn, OPTIONS, {}), **options}
        name, description, parameters = (given.pop(key, None) for key in ("name", "description", "parameters"))
        function = describe_function(fn, name=name, description=description, parameters=parameters)
        return cls(function.name, function.description, function.parameters, function.execute, **_tidy(given))

    @classmethod
    def from_object(cls, value: Any) -> Tool:
        """Make a tool from any object with name, description, parameters, execute and capabilities.

        Each of the five may be an attribute or a method without parameters, except ``execute``, which takes the
        arguments, and the context too if it has room for it: second, or first if it is called ``ctx`` or ``context``.
        """
        missing = [part for part in ("name", "description", "parameters", "execute") if not hasattr(value, part)]
        if missing:
            raise RegistrationError(
                f"{shown(value)} is no tool: it has no {', '.join(missing)}; give a function, a Tool, "
                "or an object with name, description, parameters, execute and capabilities"
            )
        found = {name: _read(value, name) for name in ("name", "description", "parameters", "capabilities")}
        options = {key: found_value for key in _OPTIONAL if (found_value := getattr(value, key, None)) is not None}
        capabilities = tuple(found["capabilities"] or ())
        return cls(
            found["name"], found["description"] or "", found["parameters"] or {}, _with_context(value.execute),
            capabilities, **_tidy(options),
        )  # fmt: skip


_OPTIONAL = (
    "aliases", "toolset", "effects", "timeout", "requires_approval", "examples", "output_schema", "undo", "cost",
    "latency_ms", "deterministic", "composable", "max_concurrency", "fields",
)  # fmt: skip


def ToolFunc(
    *, name: str, description: str, parameters: Mapping[str, Any], fn: Callable[..., Any], **options: Any
) -> Tool:
    """Make a tool from a function called by keyword and a JSON Schema written by hand.

    >>> ToolFunc(name="echo", description="Say it again.", fn=lambda text: text,
    ...          parameters={"type": "object", "properties": {"text": {"type": "string"}}}).name
    'echo'
    """
    function = describe_function(fn, name=name, description=description, parameters=parameters)
    return Tool(name, description, parameters, function.execute, **_tidy(options))


@overload
def tool(fn: F, /) -> F: ...
@overload
def tool(**options: Any) -> Callable[[F], F]: ...
def tool(fn: F | None = None, /, **options: Any) -> F | Callable[[F], F]:
    """Mark a function as a tool; it stays a function. Options are the fields of ``Tool``.

    >>> @tool(capabilities=["Arithmetic"], effects=Effects(read_only=True), timeout=5)
    ... def add(a: int, b: int = 1) -> int:
    ...     "Add two whole numbers."
    ...     return a + b
    >>> add(2)
    3
    """

    def mark(function: F) -> F:
        _tidy({key: value for key, value in options.items() if key not in ("name", "description", "parameters")})
        setattr(function, OPTIONS, dict(options))
        return function

    return mark(fn) if fn is not None else mark


def as_tool(value: Any) -> Tool:
    """Make a ``Tool`` of whatever may be registered: a tool, a function, or an object with the five parts."""
    if isinstance(value, Tool):
        return value
    if inspect.isroutine(value) or hasattr(value, OPTIONS) or not hasattr(value, "execute") and callable(value):
        return Tool.from_function(value)
    return Tool.from_object(value)


def _tidy(options: dict[str, Any]) -> dict[str, Any]:
    unknown = [key for key in options if key not in Tool.__struct_fields__]
    if unknown:
        raise RegistrationError(f"a tool has no option {unknown[0]!r}; there are {', '.join(Tool.__struct_fields__)}")
    for key in ("capabilities", "aliases", "examples"):
        if key in options:
            options[key] = _sequence(key, options[key])
    if options.get("fields", "ask") != "ask":
        options["fields"] = _sequence("fields", options["fields"])
    return options


def _sequence(key: str, value: Sequence[Any]) -> tuple[Any, ...]:
    if isinstance(value, str):
        raise RegistrationError(f"{key} is a list, not the text {value!r}")
    return tuple(value)


def _read(value: Any, name: str) -> Any:
    part = getattr(value, name, None)
    return part() if callable(part) else part


def _with_context(execute: Callable[..., Any]) -> Execute:
    """Give ``execute`` the context only if it has room for a second positional argument, and in the order it wants."""
    try:
        signature = inspect.signature(execute)
        signature.bind(None, None)
    except TypeError:
        return _arranged(execute, lambda arguments, context: (arguments,))
    except ValueError:
        return execute
    if next(iter(signature.parameters)) in ("ctx", "context"):
        return _arranged(execute, lambda arguments, context: (context, arguments))
    return execute


def _arranged(execute: Callable[..., Any], arrange: Callable[[Any, Any], tuple[Any, ...]]) -> Execute:
    if not inspect.iscoroutinefunction(execute):
        return lambda arguments, context: execute(*arrange(arguments, context))

    async def run(arguments: Mapping[str, Any], context: ToolContext) -> Any:
        return await execute(*arrange(arguments, context))

    return run


__all__ = ["Execute", "Tool", "ToolFunc", "as_tool", "replace", "tool"]
