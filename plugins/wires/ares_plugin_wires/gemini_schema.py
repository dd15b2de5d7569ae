"""Schemas in the dialect of Gemini: a part of OpenAPI's, without references, unions of types, or constants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .calls import as_json, mapping, mappings
from .inline import inlined

_KEPT = frozenset({
    "type", "title", "description", "nullable", "default", "minItems", "maxItems", "minProperties", "maxProperties",
    "minLength", "maxLength", "pattern", "minimum", "maximum",
})  # fmt: skip
_HANDLED = frozenset({
    "properties", "required", "items", "anyOf", "oneOf", "enum", "const", "format", "type", "exclusiveMinimum",
    "exclusiveMaximum",
})  # fmt: skip
_SILENT = frozenset({"additionalProperties", "examples", "deprecated", "readOnly", "writeOnly", "discriminator"})
_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number"}
_MOST_TOLD = 30
_SHAPES = {"array": ("items", "minItems", "maxItems"), "object": ("properties", "required")}
_FORMATS = {
    "string": ("enum", "date-time"), "number": ("float", "double"), "integer": ("int32", "int64"),
}  # fmt: skip


def gemini_schema(schema: Mapping[str, Any], lost: list[str]) -> dict[str, Any]:
    """Give the schema in Gemini's dialect.

    >>> gemini_schema({"type": ["string", "null"], "const": "a"}, [])
    {'type': 'string', 'nullable': True, 'enum': ['a']}
    """
    return _convert(inlined(schema, lost), "", lost)


def _convert(schema: Any, where: str, lost: list[str]) -> dict[str, Any]:
    if not isinstance(schema, Mapping):
        return {"type": "string"} if schema is True else {}
    schema = _flat(schema)
    left_out = sorted(str(key) for key in schema if key not in _KEPT | _HANDLED | _SILENT)
    left_out += ["additionalProperties"] if mapping(schema.get("additionalProperties")) else []
    if left_out:
        lost.append(f"{where or 'the root'}: {', '.join(left_out)} left out")
    converted = {key: value for key, value in schema.items() if key in _KEPT and key != "type"}
    converted = {**_kind(schema, where, lost), **_bounds(schema, where, lost), **converted}
    converted |= _values(schema, where, lost)
    converted |= _parts(schema, where, lost)
    if where and not {"type", "anyOf"} & set(converted):
        lost.append(f"{where}: a value of any type is published as text")
        converted = {"type": "string", **converted}
    return _with_format(converted, schema.get("format"), where, lost)


def _flat(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Put what the branches of ``allOf`` say into the schema itself."""
    flat = {key: value for key, value in schema.items() if key != "allOf"}
    for branch in map(_flat, mappings(schema.get("allOf"))):
        properties = {**mapping(branch.get("properties")), **mapping(flat.get("properties"))}
        required = [*(flat.get("required") or ()), *(branch.get("required") or ())]
        flat = {**branch, **flat, **({"properties": properties, "required": required} if properties else {})}
    return flat


def _kind(schema: Mapping[str, Any], where: str, lost: list[str]) -> dict[str, Any]:
    kinds = schema.get("type")
    kinds = [kind for kind in kinds if isinstance(kind, str)] if isinstance(kinds, list) else [kinds] if kinds else []
    named = [kind for kind in kinds if kind != "null"]
    nullable = {"nullable": True} if "null" in kinds else {}
    if len(named) > 1:
        branches = [_convert(_of_kind(schema, kind), where, lost) for kind in named]
        return {"anyOf": branches, **nullable}
    if named:
        return {"type": named[0], **nullable}
    if "properties" in schema:
        return {"type": "object", **nullable}
    return {"type": "array", **nullable} if "items" in schema else nullable


def _of_kind(schema: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Give what a schema says of values of one type."""
    others = {key for other, keys in _SHAPES.items() if other != kind for key in keys}
    return {**{key: value for key, value in schema.items() if key not in others}, "type": kind}


def _bounds(schema: Mapping[str, Any], where: str, lost: list[str]) -> dict[str, Any]:
    """Write bounds that are excluded as the next whole number; of other numbers the bound itself remains."""
    bounds: dict[str, Any] = {}
    for keyword, plain, step in (("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)):
        limit = schema.get(keyword)
        if isinstance(limit, bool) or not isinstance(limit, int | float) or plain in schema:
            continue
        if "integer" in (schema.get("type") or ()) and isinstance(limit, int):
            bounds[plain] = limit + step
        else:
            bounds[plain] = limit
            lost.append(f"{where or 'the root'}: {keyword} is published as {plain}")
    return bounds


def _values(schema: Mapping[str, Any], where: str, lost: list[str]) -> dict[str, Any]:
    """Give the allowed values; there are none but texts, so of others only the type remains."""
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if not isinstance(values, list) or not values:
        return {}
    texts = [value for value in values if isinstance(value, str)]
    null = {"nullable": True} if None in values else {}
    if len(texts) + (None in values) == len(values) and texts:
        return {"type": "string", "enum": texts, **null} if "type" not in schema else {"enum": texts, **null}
    lost.append(f"{where or 'the root'}: the allowed values {values!r:.80} are left out, they are not all texts")
    return {**null, **_told_values(schema, values)}


def _told_values(schema: Mapping[str, Any], values: list[Any]) -> dict[str, Any]:
    """Tell of values that can't be listed in words, and give the type that they share."""
    known = schema.get("description")
    said = f"One of {', '.join(map(as_json, values[:_MOST_TOLD]))}."
    told = {"description": f"{known} {said}" if isinstance(known, str) and known else said}
    kinds = {_TYPES.get(type(value)) for value in values if value is not None}
    kind = next(iter(kinds)) if len(kinds) == 1 else None
    return {**told, "type": kind} if kind and "type" not in schema else told


def _parts(schema: Mapping[str, Any], where: str, lost: list[str]) -> dict[str, Any]:
    parts: dict[str, Any] = {}
    if isinstance(schema.get("type"), list) and len([kind for kind in schema["type"] if kind != "null"]) > 1:
        return parts
    if properties := mapping(schema.get("properties")):
        parts["properties"] = {name: _convert(part, f"{where}/{name}", lost) for name, part in properties.items()}
        if needed := [name for name in schema.get("required") or () if name in properties]:
            parts["required"] = needed
    if "items" in schema or "array" in (schema.get("type") or ()):
        parts["items"] = _convert(schema.get("items", {"type": "string"}), f"{where}/items", lost)
    return parts | _union(schema, where, lost)


def _union(schema: Mapping[str, Any], where: str, lost: list[str]) -> dict[str, Any]:
    """Give ``anyOf``; a branch that is only null makes the rest nullable."""
    found: dict[str, Any] = {}
    branches = mappings(schema.get("anyOf")) or mappings(schema.get("oneOf"))
    others = [branch for branch in branches if branch.get("type") != "null"]
    if len(others) < len(branches):
        found["nullable"] = True
    if len(others) == 1:
        return {**_convert(others[0], where, lost), **found}
    if others and "anyOf" not in schema:
        lost.append(f"{where or 'the root'}: oneOf is published as anyOf")
    return {**found, "anyOf": [_convert(branch, where, lost) for branch in others]} if others else found


def _with_format(converted: dict[str, Any], wanted: Any, where: str, lost: list[str]) -> dict[str, Any]:
    if wanted is None:
        return converted
    if wanted in _FORMATS.get(str(converted.get("type")), ()):
        return {**converted, "format": wanted}
    lost.append(f"{where or 'the root'}: the format {wanted!r} is left out")
    return converted
