"""Making what servers send fit to be read: one bad entry must not cost the whole message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Note = Callable[[str], None]
KINDS = frozenset({"text", "image", "audio", "resource", "resource_link"})
HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
TASKS = ("forbidden", "optional", "required")
MOST_TOOLS = 5_000


def tidy(result: dict[str, Any], note: Note) -> None:
    """Mend the result of a request in place: a listing of tools, or what a tool gave."""
    if isinstance(result.get("tools"), list):
        result["tools"] = tidy_tools(result["tools"], note)
        if not isinstance(result.get("nextCursor", ""), str):
            del result["nextCursor"]
    if isinstance(result.get("task"), dict):
        result.setdefault("content", [])  # so that the SDK, which knows no tasks, takes it for the answer of a call
    if isinstance(result.get("content"), list):
        result["content"] = [_content(block) for block in result["content"]]


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
    if schema.get("type", "object") != "object":
        return f"its inputSchema has the type {schema['type']!r:.40}, not object"
    return None


def _definition(entry: dict[str, Any]) -> dict[str, Any]:
    """Leave out what can't be read; the parts that count are text, objects and truth values."""
    schema = {key: value for key, value in entry["inputSchema"].items() if value is not None or key == "default"}
    tool = {"name": entry["name"], "inputSchema": {"type": "object", **schema}}
    for part in ("title", "description"):
        if isinstance(entry.get(part), str):
            tool[part] = entry[part]
    output = entry.get("outputSchema")
    if isinstance(output, dict) and output.get("type") == "object":
        tool["outputSchema"] = output
    hints = entry.get("annotations")
    if isinstance(hints, dict):
        tool["annotations"] = {hint: hints[hint] for hint in HINTS if isinstance(hints.get(hint), bool)}
    execution = entry.get("execution")
    if isinstance(execution, dict) and execution.get("taskSupport") in TASKS:
        tool["execution"] = {"taskSupport": execution["taskSupport"]}
    if isinstance(entry.get("_meta"), dict):
        tool["_meta"] = entry["_meta"]
    return tool


def _content(block: Any) -> Any:
    if isinstance(block, dict) and block.get("type") in KINDS:
        return block
    kind = block.get("type") if isinstance(block, dict) else type(block).__name__
    return {"type": "text", "text": f"[unsupported content: {kind!s:.60}]"}
