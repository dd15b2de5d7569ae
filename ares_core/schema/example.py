"""A correct example, made from the schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from ares_core.schema.references import follow

DEPTH = 12
MOST_PARTS = 500
"""How many parts an example may have: references to references double with each step."""
LONGEST_TEXT = 1_000
FORMATS = {
    "date": "2026-01-31", "date-time": "2026-01-31T09:30:00Z", "time": "09:30:00Z", "duration": "PT1H",
    "email": "name@example.com", "uri": "https://example.com/", "url": "https://example.com/",
    "uuid": "123e4567-e89b-12d3-a456-426614174000", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
    "hostname": "example.com", "path": "folder/file.txt", "password": "secret",
}  # fmt: skip
TEXTS = (
    "text", "a", "abc", "ABC", "A", "1", "12", "123", "1234", "12345", "0", "A1", "AB-123", "ABC-123", "abc-123",
    "a_b", "name", "name@example.com", "2026-01-31", "09:30", "#ffffff", "+15550100", "1.0", "1.0.0", "v1.0.0",
    "https://example.com/", "file.txt", "/file", "true", "x", "en", "en-US", "EUR", "a1b2c3d4",
)  # fmt: skip


def examples(root: dict[str, Any], schema: Any) -> Iterator[Any]:
    """Give likely examples of a subschema, best first; none is checked yet."""
    for texts in (TEXTS[:1], *((text,) for text in TEXTS[1:])):
        example = sketch(root, schema, texts[0])
        if example is not None:
            yield example


class Pen(Struct):
    """What an example is written with: the text for its texts, and how many parts it may still get."""

    text: str
    parts: int = MOST_PARTS


def sketch(root: Any, schema: Any, text: str = "text") -> Any:
    """Make one value that looks like the subschema wants it; ``None`` when nothing comes to mind.

    >>> sketch({}, {"type": "array", "items": {"type": "integer", "minimum": 3}})
    [3]
    """
    try:
        return _sketch(root, schema, Pen(text), DEPTH)
    except OverflowError:
        return None


def _sketch(root: Any, schema: Any, pen: Pen, depth: int) -> Any:
    pen.parts -= 1
    if not isinstance(schema, dict) or depth == 0 or pen.parts < 0:
        return None
    for key in ("const", "default"):
        if schema.get(key) is not None:
            return schema[key]
    for key in ("examples", "enum"):
        if isinstance(schema.get(key), list) and schema[key]:
            return schema[key][0]
    merged = _merge(root, schema)
    if merged is not schema:
        return _sketch(root, merged, pen, depth - 1)
    kinds = schema.get("type", "object" if "properties" in schema else None)
    kind = next((each for each in kinds if each != "null"), None) if isinstance(kinds, list) else kinds
    make = _MAKE.get(kind) if isinstance(kind, str) else None
    return make(root, schema, pen, depth) if make is not None else None


def _merge(root: Any, schema: dict[str, Any]) -> dict[str, Any]:
    """Fold ``$ref``, ``allOf`` and the first choice into one subschema."""
    parts: list[Any] = []
    target = schema.get("$ref")
    if isinstance(target, str) and target.startswith("#"):
        try:
            parts.append(follow(root, target))
        except LookupError:
            return schema
    parts += schema.get("allOf") or ()
    for key in ("anyOf", "oneOf"):
        parts += [each for each in schema.get(key) or () if each != {"type": "null"}][:1]
    if not parts:
        return schema
    merged = {key: value for key, value in schema.items() if key not in ("$ref", "allOf", "anyOf", "oneOf")}
    for part in parts:
        if isinstance(part, dict):
            merged = _join(merged, part)
    return merged


def _join(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    joined = {**second, **first}
    for key in ("properties", "$defs"):
        if isinstance(first.get(key), dict) and isinstance(second.get(key), dict):
            joined[key] = {**second[key], **first[key]}
    if isinstance(first.get("required"), list) and isinstance(second.get("required"), list):
        joined["required"] = [*first["required"], *second["required"]]
    return joined


def _text(root: Any, schema: dict[str, Any], pen: Pen, depth: int) -> str | None:
    if schema.get("format") in FORMATS and "pattern" not in schema:
        return FORMATS[schema["format"]]
    text, least, most = pen.text, schema.get("minLength", 0), schema.get("maxLength", LONGEST_TEXT)
    if least > LONGEST_TEXT:
        return None
    return (text * (int(least) // max(len(text), 1) + 1) if len(text) < least else text)[: max(int(most), int(least))]


def _integer(root: Any, schema: dict[str, Any], pen: Pen, depth: int) -> int:
    number = _number(root, schema, pen, depth)
    whole = int(number)
    return whole if whole == number or number < 0 else whole + 1


def _number(root: Any, schema: dict[str, Any], pen: Pen, depth: int) -> float:
    number: float = 1
    number = max([number, *_bounds(schema, "minimum", "exclusiveMinimum", 1)])
    number = min([number, *_bounds(schema, "maximum", "exclusiveMaximum", -1)])
    step = schema.get("multipleOf")
    return -(-number // step) * step if step else number


def _bounds(schema: dict[str, Any], closed: str, open_: str, step: int) -> list[float]:
    bounds = [schema[closed]] if closed in schema else []
    limit = schema.get(open_)
    return bounds if limit is None or isinstance(limit, bool) else [*bounds, limit + step]


def _array(root: Any, schema: dict[str, Any], pen: Pen, depth: int) -> list[Any]:
    items = [_sketch(root, part, pen, depth - 1) for part in schema.get("prefixItems") or ()]
    one = _sketch(root, schema.get("items"), pen, depth - 1)
    least = min(int(schema.get("minItems", 0 if items else 1)), 20)
    return [*items, *([one] if one is not None else []) * max(least - len(items), 0)]


def _object(root: Any, schema: dict[str, Any], pen: Pen, depth: int) -> dict[str, Any]:
    properties = schema.get("properties") or {}
    wanted = [name for name in schema.get("required") or () if name in properties]
    wanted = wanted or [name for name, part in properties.items() if isinstance(part, dict)][:4]
    made = {name: _sketch(root, properties[name], pen, depth - 1) for name in wanted}
    return {name: value for name, value in made.items() if value is not None}


_MAKE: dict[str, Any] = {
    "string": _text, "integer": _integer, "number": _number, "array": _array, "object": _object,
    "boolean": lambda root, schema, pen, depth: True, "null": lambda root, schema, pen, depth: None,
}  # fmt: skip
