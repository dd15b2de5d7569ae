"""What an author gives as parameters becomes a legal object schema, or is refused in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ares_core.errors import SchemaError
from ares_core.schema.normalise import NotJSON, normalise
from ares_core.schema.pointer import at, tokens
from ares_core.schema.references import check_references
from ares_core.schema.tidy import GeneratedSchema, tidied
from ares_core.schema.words import show


def normalise_root(parameters: Any, tool: str) -> dict[str, Any]:
    """Give a legal object schema, never changing the source.

    Missing, ``{}`` and ``true`` mean an object without declared properties; spellings that leave no doubt are made
    legal (see ``tidied``). Anything else that can't describe an object is a ``SchemaError`` naming the tool.

    >>> normalise_root(None, "ping")
    {'type': 'object', 'properties': {}}
    """
    if type(parameters) is GeneratedSchema:
        return parameters
    if parameters is None or parameters is True:
        return {"type": "object", "properties": {}}
    if hasattr(parameters, "model_json_schema"):
        parameters = parameters.model_json_schema()
    if not isinstance(parameters, Mapping):
        raise SchemaError(
            f"tool {tool!r}: its parameters are {_kind(parameters)}; give a JSON Schema that describes an object, "
            'such as {"type": "object", "properties": {"text": {"type": "string"}}}'
        )
    try:
        root: dict[str, Any] = normalise(parameters)
    except NotJSON as error:
        raise SchemaError(f"tool {tool!r}: its parameters are no JSON: {error.issues[0]}") from None
    root = _tidy(root, tool)
    check_references(root, tool)
    return root


def _kind(value: Any) -> str:
    return f"the text {show(value, 40)}" if isinstance(value, str) else f"of type {type(value).__name__}"


def _tidy(root: dict[str, Any], tool: str) -> dict[str, Any]:
    root = tidied(root)
    kinds = root.get("type", _root_type(root))
    if "object" not in (kinds if isinstance(kinds, list) else [kinds]):
        raise SchemaError(
            f"tool {tool!r}: its parameters have the type {show(kinds)}; arguments are always an object, "
            'so write {"type": "object", "properties": …} and put the value into a property'
        )
    if "$ref" in root and is_old(root):
        root["allOf"] = [{"$ref": root.pop("$ref")}, *root.get("allOf", ())]
    tidy = {"type": "object", **root, **({"type": "object"} if root.get("type", "object") != "object" else {})}
    if "$ref" not in tidy:
        tidy.setdefault("properties", {})
    return tidy


def _root_type(root: dict[str, Any]) -> Any:
    """Follow ``$ref`` from the root to a type; without one, any object will do."""
    part: Any = root
    for _ in range(100):
        if not isinstance(part, dict) or "type" in part or not str(part.get("$ref", "")).startswith("#/"):
            break
        try:
            part = at(root, tokens(part["$ref"]))
        except LookupError:
            break
    return part.get("type", "object") if isinstance(part, dict) else "object"


def is_old(root: Mapping[str, Any]) -> bool:
    """Whether the draft is one in which ``$ref`` hides what stands beside it."""
    return any(f"draft-0{number}" in str(root.get("$schema", "")) for number in (4, 6, 7))
