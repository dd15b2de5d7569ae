"""Schemas in the dialect of Gemini: a part of OpenAPI's, without references, unions of types, or constants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .calls import mapping, mappings
from .inline import inlined

_KEPT = frozenset({
    "type", "title", "description", "nullable", "default", "minItems", "maxItems", "minProperties", "maxProperties",
    "minLength", "maxLength", "pattern", "minimum", "maximum",
})  # fmt: skip
_HANDLED = frozenset({"properties", "required", "items", "anyOf", "oneOf", "enum", "const", "format", "type"})
_SILENT = frozenset({"additionalProperties", "examples", "deprecated", "readOnly", "writeOnly", "discriminator"})
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
    converted = {**_kind(schema, where, lost), **converted, **_values(schema, where, lost)}
    converted |= _parts(schema, where, lost)
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
        branches = [_convert({**schema, "type": kind}, where, lost) for kind in named]
        return {"anyOf": branches, **nullable}
    if named:
        return {"type": named[0], **nullable}
    if "properties" in schema:
        return {"type": "object", **nullable}
    return {"type": "array", **nullable} if "items" in schema else nullable


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
    return null


def _parts(schema: Mapping[str, Any], where: str, lost: list[str]) -> dict[str, Any]:
    parts: dict[str, Any] = {}
    if isinstance(schema.get("type"), list) and len([kind for kind in schema["type"] if kind != "null"]) > 1:
        return parts
    if properties := mapping(schema.get("properties")):
        parts["properties"] = {name: _convert(part, f"{where}/{name}", lost) for name, part in properties.items()}
        if needed := [name for name in schema.get("required") or () if name in properties]:
            parts["required"] = needed
    if "items" in schema or schema.get("type") == "array":
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
