"""References inside a schema: local ones only, that lead somewhere and end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ares_core.errors import SchemaError
from ares_core.schema.pointer import at, escape, pointer, tokens
from ares_core.schema.words import show

SUBSCHEMAS = (
    "additionalProperties", "items", "contains", "not", "if", "then", "else", "propertyNames", "unevaluatedItems",
    "unevaluatedProperties", "additionalItems", "contentSchema",
)  # fmt: skip
MAPS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies")
LISTS = ("allOf", "anyOf", "oneOf", "prefixItems", "items")
PLAIN = re.compile(r"[\w#/%!$&'()*+,;=:@?.~-]*", re.ASCII)
"""What may stand in a URI as it is."""
REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
LARGEST = 20_000
"""How many subschemas a schema may have."""
MOST_LOOKS = 5_000
"""How many subschemas one value may be put to: references to references double with each step, and so does the time."""


def subschemas(schema: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Give each direct subschema with its path."""
    if not isinstance(schema, dict):
        return
    for key, value in schema.items():
        if key in MAPS and isinstance(value, dict):
            yield from (((key, name), part) for name, part in value.items())
        elif key in LISTS and isinstance(value, list):
            yield from (((key, index), part) for index, part in enumerate(value))
        elif key in SUBSCHEMAS:
            yield (key,), value


def reference(schema: Any) -> str | None:
    """Give the reference that a subschema makes, if any."""
    if not isinstance(schema, dict):
        return None
    return next((schema[key] for key in REFERENCES if isinstance(schema.get(key), str)), None)


def follow(root: Any, target: str) -> Any:
    """Give what a local pointer such as ``#/$defs/Node`` leads to; ``LookupError`` if nothing."""
    return at(root, tokens(target))


def resolve(root: Any, node: Any) -> Any:
    """Follow a subschema's ``$ref`` to what it stands for, if it is local."""
    for _ in range(20):
        target = node.get("$ref") if isinstance(node, dict) else None
        if not isinstance(target, str) or not (target == "#" or target.startswith("#/")):
            break
        try:
            node = follow(root, target)
        except LookupError:
            break
    return node


def node_at(root: dict[str, Any], where: Iterable[str | int]) -> dict[str, Any]:
    """Go down a path through a schema, through each ``$ref`` on the way; ``{}`` if it leads nowhere."""
    node: Any = root
    for token in where:
        if isinstance(node, dict) and token not in node:
            node = resolve(root, node)
        try:
            node = node[token]
        except (LookupError, TypeError):
            return {}
    return node if isinstance(node, dict) else {}


def properties_of(root: Any, node: Any, depth: int = 8) -> dict[str, Any]:
    """Give the properties that a subschema declares, in ``allOf`` and through ``$ref`` too."""
    if not isinstance(node, dict) or depth == 0:
        return {}
    found = dict(node["properties"]) if isinstance(node.get("properties"), dict) else {}
    beside = list(node["allOf"]) if isinstance(node.get("allOf"), list) else []
    if isinstance(node.get("$ref"), str):
        beside.append(resolve(root, node))
    for part in beside:
        found = {**properties_of(root, part, depth - 1), **found}
    return found


def check_references(root: dict[str, Any], tool: str) -> None:
    """Refuse references that are remote, lead nowhere, or lead round in a circle without looking at a value.

    Names that are written out in references, Chinese ones for example, are encoded in place, as a URI wants them.
    """
    parts = dict(_walk(root, tool))
    _encode(parts.values())
    embedded = any(isinstance(part, dict) and "$id" in part for part in parts.values())
    for path, part in parts.items():
        target = reference(part)
        if target is not None and not embedded:
            _check(root, target, f"tool {tool!r}: its schema at {pointer(path) or 'the root'} refers to {show(target)}")
    _check_ends(root, [part for part in parts.values() if isinstance(part, dict)], tool)


def _encode(parts: Iterable[Any]) -> None:
    for part in parts:
        target = part.get("$ref") if isinstance(part, dict) else None
        if isinstance(target, str) and target.startswith("#/") and not PLAIN.fullmatch(target):
            from urllib.parse import quote

            part["$ref"] = quote(target, safe="#/%!$&'()*+,;=:@?", errors="replace")


