"""The part of a schema that issues are about, to show to who has to correct them."""

from __future__ import annotations

from typing import Any

from ares_core.schema.references import resolve
from ares_core.schema.words import show

ROOM = 1_500
"""How long the part about one property may be, in characters of JSON."""
WIDEST = 12


def first_name(pointer: str) -> str | None:
    """Give the argument that a pointer leads into; ``None`` for the arguments as such.

    >>> first_name("/tags/0"), first_name("")
    ('tags', None)
    """
    if not pointer:
        return None
    token = pointer.split("/", 2)[1]
    return token.replace("~1", "/").replace("~0", "~") if "~" in token else token


def excerpt(root: dict[str, Any], properties: dict[str, Any], names: tuple[str | None, ...]) -> dict[str, Any]:
    """Give the schemas of the named properties; of all properties if a name is unknown or ``None``."""
    known = [name for name in names if name in properties][:WIDEST]
    if len(known) < len(names) and len(known) < WIDEST:
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
