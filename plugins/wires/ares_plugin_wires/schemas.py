"""Schemas as every provider wants them: an object at the root, nothing that the root may not have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from ares_core import Definition

from .calls import mapping, mappings
from .strict import strict_schema

_COMPOSED = ("anyOf", "oneOf", "allOf")
_NOT_AT_ROOT = frozenset({*_COMPOSED, "$ref", "enum", "const", "not", "if", "then", "else", "nullable"})
_JUMPS = 32


def publish(tools: Sequence[Definition], strict: bool) -> tuple[list[dict[str, Any]], list[str]]:
    """Give name, description and parameters of each tool, and what could not be carried over.

    With ``strict`` each tool says whether it is: one whose schema strict mode can't express is published as it is.
    """
    items: list[dict[str, Any]] = []
    lost: list[str] = []
    for tool in tools:
        notes: list[str] = []
        schema = object_schema(tool.parameters, notes)
        item: dict[str, Any] = {"name": tool.name, "description": tool.description, "parameters": schema}
        if strict:
            converted, problem, dropped = strict_schema(schema)
            item |= {"parameters": converted, "strict": True} if not problem else {"strict": False}
            notes += [f"strict mode is off: {problem}"] if problem else dropped
        items.append(item)
        lost += [f"{tool.name}: {note}" for note in notes]
    return items, lost


def within(items: list[dict[str, Any]], most: int) -> tuple[list[dict[str, Any]], list[str]]:
    """Keep descriptions within what a provider takes: the rest goes to the parameters, whose own have no such limit."""
    kept = [_within(item, most) if len(item["description"]) > most else item for item in items]
    long = (item["name"] for item in items if len(item["description"]) > most)
    return kept, [f"{name}: only the first {most} characters of its description are there" for name in long]


def _within(item: dict[str, Any], most: int) -> dict[str, Any]:
    description = item["description"]
    head = description[: most - 1]
    head = head.rsplit(None, 1)[0] if " " in head[most // 2 :] else head
    parameters = item["parameters"]
    rest = {"description": f"…{description[len(head) :]}"} if "description" not in parameters else {}
    return {**item, "description": f"{head}…", "parameters": {**parameters, **rest}}


def too_many(tools: Sequence[Definition], most: int) -> list[str]:
    """Say so if a request takes fewer tools than there are."""
    return [f"there are {len(tools)} tools, and a request takes at most {most}"] if len(tools) > most else []


def object_schema(parameters: Any, lost: list[str]) -> dict[str, Any]:
    """Give the schema as an object schema; the very same one if it is one already.

    >>> object_schema({"properties": None, "required": None}, [])
    {'properties': {}, 'type': 'object'}
    """
    if isinstance(parameters, dict) and _is_sound(parameters):
        return parameters
    if not isinstance(parameters, Mapping):
        return {"type": "object", "properties": {}}
    root, unfolded = _unfolded(dict(parameters))
    if unfolded:
        lost.append(f"{', '.join(unfolded)} at the root: merged into one list of properties")
    schema = {key: value for key, value in root.items() if key not in _NOT_AT_ROOT}
    if dropped := sorted(key for key in root if key in _NOT_AT_ROOT - {*_COMPOSED, "$ref", "nullable"}):
        lost.append(f"{', '.join(dropped)} at the root left out; Ares still checks them")
    if root.get("type", "object") != "object" and "object" not in (root.get("type") or ()):
        lost.append(f"the root is of type {root.get('type')!r}, not an object; published without parameters")
        return {"type": "object", "properties": {}}
    return _tidy({**schema, "type": "object"})


def _is_sound(schema: dict[str, Any]) -> bool:
    required = schema.get("required", [])
    return (
        schema.get("type") == "object" and isinstance(schema.get("properties"), dict)
        and isinstance(required, list) and _NOT_AT_ROOT.isdisjoint(schema)
    )  # fmt: skip


def _tidy(schema: dict[str, Any]) -> dict[str, Any]:
    properties = {str(name): part for name, part in mapping(schema.get("properties")).items()}
    tidy = {**schema, "properties": properties}
    required = schema.get("required")
    if isinstance(required, list | tuple) and (names := [name for name in required if isinstance(name, str)]):
        tidy["required"] = names
    else:
        tidy.pop("required", None)
    return tidy


def _unfolded(root: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Put what a reference and a composition at the root stand for into the root itself."""
    for _ in range(_JUMPS):
        if not isinstance(root.get("$ref"), str):
            break
        target = pointed_at(root, root["$ref"])
        root = {**{key: value for key, value in root.items() if key != "$ref"}, **mapping(target)}
    composed = [key for key in _COMPOSED if mappings(root.get(key))]
    for key in composed:
        root = _merged(root, [_followed(root, branch) for branch in mappings(root[key])], every=key == "allOf")
    return root, composed


def _followed(root: Mapping[str, Any], branch: Mapping[str, Any]) -> Mapping[str, Any]:
    for _ in range(_JUMPS):
        if not isinstance(branch.get("$ref"), str):
            break
        branch = mapping(pointed_at(root, branch["$ref"]))
    return branch


def _merged(root: dict[str, Any], branches: list[Mapping[str, Any]], every: bool) -> dict[str, Any]:
    properties = dict(mapping(root.get("properties")))
    for branch in branches:
        for name, part in mapping(branch.get("properties")).items():
            properties.setdefault(name, part)
    lists = [[name for name in branch.get("required") or () if isinstance(name, str)] for branch in branches]
    shared = set().union(*lists) if every else set(lists[0]).intersection(*lists[1:])
    required = list(dict.fromkeys([*(root.get("required") or ()), *sorted(shared)]))
    return {**root, "type": root.get("type", "object"), "properties": properties, "required": required}


def pointed_at(root: Mapping[str, Any], reference: str) -> Any:
    """Give what a local reference points to, or ``None``.

    >>> pointed_at({"$defs": {"a/b": {"type": "integer"}}}, "#/$defs/a~1b")
    {'type': 'integer'}
    """
    if not reference.startswith("#"):
        return None
    value: Any = root
    for token in (part.replace("~1", "/").replace("~0", "~") for part in unquote(reference[1:]).split("/")[1:]):
        if isinstance(value, Mapping):
            value = value.get(token)
        elif isinstance(value, list) and token.isdecimal() and int(token[:9]) < len(value):
            value = value[int(token[:9])]
        else:
            return None
    return value
