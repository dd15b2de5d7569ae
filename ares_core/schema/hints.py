"""Type hints as JSON Schema, without pydantic for the common ones."""

from __future__ import annotations

import types
import typing
from collections import abc
from enum import Enum
from typing import Any, NamedTuple, get_args, get_origin

from ares_core.schema.annotations import Unreadable, annotate, is_by_hand
from ares_core.schema.convert_hints import (
    Convert,
    by_pydantic,
    each_field,
    each_item,
    each_value,
    optional,
)  # fmt: skip

DEPTH = 30


class Hint(NamedTuple):
    """What a type hint says: a schema, or ``None`` when only pydantic can tell.

    ``convert`` makes what the function wants of the JSON value; ``None`` when that is the JSON value itself.
    ``is_own`` is false when a part of the schema was written by hand, in a ``Field``, and so has to be checked.
    """

    schema: dict[str, Any] | None
    convert: Convert | None = None
    is_own: bool = True


class Unresolved(Exception):
    """A name in quotes that has to be looked up first."""


SCALARS: dict[Any, str] = {
    str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null", None: "null",
}  # fmt: skip
FORMATS = {
    "datetime.datetime": "date-time", "datetime.date": "date", "datetime.time": "time",
    "datetime.timedelta": "duration", "uuid.UUID": "uuid", "builtins.bytes": "binary",
    "pathlib.Path": "path", "pathlib.PurePath": "path",
}  # fmt: skip
"""Formats by the name of the class, so that none of them has to be imported."""
ARRAYS = frozenset({list, abc.Sequence, abc.MutableSequence, abc.Iterable, abc.Collection})
SETS = frozenset({set, frozenset, abc.Set, abc.MutableSet})
OBJECTS = frozenset({dict, abc.Mapping, abc.MutableMapping})
NULL = {"type": "null"}


def read_hint(hint: Any, depth: int = DEPTH) -> Hint:
    """Say what a type hint means in JSON Schema.

    >>> read_hint(list[int]).schema
    {'type': 'array', 'items': {'type': 'integer'}}
    """
    if hint is Any or hint is object:
        return Hint({})
    if isinstance(hint, (str, typing.ForwardRef)):
        raise Unresolved
    try:
        if (kind := SCALARS.get(hint)) is not None:
            return Hint({"type": kind})
    except TypeError:
        return _unknown(hint)
    if depth == 0:
        return _unknown(hint)
    origin = get_origin(hint)
    return _class(hint, depth) if origin is None else _generic(hint, origin, depth - 1)


def _unknown(hint: Any) -> Hint:
    return Hint(None, by_pydantic(hint), False)


def _class(hint: Any, depth: int) -> Hint:
    if hint in ARRAYS or hint in SETS or hint in OBJECTS or hint is tuple:
        return _generic(hint, hint, depth)
    if isinstance(hint, type):
        return _named(hint, depth)
    if hasattr(hint, "__supertype__"):
        return read_hint(hint.__supertype__, depth - 1)
    if isinstance(hint, typing.TypeVar):
        return read_hint(hint.__bound__ or Any, depth - 1)
    if type(hint).__name__ == "TypeAliasType":
        return read_hint(hint.__value__, depth - 1)
    return _unknown(hint)


def _named(hint: Any, depth: int) -> Hint:
    if issubclass(hint, Enum):
        return _enum(hint)
    if hasattr(hint, "__required_keys__"):
        return _typed_dict(hint, depth - 1)
    if hasattr(hint, "__supertype__"):
        return read_hint(hint.__supertype__, depth - 1)
    name = f"{hint.__module__.removesuffix('._local')}.{hint.__qualname__}"
    if (known := FORMATS.get(name)) is not None:
        return Hint({"type": "string", "format": known}, hint if known == "path" else by_pydantic(hint))
    if name == "decimal.Decimal":
        return Hint({"anyOf": [{"type": "number"}, {"type": "string"}]}, by_pydantic(hint))
    return _unknown(hint)


def _generic(hint: Any, origin: Any, depth: int) -> Hint:
    arguments = get_args(hint)
    if (read := _READERS.get(origin)) is not None:
        return read(hint, arguments, depth)
    if str(origin).endswith(("Required", "NotRequired", "ReadOnly")):
        return read_hint(arguments[0], depth)
    return _unknown(hint)


def _annotated(hint: Any, arguments: tuple[Any, ...], depth: int) -> Hint:
    base = read_hint(hint.__origin__, depth)
    if base.schema is None:
        return _unknown(hint)
    try:
        schema = annotate(base.schema, hint.__metadata__)
    except Unreadable:
        return _unknown(hint)
    return Hint(schema, base.convert, base.is_own and not is_by_hand(hint.__metadata__))


