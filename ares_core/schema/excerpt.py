"""The part of a schema that issues are about, to show to who has to correct them."""

from __future__ import annotations

from typing import Any

from ares_core.schema.issues import resolve
from ares_core.schema.pointer import tokens
from ares_core.schema.words import show

ROOM = 1_500
"""How long the part about one property may be, in characters of JSON."""
WIDEST = 12


def excerpt(root: dict[str, Any], properties: dict[str, Any], pointers: tuple[str, ...]) -> dict[str, Any]:
    """Give the schemas of the properties that the pointers lead into; of all properties for the arguments as such."""
    concerned = list(dict.fromkeys(tokens(pointer)[0] for pointer in pointers if pointer))
    known = [name for name in concerned if name in properties][:WIDEST]
    if not known or "" in pointers:
        known = list(dict.fromkeys([*known, *properties]))[:WIDEST]
    part: dict[str, Any] = {"type": "object", "properties": {name: _brief(root, properties[name]) for name in known}}
    required = [name for name in _required(root) if name in known]
    if required:
        part["required"] = required
    return part


def _required(root: dict[str, Any]) -> list[Any]:
    required = root.get("required")
    return required if isinstance(required, list) else []


def _brief(root: dict[str, Any], schema: Any) -> Any:
    """Follow the reference, and leave out what is deep when there is too much of it."""
    target = resolve(root, schema)
    if isinstance(target, dict) and isinstance(schema, dict) and target is not schema:
        target = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
    if not isinstance(target, dict) or len(show(target, ROOM * 2)) <= ROOM:
        return target
    return {key: value for key, value in target.items() if len(show(value, ROOM)) <= ROOM // 4}
