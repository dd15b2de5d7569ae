"""Arguments written as ``key=value``: each value is read by the type that the tool's own schema gives it.

``key:=JSON`` says a value exactly, ``outer.inner=value`` reaches into an object, a repeated key makes a list, and a
value without a key belongs to the one argument that the tool requires.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click

MOST_DIGITS = 4000
DEEPEST = 20
_WHOLE = re.compile(rf"[+-]?[0-9]{{1,{MOST_DIGITS}}}")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?|\.[0-9]{1,400})(?:[eE][+-]?[0-9]{1,3})?")
_OF_PYTHON = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}
Schema = Mapping[str, Any]


def read_arguments(texts: Sequence[str], schema: Schema) -> dict[str, Any]:
    """Make arguments of ``key=value`` texts.

    >>> schema = {"properties": {"text": {"type": "string"}, "n": {"type": "integer"}}}
    >>> read_arguments(["text=null", "n=007"], schema)
    {'text': 'null', 'n': 7}
    """
    found: dict[tuple[str, ...], list[Any]] = {}
    for text in texts:
        path, value, exact = _split(text, schema)
        part = _at(path, schema)
        found.setdefault(path, []).append(_exact(value, text) if exact else (value, part))
    arguments: dict[str, Any] = {}
    for path, values in found.items():
        _put(arguments, path, _one_or_list(path, values, schema))
    return arguments


def read_value(text: str, schema: Schema, root: Schema) -> Any:
    """Read one value by its schema; what doesn't fit stays text, for the tool's own check to refuse."""
    kinds = _kinds(schema, root)
    json_value = _json(text) if text[:1] in ("[", "{") else None
    if json_value is not None and (not kinds or kinds & {"array", "object"}):
        return json_value if not kinds or _OF_PYTHON[type(json_value)] in kinds else text
    if "string" in kinds:
        return text
    if not kinds:
        return _untyped(text)
    return _scalar(text, kinds, schema, root)


def _scalar(text: str, kinds: set[str], schema: Schema, root: Schema) -> Any:
    if kinds & {"integer", "number"} and (number := _number(text, whole="number" not in kinds)) is not None:
        return number
    if "boolean" in kinds and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if "null" in kinds and text == "null":
        return None
    if "array" in kinds and text[:1] != "[":
        return [read_value(text, _items(schema, root), root)]
    return text


def _number(text: str, *, whole: bool) -> int | float | None:
    if _WHOLE.fullmatch(text):
        return int(text)
    if not _DECIMAL.fullmatch(text):
        return None
    number = float(text)
    if number in (float("inf"), float("-inf")):
        return None
    return int(number) if whole and number.is_integer() and abs(number) < 2**53 else number


def _untyped(text: str) -> Any:
    """Where the schema says nothing: JSON if it is some, else text."""
    number = _number(text, whole=False)
    if isinstance(number, float) and not _keeps(number, text):
        number = None
    return {"true": True, "false": False, "null": None}.get(text, text if number is None else number)


def _split(text: str, schema: Schema) -> tuple[tuple[str, ...], str, bool]:
    key, equals, value = text.partition("=")
    if not equals:
        return (_sole_key(text, schema),), text, False
    known = schema.get("properties", {})
    exact = key.endswith(":") and key not in known
    key = key[:-1] if exact else key
    if not key:
        raise click.UsageError(f"{text[:80]!r} has no name before '='; write key=value.")
    path = tuple(key.split(".")) if key not in known and key.split(".")[0] in known else (key,)
    if len(path) > DEEPEST or not all(path):
        raise click.UsageError(f"{key[:80]!r} names no argument; write outer.inner=value.")
    return path, value, exact


def _sole_key(text: str, schema: Schema) -> str:
    known = list(schema.get("properties", {}))
    for names in (schema.get("required", ()), known):
        if len(names) == 1:
            return str(names[0])
    takes = f"it takes {', '.join(known)}" if known else "it takes no arguments"
    raise click.UsageError(f"Which argument is {text[:80]!r}? Write key=value; {takes}.")


def _exact(value: str, text: str) -> tuple[Any, None]:
    import json

    try:
        return json.loads(value, object_pairs_hook=_once), None
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"{text[:80]!r} is no JSON after ':=' ({error}); text goes with '='.") from None


def _one_or_list(path: tuple[str, ...], values: list[Any], root: Schema) -> Any:
    read = [value if schema is None else read_value(value, schema, root) for value, schema in values]
    if len(values) == 1:
        return read[0]
    schema = _at(path, root)
    kinds = _kinds(schema, root)
    if kinds and "array" not in kinds:
        raise click.UsageError(f"{'.'.join(path)} is given {len(values)} times, but it takes one value.")
    items = _items(schema, root)
    return [value if part is None else read_value(value, items, root) for value, part in values]


def _put(arguments: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    inner = arguments
    for part in path[:-1]:
        inner = inner.setdefault(part, {})
        if not isinstance(inner, dict):
            raise click.UsageError(f"{'.'.join(path)} reaches into {part}, which has a value of its own.")
    if path[-1] in inner:
        raise click.UsageError(f"{'.'.join(path)} is given as a whole and in parts; write one of them.")
    inner[path[-1]] = value


def _at(path: tuple[str, ...], root: Schema) -> Schema:
    schema: Schema = root
    for part in path:
        properties = [variant.get("properties", {}) for variant in _variants(schema, root)]
        schema = next((found[part] for found in properties if isinstance(found.get(part), Mapping)), {})
    return schema


def _items(schema: Schema, root: Schema) -> Schema:
    found = (variant.get("items") for variant in _variants(schema, root))
    return next((items for items in found if isinstance(items, Mapping)), {})


def _kinds(schema: Schema, root: Schema) -> set[str]:
    """The types that a value may have; empty if the schema doesn't say."""
    kinds: set[str] = set()
    for variant in _variants(schema, root):
        given = variant.get("type")
        if given:
            kinds |= {given} if isinstance(given, str) else set(given)
        elif values := [*variant.get("enum", ()), *([variant["const"]] if "const" in variant else ())]:
            kinds |= {_OF_PYTHON.get(type(value), "null") for value in values}
    return kinds


def _variants(schema: Schema, root: Schema, depth: int = 0) -> Iterator[Schema]:
    """Give the schema and the schemas that it is put together of; references are followed within the document."""
    if depth > DEEPEST or not isinstance(schema, Mapping):
        return
    yield schema
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/"):
        yield from _variants(_referenced(reference, root), root, depth + 1)
    for key in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(key, ()):
            yield from _variants(part, root, depth + 1)


def _referenced(reference: str, root: Schema) -> Schema:
    found: Any = root
    for part in reference[2:].split("/"):
        found = found.get(part.replace("~1", "/").replace("~0", "~"), {}) if isinstance(found, Mapping) else {}
    return found if isinstance(found, Mapping) else {}


def _json(text: str) -> Any:
    """Read JSON; None if it is none, or if some of it would be lost, which the call itself reads with more care."""
    import json

    try:
        value = json.loads(text, object_pairs_hook=_once, parse_float=_same)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, ArithmeticError, RecursionError):
        return None
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r:.80} is given twice")
        found[key] = value
    return found


def _same(text: str) -> float:
    number = float(text)
    if not _keeps(number, text):
        raise ValueError(f"{text:.80} has more digits than a number keeps")
    return number


def _keeps(number: float, text: str) -> bool:
    """Whether a number is exactly what stands in the text."""
    from decimal import Decimal

    return Decimal(repr(number)) == Decimal(text)
