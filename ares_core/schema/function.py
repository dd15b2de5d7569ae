"""A function says what it takes: its hints give the schema, its docstring the words."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from msgspec import Struct

from ares_core.context import ToolContext
from ares_core.errors import RegistrationError
from ares_core.schema.annotations import Unreadable, annotate_field
from ares_core.schema.convert_hints import optional
from ares_core.schema.docstrings import Words, read_docstring
from ares_core.schema.hints import Hint, Unresolved, read_hint, required_of
from ares_core.schema.invoke import MUTABLE, Binding, Conversion, Execute, check_names, make_execute
from ares_core.schema.normalise import NotJSON, normalise
from ares_core.schema.signature import (
    ANY_NAME,
    KEYWORD,
    NOTHING,
    POSITIONAL,
    REST,
    Parameter,
    hints_of,
    resolve_hints,
    signature_of,
    target_of,
)  # fmt: skip
from ares_core.schema.tidy import GeneratedSchema

ABSENT = object()
"""The default of what may be left out and then is not given at all."""


class FunctionSchema(Struct, frozen=True, eq=False):
    """What a function says about itself: a name, words, a JSON Schema, and how to run it."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    execute: Execute


def describe_function(
    fn: Callable[..., Any], *, name: str | None = None, description: str | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> FunctionSchema:  # fmt: skip
    """Work out what a function says about itself.

    Names come from the function, words from its docstring (Google, NumPy, Sphinx or Epydoc style), the schema from
    its type hints. A parameter annotated ``ToolContext`` is given the context and is not in the schema; ``*args`` is
    not either. ``parameters`` replaces the schema; the function is then called by keyword.

    ``execute(arguments, context)`` is a coroutine function if the function is one. Values whose Python type is not
    JSON's own (enums, dataclasses, dates, …) are converted before the call; a value that can't be converted is a
    ``ToolError`` with the blame ``input``.

    Raises ``RegistrationError`` naming the parameter when a type can't be described.

    >>> def add(a: int, b: int = 1) -> int:
    ...     "Add two whole numbers."
    ...     return a + b
    >>> described = describe_function(add)
    >>> described.parameters["properties"]["b"], described.execute({"a": 2}, None)
    ({'type': 'integer', 'default': 1}, 3)
    """
    called = name or _name_of(fn)
    owner = f"{called!r}"
    words = read_docstring(_doc_of(fn))
    if parameters is not None:
        said = words.description if description is None else description
        return FunctionSchema(called, said, parameters, _by_keyword(fn, parameters, called))
    reader = _Reader(fn, owner, words)
    said = words.description if description is None else description
    return FunctionSchema(called, said, reader.schema(), make_execute(fn, reader.binding()))


def _name_of(fn: Any) -> str:
    name = getattr(fn, "__name__", None) or getattr(getattr(fn, "func", None), "__name__", None)
    name = name or type(fn).__name__
    if name == "<lambda>":
        raise RegistrationError("a lambda has no name; give the tool one with name=, or use a def")
    return str(name)


def _doc_of(fn: Any) -> str | None:
    if inspect.isfunction(fn):
        return fn.__doc__
    if inspect.isclass(fn):
        doc = vars(fn).get("__doc__")
        return None if doc and doc.startswith(f"{fn.__name__}(") else doc
    if inspect.isroutine(fn):
        return inspect.getdoc(fn)
    target = target_of(fn)
    return target.__doc__ or (None if hasattr(fn, "func") else type(fn).__doc__)


def _is_context(hint: Any) -> bool:
    return hint is ToolContext or type(hint) in _UNIONS and ToolContext in typing.get_args(hint)


_UNIONS = (types.UnionType, type(typing.Union[int, "str"]))


class _Reader:
    """Reads one function."""

    def __init__(self, fn: Callable[..., Any], owner: str, words: Words) -> None:
        self.owner = owner
        self.words = words
        everything = signature_of(fn, owner)
        self.hints = hints_of(everything)
        if any(type(hint) is str for hint in self.hints.values()):
            self.hints = resolve_hints(fn, self.hints, owner)
        self.contexts = tuple(each.name for each in everything if _is_context(self.hints.get(each.name)))
        self.any_name = next((each for each in everything if each.kind is ANY_NAME), None)
        self.before_slash = [each for each in everything if each.kind is POSITIONAL]
        self.parameters = [each for each in everything if each.name not in self.contexts and each.kind not in _VARIADIC]
        self.parameters += self._unpacked()
        try:
            self.read = self._read()
        except Unresolved:
            self.hints = resolve_hints(fn, self.hints, owner)
            self.read = self._read()
        self.shared: dict[str, Any] = {}

    def _read(self) -> dict[str, Hint]:
        return {each.name: read_hint(self.hints.get(each.name, Any)) for each in self.parameters}

    def _unpacked(self) -> list[Parameter]:
        """Give the fields of ``**options: Unpack[SomeTypedDict]`` as parameters."""
        hint = self.hints.get(self.any_name.name) if self.any_name is not None else None
        if not str(typing.get_origin(hint)).endswith("Unpack"):
            return []
        self.any_name = None
        target = typing.get_args(hint)[0]
        fields = typing.get_type_hints(target, include_extras=True)
        self.hints |= fields
        needed = required_of(target, fields)
        return [Parameter(name, KEYWORD, NOTHING if name in needed else ABSENT) for name in fields]

    def schema(self) -> dict[str, Any]:
        modelled = self._modelled()
        properties: dict[str, Any] = {}
        required = []
        for parameter in self.parameters:
            name = parameter.name
            part = dict(modelled[name] if name in modelled else self.read[name].schema or {})
            if parameter.default is NOTHING:
                required.append(name)
            elif parameter.default is not ABSENT:
                part = self._with_default(part, parameter)
            if "description" not in part and name in self.words.parameters:
                part["description"] = self.words.parameters[name]
            properties[name] = part
        schema: dict[str, Any] = {"type": "object", "properties": properties}
        if required:
            schema["required"] = required
        schema |= self._additional()
        if self.shared:
            schema["$defs"] = self.shared
        is_own = all(hint.is_own for hint in self.read.values())
        return GeneratedSchema(schema) if is_own else schema

    def _modelled(self) -> dict[str, Any]:
        """Ask pydantic about the types that only it knows."""
        unknown = {name: self.hints[name] for name, hint in self.read.items() if hint.schema is None}
        if not unknown:
            return {}
        from ares_core.schema.models import describe_models

        schemas, self.shared = describe_models(unknown, self.owner)
        return schemas

    def _additional(self) -> dict[str, Any]:
        if self.any_name is None:
            return {"additionalProperties": False}
        part = read_hint(self.hints.get(self.any_name.name, Any)).schema
        return {"additionalProperties": part} if part else {}

    def _with_default(self, part: dict[str, Any], parameter: Parameter) -> dict[str, Any]:
        default = parameter.default
        if type(default).__name__ == "FieldInfo":
            part, default = self._from_field(part, parameter)
        if default is None and not _allows_null(part):
            part = _nullable(part)
        try:
            part["default"] = normalise(self._plain(parameter.name, default))
        except (NotJSON, ValueError):
            pass
        return part

    def _from_field(self, part: dict[str, Any], parameter: Parameter) -> tuple[dict[str, Any], Any]:
        part = dict(part)
        try:
            annotate_field(part, parameter.default)
        except Unreadable:
            raise RegistrationError(
                f"parameter {parameter.name!r} of {self.owner} has a Field as default that says more than a schema "
                "can; put it into Annotated[…]"
            ) from None
        return part, field_default(parameter.default)

    def _plain(self, name: str, default: Any) -> Any:
        """Write a default as JSON if it can be."""
        if isinstance(default, (set, frozenset)):
            return sorted(default, key=repr)
        if isinstance(default, Enum):
            return default.value
        if self.read[name].convert is None or default is None or isinstance(default, (str, int, float, list, tuple)):
            return default
        from ares_core.schema.models import default_of

        return default_of(self.hints[name], default)

    def binding(self) -> Binding:
        """Say how the arguments are handed over."""
        defaults = {each.name: each.default for each in self.parameters}
        fields = {name: value for name, value in defaults.items() if type(value).__name__ == "FieldInfo"}
        fresh = {name: value for name, value in defaults.items() if isinstance(value, MUTABLE)}
        fresh |= {name: field_default(value) for name, value in fields.items()}
        nothing = {name for name, value in {**defaults, **fresh}.items() if value is None}
        return Binding(
            contexts=self.contexts,
            positional=tuple((each.name, each.default) for each in self.before_slash),
            fresh=fresh,
            convert={
                name: Conversion(name, optional(hint.convert) if name in nothing else hint.convert)
                for name, hint in self.read.items()
                if hint.convert
            },
        )


_VARIADIC = (REST, ANY_NAME)


def field_default(field: Any) -> Any:
    """Give the default that a pydantic ``FieldInfo`` stands for; ``NOTHING`` if it has none."""
    if field.default_factory is not None:
        return field.default_factory()
    return NOTHING if type(field.default).__name__ == "PydanticUndefinedType" or field.default is ... else field.default


def _allows_null(part: dict[str, Any]) -> bool:
    kinds = [part.get("type"), *(each.get("type") for each in part.get("anyOf", ()) if isinstance(each, dict))]
    return "null" in kinds or not part.keys() - {"description", "title"} or None in part.get("enum", ())


def _nullable(part: dict[str, Any]) -> dict[str, Any]:
    notes: dict[str, Any] = {
        key: part[key] for key in ("description", "title", "examples", "deprecated") if key in part
    }
    return {"anyOf": [{key: value for key, value in part.items() if key not in notes}, {"type": "null"}], **notes}


def _by_keyword(fn: Callable[..., Any], parameters: Mapping[str, Any], name: str) -> Execute:
    """Run a function with the arguments of a schema written by hand: by keyword, the context where it is asked for."""
    try:
        everything = signature_of(fn, repr(name))
    except RegistrationError:
        return make_execute(fn, Binding())
    contexts = _contexts_of(fn, everything, name)
    named = [each for each in everything if each.name not in contexts and each.kind not in _VARIADIC]
    before_slash = tuple((each.name, each.default) for each in everything if each.kind is POSITIONAL)
    execute = make_execute(fn, Binding(contexts=contexts, positional=before_slash))
    takes_any = any(each.kind is ANY_NAME for each in everything)
    accepted = None if takes_any else frozenset(each.name for each in named)
    needed = frozenset(each.name for each in named if each.default is NOTHING)
    return execute if _guarantees(parameters, accepted, needed) else check_names(execute, name, accepted, needed)


def _contexts_of(fn: Any, everything: list[Parameter], name: str) -> tuple[str, ...]:
    """Give the parameters that want the context; hints that can't be looked up want something else."""
    hints = hints_of(everything)
    for parameter in [key for key, hint in hints.items() if type(hint) is str]:
        try:
            hints |= resolve_hints(fn, {parameter: hints[parameter]}, repr(name))
        except RegistrationError:
            continue
    return tuple(each.name for each in everything if _is_context(hints.get(each.name)))


def _guarantees(parameters: Mapping[str, Any], accepted: frozenset[str] | None, needed: frozenset[str]) -> bool:
    """Whether the schema lets through only what the function can take."""
    try:
        names, required = set(parameters.get("properties") or ()), set(parameters.get("required") or ())
    except (AttributeError, TypeError):
        return False
    closed = accepted is None or parameters.get("additionalProperties") is False and names <= accepted
    return closed and needed <= required
