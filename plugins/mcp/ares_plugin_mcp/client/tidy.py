"""Making what servers send fit to be read: one bad entry must not cost the whole message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Note = Callable[[str], None]
HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
TASKS = ("forbidden", "optional", "required")
MOST_TOOLS = 5_000
TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")
OUTPUT = "ares/outputSchema"
"""Where an output schema is kept from the SDK, which would throw away every answer that doesn't fit it."""


def tidy(result: dict[str, Any], note: Note) -> None:
    """Mend the result of a request in place, such as a listing of tools."""
    if isinstance(result.get("tools"), list):
        result["tools"] = tidy_tools(result["tools"], note)
        if not isinstance(result.get("nextCursor", ""), str):
            del result["nextCursor"]
    if isinstance(result.get("task"), dict):
        result.setdefault("content", [])  # so that the SDK, which knows no tasks, takes it for the answer of a call


def mend_hello(result: dict[str, Any]) -> None:
    """Mend what a server says of itself, in place; which version it speaks nobody can know for it.

    >>> result = {"capabilities": {"tools": True, "logging": None}}
    >>> mend_hello(result)
    >>> result
    {'capabilities': {'tools': {}}, 'serverInfo': {'name': '', 'version': ''}}
    """
    said = result.get("capabilities")
    parts = said.items() if isinstance(said, dict) else ()
    result["capabilities"] = {name: part if isinstance(part, dict) else {} for name, part in parts if part}
    result["capabilities"] |= {name: part for name, part in parts if part == {}}
    about = result.get("serverInfo")
    told = about if isinstance(about, dict) else {}
    texts = {key: told[key] for key in ("name", "version", "title") if isinstance(told.get(key), str)}
    result["serverInfo"] = {"name": "", "version": ""} | texts
    if not isinstance(result.get("instructions", ""), str):
        del result["instructions"]


def tidy_tools(entries: list[Any], note: Note) -> list[dict[str, Any]]:
    """Give the tools that can be used; of each other one, a note says why not."""
    found: dict[str, dict[str, Any]] = {}
    for entry in entries[:MOST_TOOLS]:
        name = entry.get("name") if isinstance(entry, dict) else None
        if not isinstance(name, str) or not name.strip():
            note("a tool without a name is left out")
        elif name in found:
            note(f"tool {name!r:.80} is listed twice; the first is used")
        elif (trouble := schema_trouble(entry.get("inputSchema"))) is not None:
            note(f"tool {name!r:.80} is left out: {trouble}")
        else:
            found[name] = _definition(entry)
    if len(entries) > MOST_TOOLS:
        note(f"it lists {len(entries)} tools at once; the first {MOST_TOOLS} are used")
    return list(found.values())


def schema_trouble(schema: Any) -> str | None:
    """Say what is wrong with the root of a tool's schema; what lies below is checked when the tool is taken in.

    >>> schema_trouble({"type": "array"})
    "its inputSchema has the type 'array', not object"
    """
    if not isinstance(schema, dict):
        return f"its inputSchema is {schema!r:.40}, no object"
    kind = schema.get("type", "object")
    if kind != "object" and not (isinstance(kind, list) and "object" in kind):
        return f"its inputSchema has the type {kind!r:.40}, not object"
    return None


def mend_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Mend the root of a schema in what servers get wrong often, and what the SDK would refuse the whole list for.

    >>> mend_schema({"properties": {"coin": {}, "required": ["coin"]}})
    {'type': 'object', 'properties': {'coin': {}}, 'required': ['coin']}
    """
    sound = {key: value for key, value in schema.items() if value is not None or key == "default"}
    sound = {"type": "object", **sound} | {"type": "object"}
    properties = _properties(sound.pop("properties", {}))
    required = sound.pop("required", None)
    if isinstance(properties.get("required"), list):  # it was written one level too deep
        required = required or properties.pop("required")
    names = [required] if isinstance(required, str) else required
    if properties or "properties" in schema:
        sound["properties"] = {name: part for name, part in properties.items() if isinstance(part, dict | bool)}
    if isinstance(names, list) and (found := [name for name in names if isinstance(name, str)]):
        sound["required"] = found
    for key, kind in (("$schema", str), ("$defs", dict), ("definitions", dict), ("$ref", str)):
        if not isinstance(sound.get(key, kind()), kind):
            del sound[key]
    return sound


def _properties(given: Any) -> dict[str, Any]:
    if isinstance(given, list):
        return {name: {} for name in given if isinstance(name, str)}
    if not isinstance(given, dict):
        return {}
    return {name: _property(part) for name, part in given.items()}


def _property(part: Any) -> Any:
    if isinstance(part, str) and part in TYPES:
        return {"type": part}
    return {} if part is None else part


def _definition(entry: dict[str, Any]) -> dict[str, Any]:
    """Leave out what can't be read; the parts that count are text, objects and truth values."""
    tool = {"name": entry["name"], "inputSchema": mend_schema(entry["inputSchema"])}
    for part in ("title", "description"):
        if isinstance(entry.get(part), str):
            tool[part] = entry[part]
    hints = entry.get("annotations")
    if isinstance(hints, dict):
        tool["annotations"] = {hint: hints[hint] for hint in HINTS if isinstance(hints.get(hint), bool)}
    execution = entry.get("execution")
    if isinstance(execution, dict) and execution.get("taskSupport") in TASKS:
        tool["execution"] = {"taskSupport": execution["taskSupport"]}
    output = entry.get("outputSchema")
    if isinstance(output, dict) and output.get("type") == "object":
        tool["_meta"] = {OUTPUT: output}
    return tool
