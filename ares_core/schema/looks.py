"""How often the parts of a value are looked at where a schema has references.

Alternatives that lead to the same in two ways double that with each level of the value. A verdict doesn't suffer from
it, for the fast engine looks at nothing twice; but faults are found in every way, each with all that is below it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ares_core.schema.references import REFERENCES, reference, same_value, subschemas

INSIDE = ("properties", "additionalProperties", "items", "prefixItems", "additionalItems")
BESIDE = ("patternProperties", "unevaluatedProperties", "contains", "unevaluatedItems")
"""What may look at a part that another keyword looks at too."""
FURTHER = frozenset({
    *REFERENCES, *INSIDE, *BESIDE, "allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas",
})  # fmt: skip


def may_multiply(schema: dict[str, Any]) -> bool:
    """Whether there may be several ways to one part of a value; nearly all schemas have but one to each.

    >>> point = {"properties": {"x": {"type": "number"}}}
    >>> [may_multiply({"anyOf": [point, other]}) for other in ({"type": "null"}, point)]
    [False, True]
    """
    nodes: list[Any] = [schema]
    for node in nodes:
        if _ways(schema, node) > 1:
            return True
        nodes += [part for _, part in subschemas(node) if isinstance(part, dict)]
    return False


def _ways(root: dict[str, Any], node: dict[str, Any]) -> int:
    beside = sum(
        len(node[key]) if key == "patternProperties" else 1 for key in BESIDE if isinstance(node.get(key), dict)
    )
    return sum(map(_goes_on, same_value(root, node))) + any(node.get(key) for key in INSIDE) + beside


def _goes_on(part: Any) -> bool:
    return isinstance(part, dict) and not FURTHER.isdisjoint(part)


def are_many(schema: dict[str, Any], value: Any, most: int) -> bool:
    """Whether finding every fault takes more than ``most`` looks at the parts of a value.

    >>> twice = [{"properties": {"a": {"$ref": "#"}}}, {"properties": {"a": {"$ref": "#"}}, "required": ["b"]}]
    >>> value = 1
    >>> for _ in range(20):
    ...     value = {"a": value}
    >>> are_many({"anyOf": twice}, value, 10_000), are_many({"properties": {"a": {"$ref": "#"}}}, value, 10_000)
    (True, False)
    """
    try:
        return _Count(schema, most).of(schema, value) > most
    except RecursionError:
        return True


class _Count:
    """Counts looks; each subschema is followed into each value once, however often it would be."""

    def __init__(self, root: dict[str, Any], most: int) -> None:
        self._root = root
        self._most = most
        self._known: dict[tuple[int, int], int] = {}

    def of(self, node: Any, value: Any) -> int:
        if not isinstance(node, dict):
            return 1
        key = (id(node), id(value))
        found = self._known.get(key)
        if found is None:
            found = 1
            self._known[key] = self._most  # until it is known
            for part, below in self._next(node, value):
                if found > self._most or len(self._known) > self._most:
                    found = self._most + 1
                    break
                found += self.of(part, below)
            self._known[key] = found
        return found

    def _next(self, node: dict[str, Any], value: Any) -> Iterator[tuple[Any, Any]]:
        for part in same_value(self._root, node):
            yield part, value
        target = reference(node)
        if target is not None and target != "#" and not target.startswith("#/"):
            yield self._root, value  # a name instead of a pointer may be that of the whole
        if type(value) is dict:
            yield from _in_object(node, value)
        elif type(value) is list:
            yield from _in_array(node, value)


def _in_object(node: dict[str, Any], value: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    declared = node.get("properties", {})
    yield from ((declared[name], value[name]) for name in value if name in declared)
    others = [value[name] for name in value if name not in declared]
    for key in ("additionalProperties", "unevaluatedProperties"):
        if isinstance(part := node.get(key), dict):
            yield from ((part, each) for each in others)
    for part in node.get("patternProperties", {}).values():
        yield from ((part, each) for each in value.values())


def _in_array(node: dict[str, Any], value: list[Any]) -> Iterator[tuple[Any, Any]]:
    items = node.get("items")
    first = items if isinstance(items, list) else node.get("prefixItems", [])
    yield from zip(first, value, strict=False)
    for key in ("items", "additionalItems", "unevaluatedItems"):
        if isinstance(part := node.get(key), dict):
            yield from ((part, each) for each in value[len(first) :])
    if "contains" in node:
        yield from ((node["contains"], each) for each in value)


__all__ = ["are_many", "may_multiply"]