def _union(hint: Any, choices: tuple[Any, ...], depth: int) -> Hint:
    hints = [read_hint(choice, depth) for choice in choices]
    schemas = [each.schema for each in hints]
    if any(schema is None for schema in schemas):
        return _unknown(hint)
    converts = [each.convert for each in hints if each.schema != NULL]
    convert = by_pydantic(hint) if any(converts) else None
    if convert and len(converts) == 1 and converts[0]:
        convert = optional(converts[0])
    schema = {} if {} in schemas else {"anyOf": schemas}
    return Hint(schema, convert, all(each.is_own for each in hints))


def _literal(hint: Any, values: tuple[Any, ...], depth: int) -> Hint:
    if any(type(value) not in SCALARS or type(value) is float for value in values):
        return _unknown(hint)
    return Hint(_options(list(values)))


def _options(values: list[Any]) -> dict[str, Any]:
    kinds = {SCALARS[type(value)] for value in values}
    return {"type": kinds.pop(), "enum": values} if len(kinds) == 1 else {"enum": values}


def _enum(hint: type[Enum]) -> Hint:
    values = [member.value for member in hint]
    if not values or any(type(value) not in SCALARS for value in values):
        return _unknown(hint)
    return Hint(_options(values), hint)


def _array(hint: Any, arguments: tuple[Any, ...], depth: int) -> Hint:
    item = read_hint(arguments[0], depth) if arguments else Hint({})
    if item.schema is None:
        return _unknown(hint)
    schema = {"type": "array", "items": item.schema} if item.schema else {"type": "array"}
    return Hint(schema, each_item(item.convert) if item.convert else None, item.is_own)


def _set(hint: Any, arguments: tuple[Any, ...], depth: int) -> Hint:
    items = _array(hint, arguments, depth)
    if items.schema is None:
        return items
    made = frozenset if frozenset in (hint, get_origin(hint)) else set
    return Hint({**items.schema, "uniqueItems": True}, _then(items.convert, made), items.is_own)


def _tuple(hint: Any, arguments: tuple[Any, ...], depth: int) -> Hint:
    if not arguments or len(arguments) == 2 and arguments[1] is Ellipsis:
        items = _array(hint, arguments[:1], depth)
        return items if items.schema is None else Hint(items.schema, _then(items.convert, tuple), items.is_own)
    items_of = [read_hint(argument, depth) for argument in arguments if argument != ()]
    if any(item.schema is None for item in items_of):
        return _unknown(hint)
    count = len(items_of)
    schema: dict[str, Any] = {"type": "array", "minItems": count, "maxItems": count}
    if items_of:
        schema["prefixItems"] = [item.schema for item in items_of]
    convert = by_pydantic(hint) if any(item.convert for item in items_of) else tuple
    return Hint(schema, convert, all(item.is_own for item in items_of))


def _then(first: Convert | None, then: Convert) -> Convert:
    return then if first is None else lambda value: then(first(value))


def _object(hint: Any, arguments: tuple[Any, ...], depth: int) -> Hint:
    if not arguments:
        return Hint({"type": "object"})
    key, value = read_hint(arguments[0], depth), read_hint(arguments[1], depth)
    if value.schema is None or key.schema not in ({"type": "string"}, {}):
        return _unknown(hint)
    schema = {"type": "object", **({"additionalProperties": value.schema} if value.schema else {})}
    return Hint(schema, each_value(value.convert) if value.convert else None, value.is_own)


def _typed_dict(hint: Any, depth: int) -> Hint:
    try:
        fields = typing.get_type_hints(hint, include_extras=True)
    except NameError:
        return _unknown(hint)
    hints = {name: read_hint(field, depth) for name, field in fields.items()}
    if any(each.schema is None for each in hints.values()):
        return _unknown(hint)
    schema: dict[str, Any] = {"type": "object", "properties": {name: each.schema for name, each in hints.items()}}
    if required := required_of(hint, fields):
        schema["required"] = required
    converts = {name: each.convert for name, each in hints.items() if each.convert}
    return Hint(schema, each_field(converts) if converts else None, all(each.is_own for each in hints.values()))


def required_of(hint: Any, fields: dict[str, Any]) -> list[str]:
    """Give the names that a ``TypedDict`` requires; Python itself misreads ``NotRequired`` in quotes."""
    wrapped = {name: str(get_origin(field)) for name, field in fields.items()}
    return [
        name for name, origin in wrapped.items()
        if origin.endswith(".Required") or name in hint.__required_keys__ and not origin.endswith(".NotRequired")
    ]  # fmt: skip


_READERS: dict[Any, abc.Callable[[Any, tuple[Any, ...], int], Hint]] = {
    typing.Union: _union, types.UnionType: _union, typing.Annotated: _annotated, typing.Literal: _literal,
    tuple: _tuple, **dict.fromkeys(ARRAYS, _array), **dict.fromkeys(SETS, _set), **dict.fromkeys(OBJECTS, _object),
}  # fmt: skip
