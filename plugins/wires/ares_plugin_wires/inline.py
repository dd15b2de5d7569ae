"""Schemas without references, for dialects that have none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .schemas import pointed_at

_MOST_PARTS = 10_000
_DEEPEST = 64


def inlined(schema: Mapping[str, Any], lost: list[str]) -> dict[str, Any]:
    """Put what references stand for in their place; one that comes back to itself becomes any object.

    >>> inlined({"properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "integer"}}}, [])
    {'properties': {'a': {'type': 'integer'}}}
    """
    return _Inlining(schema, lost).part(schema, (), 0)


class _Inlining:
    def __init__(self, root: Mapping[str, Any], lost: list[str]) -> None:
        self.root = root
        self.lost = lost
        self.left = _MOST_PARTS

    def part(self, schema: Mapping[str, Any], inside: tuple[str, ...], depth: int) -> dict[str, Any]:
        self.left -= 1
        reference = schema.get("$ref")
        if isinstance(reference, str):
            return self._referred(schema, reference, inside, depth)
        return {
            key: self._value(key, value, inside, depth)
            for key, value in schema.items()
            if key not in ("$defs", "definitions", "$schema", "$id", "$anchor", "$comment")
        }

    def _referred(
        self, schema: Mapping[str, Any], reference: str, inside: tuple[str, ...], depth: int
    ) -> dict[str, Any]:
        target = pointed_at(self.root, reference)
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        if reference in inside or depth > _DEEPEST or self.left <= 0 or not isinstance(target, Mapping):
            self.lost.append(f"the reference {reference} is published as any object")
            return {"type": "object", **{key: value for key, value in beside.items() if key == "description"}}
        return self.part({**target, **beside}, (*inside, reference), depth + 1)

    def _value(self, key: str, value: Any, inside: tuple[str, ...], depth: int) -> Any:
        if key in ("properties", "patternProperties", "dependentSchemas") and isinstance(value, Mapping):
            return {name: self._schema(part, inside, depth) for name, part in value.items()}
        if key in ("anyOf", "oneOf", "allOf", "prefixItems") and isinstance(value, list):
            return [self._schema(part, inside, depth) for part in value]
        if key in ("items", "additionalProperties", "not", "contains", "if", "then", "else"):
            return self._schema(value, inside, depth)
        return value

    def _schema(self, part: Any, inside: tuple[str, ...], depth: int) -> Any:
        if isinstance(part, Mapping) and depth <= _DEEPEST and self.left > 0:
            return self.part(part, inside, depth + 1)
        return part if not isinstance(part, Mapping) else {"type": "object"}
