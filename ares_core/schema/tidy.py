"""Spellings that are no JSON Schema and leave no doubt: made legal, so that a tool is not lost for them.

Generators write ``null`` where they mean "not said", ``[]`` for an object without keys, ``required`` right in a
property, lists of items as older drafts have them, types in capitals, and OpenAPI's ``nullable``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ares_core.schema.references import LARGEST, LISTS, MAPS, SUBSCHEMAS

VALUES = frozenset({"default", "const", "enum", "examples"})
"""What holds values, in which ``null`` is one."""
TYPES = frozenset({"object", "array", "string", "integer", "number", "boolean", "null"})
OLD = ("draft-03", "draft-04", "draft-06", "draft-07", "2019-09")
BOUNDS = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}


class GeneratedSchema(dict[str, Any]):
    """A schema that Ares made itself from a function: known to be legal, so not checked again."""

    __slots__ = ()


def tidied(schema: Mapping[str, Any], everywhere: bool = False) -> Any:
    """Give the schema without such spellings: the very same one if it has none.

    ``everywhere`` writes it in the newest draft, and says of every array that it has items, as providers want it.

    >>> tidied({"type": "object", "properties": {"a": {"type": "STRING", "description": None, "required": True}}})
    {'type': 'object', 'properties': {'a': {'type': 'string'}}, 'required': ['a']}
    """
    said = str(schema.get("$schema", ""))
    is_old = any(draft in said for draft in OLD)
    tidy = _Tidy(everywhere, is_old).part(schema)
    if everywhere and is_old and "$schema" in tidy:
        tidy = {key: value for key, value in tidy.items() if key != "$schema"}
    return tidy


def published(parameters: Any) -> Any:
    """Give parameters as providers take them."""
    if type(parameters) is GeneratedSchema and not any(map(_lacks_items, parameters["properties"].values())):
        return parameters
    return tidied(parameters, everywhere=True) if isinstance(parameters, Mapping) else parameters


def _lacks_items(part: dict[str, Any]) -> bool:
    """Whether an array in it does not say that it has items, which Ares leaves out for ``list``."""
    if _is_array(part.get("type")):
        return not isinstance(part.get("items"), dict) or _lacks_items(part["items"])
    below = [*part.get("anyOf", ()), *part.get("properties", {}).values(), part.get("additionalProperties")]
    return any(_lacks_items(each) for each in below if isinstance(each, dict))


class _Tidy:
    def __init__(self, everywhere: bool, is_old: bool) -> None:
        self.is_new = everywhere or not is_old
        self.everywhere = everywhere
        self.left = LARGEST

    def part(self, part: Any, depth: int = 0) -> Any:
        """Give a subschema, the very same one if nothing is to be done."""
        self.left -= 1
        if not isinstance(part, Mapping) or depth > 128 or self.left < 0:
            return part
        made = {key: self._value(key, value, depth) for key, value in part.items()}
        tidy = self._plain(made)
        return part if len(tidy) == len(part) and all(tidy.get(key, tidy) is part[key] for key in part) else tidy

    def _value(self, key: str, value: Any, depth: int) -> Any:
        if key in MAPS:
            return self._map(value, depth)
        if key in LISTS and isinstance(value, list | tuple):
            made = [self.part(each, depth + 1) for each in value]
            return value if all(new is old for new, old in zip(made, value, strict=True)) else made
        if key in SUBSCHEMAS:
            return self.part(value, depth + 1)
        return value

    def _map(self, parts: Any, depth: int) -> Any:
        if isinstance(parts, list | tuple) and not parts:
            return {}
        if not isinstance(parts, Mapping):
            return parts
        made = {name: {} if part is None else self.part(part, depth + 1) for name, part in parts.items()}
        return parts if all(made[name] is parts[name] for name in parts) else made

    def _plain(self, part: dict[str, Any]) -> dict[str, Any]:
        part = {key: value for key, value in part.items() if value is not None or key in ("default", "const")}
        if isinstance(part.get("properties"), Mapping):
            part = _with_required(part)
        elif isinstance(part.get("required"), list):
            part["required"] = _once(part["required"])
        kinds = part.get("type")
        if isinstance(kinds, str) and kinds not in TYPES and kinds.lower() in TYPES:
            part["type"] = kinds.lower()
        if self.is_new:
            part = _in_new_draft(part)
        if self.everywhere and _is_array(part.get("type")) and not isinstance(part.get("items"), Mapping):
            part["items"] = {}
        return _with_null(part)


def _once(names: list[Any]) -> list[Any]:
    """Give each name once; the very same list if none comes twice."""
    texts = [name for name in names if isinstance(name, str)]
    return names if len(texts) < len(names) or len(set(texts)) == len(texts) else list(dict.fromkeys(texts))


def _with_required(part: dict[str, Any]) -> dict[str, Any]:
    """Move ``required: true`` out of properties into the list of the object."""
    said = {name: each for name, each in part["properties"].items() if _says_required(each)}
    if said:
        bare = {name: {key: value for key, value in each.items() if key != "required"} for name, each in said.items()}
        part["properties"] = {**part["properties"], **bare}
    known = part.get("required")
    if known is None or isinstance(known, list):
        names = _once([*(known or ()), *(name for name, each in said.items() if each["required"])])
        if names != (known or []):
            part["required"] = names
    return part


def _says_required(part: Any) -> bool:
    return isinstance(part, Mapping) and isinstance(part.get("required"), bool)


def _in_new_draft(part: dict[str, Any]) -> dict[str, Any]:
    if isinstance(part.get("items"), list | tuple) and "prefixItems" not in part:
        rest = {"items": part["additionalItems"]} if "additionalItems" in part else {}
        named = {key: value for key, value in part.items() if key not in ("items", "additionalItems")}
        part = {**named, "prefixItems": list(part["items"]), **rest}
    for keyword, plain in BOUNDS.items():
        if isinstance(part.get(keyword), bool):
            is_exclusive = part.pop(keyword)
            if is_exclusive and plain in part:
                part[keyword] = part.pop(plain)
    return part


def _is_array(kinds: Any) -> bool:
    return kinds == "array" or isinstance(kinds, list) and "array" in kinds


def _with_null(part: dict[str, Any]) -> dict[str, Any]:
    """Write ``nullable: true`` as the type that it stands for."""
    kinds = part.get("type")
    if part.get("nullable") is not True or not isinstance(kinds, str) or kinds == "null":
        return part
    plain = {key: value for key, value in part.items() if key != "nullable"}
    options = {"enum": [*part["enum"], None]} if isinstance(part.get("enum"), list) and None not in part["enum"] else {}
    return {**plain, "type": [kinds, "null"], **options}
