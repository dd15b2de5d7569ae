"""Strict mode: schemas as OpenAI's constrained decoding takes them.

Every property is required, optional ones may be null instead (Ares takes a null for a value that was left out),
objects are closed, and keywords outside the subset are left out; Ares itself still checks them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_KEPT = frozenset({
    "type", "description", "title", "enum", "const", "items", "properties", "required", "additionalProperties",
    "anyOf", "$ref", "$defs", "definitions", "pattern", "format", "multipleOf", "minimum", "maximum",
    "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems",
})  # fmt: skip
_SILENT = frozenset({
    "default", "examples", "example", "deprecated", "readOnly", "writeOnly", "$schema", "$id", "$comment",
})  # fmt: skip
_FORMATS = frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"})
_DEEPEST = 10
_MOST_PROPERTIES = 5000


class _NotStrict(Exception):
    """Strict mode can't express the schema."""


def strict_schema(schema: Mapping[str, Any]) -> tuple[dict[str, Any], str, list[str]]:
    """Give the schema for strict mode, why there is none (or no text), and what was left out of it.

    >>> strict_schema({"type": "object", "properties": {"n": {"type": "integer", "default": 1}}})[0]["required"]
    ['n']
    """
    conversion = _Conversion()
    try:
        return conversion.convert(schema, "", 0), "", conversion.lost
    except _NotStrict as problem:
        return {}, str(problem), []


class _Conversion:
    def __init__(self) -> None:
        self.lost: list[str] = []
        self.properties = 0

    def convert(self, schema: Any, where: str, depth: int) -> dict[str, Any]:
        if not isinstance(schema, Mapping) or not schema:
            raise _NotStrict(f"{where or 'the root'} allows anything")
        if depth > _DEEPEST:
            raise _NotStrict(f"{where} is nested deeper than {_DEEPEST} levels")
        schema = self._unfolded(schema, where)
        if "$ref" in schema:
            kept = {"$ref": schema["$ref"]}
            return {**kept, **self._definitions(schema, where)}
        strict = {key: value for key, value in schema.items() if key in _KEPT}
        self._note(schema, where)
        if "format" in strict and strict["format"] not in _FORMATS:
            del strict["format"]
            self.lost.append(f"{where or 'the root'}: the format {schema['format']!r} is left out")
        return {**strict, **self._parts(strict, where, depth), **self._definitions(schema, where)}

    def _unfolded(self, schema: Mapping[str, Any], where: str) -> Mapping[str, Any]:
        """Write ``oneOf`` as ``anyOf``, and what a lone ``allOf`` holds in its place."""
        if "oneOf" in schema and "anyOf" not in schema:
            self.lost.append(f"{where or 'the root'}: oneOf is published as anyOf")
            schema = {**{key: value for key, value in schema.items() if key != "oneOf"}, "anyOf": schema["oneOf"]}
        if "allOf" in schema:
            branches = schema["allOf"]
            if not isinstance(branches, list) or len(branches) != 1 or not isinstance(branches[0], Mapping):
                raise _NotStrict(f"{where or 'the root'} uses allOf")
            schema = {**{key: value for key, value in schema.items() if key != "allOf"}, **branches[0]}
        for keyword in ("patternProperties", "not", "if", "dependentSchemas", "dependentRequired", "prefixItems"):
            if keyword in schema:
                raise _NotStrict(f"{where or 'the root'} uses {keyword}")
        return schema

    def _note(self, schema: Mapping[str, Any], where: str) -> None:
        left_out = sorted(str(key) for key in schema if key not in _KEPT and key not in _SILENT)
        if left_out:
            self.lost.append(f"{where or 'the root'}: {', '.join(left_out)} left out")

    def _parts(self, schema: Mapping[str, Any], where: str, depth: int) -> dict[str, Any]:
        kinds = schema.get("type")
        kinds = kinds if isinstance(kinds, list) else [kinds]
        parts: dict[str, Any] = {}
        if "object" in kinds or "properties" in schema:
            parts |= self._object(schema, where, depth)
        if "array" in kinds or "items" in schema:
            parts["items"] = self.convert(schema.get("items"), f"{where}/items", depth + 1)
        if isinstance(schema.get("anyOf"), list):
            parts["anyOf"] = [self.convert(branch, f"{where}/anyOf", depth + 1) for branch in schema["anyOf"]]
        if not parts and not {"type", "enum", "const"} & set(schema):
            raise _NotStrict(f"{where or 'the root'} has no type")
        return parts

    def _object(self, schema: Mapping[str, Any], where: str, depth: int) -> dict[str, Any]:
        properties = schema.get("properties")
        properties = properties if isinstance(properties, Mapping) else {}
        extra = schema.get("additionalProperties")
        if isinstance(extra, Mapping) or not properties and extra is not False and where:
            raise _NotStrict(f"{where or 'the root'} takes properties of any name")
        if extra is True:
            self.lost.append(f"{where or 'the root'}: takes no further properties")
        self.properties += len(properties)
        if self.properties > _MOST_PROPERTIES:
            raise _NotStrict(f"there are more than {_MOST_PROPERTIES} properties")
        needed = schema.get("required") or ()
        converted = {
            name: self._property(part, f"{where}/{name}", depth, optional=name not in needed)
            for name, part in properties.items()
        }
        return {"properties": converted, "required": list(converted), "additionalProperties": False}

    def _property(self, part: Any, where: str, depth: int, optional: bool) -> dict[str, Any]:
        converted = self.convert(part, where, depth + 1)
        return nullable(converted) if optional else converted

    def _definitions(self, schema: Mapping[str, Any], where: str) -> dict[str, Any]:
        return {
            key: {name: self.convert(part, f"{where}/{key}/{name}", 1) for name, part in schema[key].items()}
            for key in ("$defs", "definitions")
            if isinstance(schema.get(key), Mapping)
        }


def nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """Give a schema that takes null too.

    >>> nullable({"type": "integer"})
    {'type': ['integer', 'null']}
    """
    kinds = schema.get("type")
    if "$ref" in schema or "const" in schema or "type" not in schema and "enum" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    if kinds is not None and kinds != "null" and "null" not in kinds:
        schema = {**schema, "type": [*([kinds] if isinstance(kinds, str) else kinds), "null"]}
        if isinstance(schema.get("enum"), list) and None not in schema["enum"]:
            schema["enum"] = [*schema["enum"], None]
    if isinstance(schema.get("anyOf"), list) and {"type": "null"} not in schema["anyOf"]:
        schema = {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    return schema