def _walk(root: dict[str, Any], tool: str) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), root)]
    for _ in range(LARGEST):
        if not waiting:
            return
        path, part = waiting.pop()
        yield path, part
        waiting += [((*path, *step), below) for step, below in subschemas(part)]
    raise SchemaError(f"tool {tool!r}: its schema has more than {LARGEST:,} parts; give it fewer parameters")


def _check(root: dict[str, Any], target: str, said: str) -> None:
    if not target.startswith("#"):
        raise SchemaError(f"{said}, which is not in the schema itself; nothing is fetched, so copy it into $defs")
    if target == "#" or target.startswith("#/"):
        try:
            follow(root, target)
        except LookupError:
            raise SchemaError(f"{said}, which does not exist; add it to $defs") from None


def _check_ends(root: dict[str, Any], parts: list[dict[str, Any]], tool: str) -> None:
    """Look for circles of references and alternatives on one and the same value, and for too many of them."""
    looks: dict[int, int] = {}
    for part in parts:
        trail: list[tuple[Any, Iterator[Any]]] = [(part, same_value(root, part))]
        open_parts = {id(part)}
        while trail:
            current, rest = trail[-1]
            below = next((each for each in rest if isinstance(each, dict) and id(each) not in looks), None)
            if below is None:
                looks[id(current)] = 1 + sum(looks.get(id(each), 1) for each in same_value(root, current))
                if looks[id(current)] > MOST_LOOKS:
                    raise SchemaError(
                        f"tool {tool!r}: its schema puts one value to more than {MOST_LOOKS:,} subschemas; give it "
                        "fewer alternatives, or fewer references from one to the next"
                    )
                open_parts.discard(id(current))
                trail.pop()
            elif id(below) in open_parts:
                raise SchemaError(f"tool {tool!r}: its schema has a $ref that leads back to itself without end")
            else:
                open_parts.add(id(below))
                trail.append((below, same_value(root, below)))


def same_value(root: dict[str, Any], part: Any) -> Iterator[Any]:
    """Give the subschemas that apply to the very value that ``part`` applies to."""
    if not isinstance(part, dict):
        return
    target = reference(part)
    if target is not None and (target == "#" or target.startswith("#/")):
        try:
            yield follow(root, target)
        except LookupError:
            pass
    for key in ("allOf", "anyOf", "oneOf"):
        if isinstance(part.get(key), list):
            yield from part[key]
    if isinstance(part.get("dependentSchemas"), dict):
        yield from part["dependentSchemas"].values()
    for key in ("not", "if", "then", "else"):
        if key in part:
            yield part[key]


def find_secrets(root: dict[str, Any]) -> tuple[str, ...]:
    """Give pointers to what is ``writeOnly`` or of the format ``password``; ``*`` stands for any item or key.

    >>> find_secrets({"properties": {"user": {}, "key": {"writeOnly": True}}})
    ('/key',)
    """
    found: list[str] = []
    waiting: list[tuple[str, Any, frozenset[int]]] = [("", root, frozenset())]
    for _ in range(LARGEST):
        if not waiting:
            break
        path, part, above = waiting.pop()
        if not isinstance(part, dict) or id(part) in above:
            continue
        if part.get("writeOnly") is True or part.get("format") == "password":
            found.append(path)
        waiting += [(f"{path}{step}", below, above | {id(part)}) for step, below in _values(root, part)]
    return tuple(dict.fromkeys(reversed(found)))


def _values(root: dict[str, Any], part: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Give each subschema with the step that leads to the value it is about."""
    target = reference(part)
    if target is not None and target.startswith("#/"):
        try:
            yield "", follow(root, target)
        except LookupError:
            pass
    for step, below in subschemas(part):
        if step[0] == "properties":
            yield f"/{escape(str(step[1]))}", below
        elif step[0] in ("items", "prefixItems", "additionalProperties", "patternProperties", "contains"):
            yield "/*", below
        elif step[0] in ("allOf", "anyOf", "oneOf", "then", "else", "dependentSchemas"):
            yield "", below
