"""The tool ``json_tools``: parse, validate, pretty-print, query, merge, patch and compare JSON, without loss."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ares_core import Capability, Effects, Result, Tool, ToolContext, hookimpl

LONGEST = 2_000_000
QUICK = 10_000
"""Up to how many characters a text is worked on at once, not in a thread."""
PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "operation": {
            "type": "string",
            "enum": ["parse", "validate", "pretty", "query", "merge", "patch", "diff", "prettify", "format", "get"],
            "description": "parse; validate (where is the fault?); pretty (indent; also prettify, format); query (by "
            "'query' or 'pointer'; also get); merge 'other' into data (RFC 7396: null takes a key away); patch (RFC "
            "6902, 'patch'); diff (a patch that turns data into 'other').",
        },
        "data": {
            "maxLength": LONGEST,
            "description": "The document: JSON as text, which keeps every digit, or the value itself.",
        },
        "text": {"maxLength": LONGEST, "description": "Another name of 'data'."},
        "document": {"maxLength": LONGEST, "description": "Another name of 'data'."},
        "query": {
            "type": "string",
            "maxLength": 1_000,
            "description": "For query: a JSONPath (RFC 9535) such as $.book[?@.price < 10].title, or a JSON Pointer "
            "such as /book/0/title. book.title is short for $.book.title.",
        },
        "pointer": {
            "type": "string",
            "maxLength": 10_000,
            "description": "For query instead of 'query': a JSON Pointer (RFC 6901); \"\" is the whole document.",
        },
        "path": {"type": "string", "maxLength": 10_000, "description": "Another name of 'query' and 'pointer'."},
        "patch": {
            "type": ["array", "object", "string"],
            "maxLength": LONGEST,
            "description": 'For patch: a JSON Patch, such as [{"op": "add", "path": "/a", "value": 1}], also '
            "as text. Either all operations are done or none.",
        },
        "other": {
            "maxLength": LONGEST,
            "description": "For merge: what is merged into data. For diff: what data is compared with. Text or value.",
        },
        "indent": {
            "type": "integer",
            "minimum": 0,
            "maximum": 8,
            "description": "For pretty: blanks for each level; 2 if left out.",
        },
    },
    "required": ["operation"],
    # Not "anyOf": providers refuse it at the top level, and its error would not name what is missing.
    "if": {"not": {"anyOf": [{"required": ["text"]}, {"required": ["document"]}]}},
    "then": {"required": ["data"]},
    "additionalProperties": False,
}
EXAMPLES = (
    {"operation": "pretty", "data": '{"name":"test","value":42}'},
    {"operation": "query", "data": {"book": [{"price": 8, "title": "A"}]}, "query": "$.book[?@.price < 10].title"},
    {"operation": "merge", "data": {"a": 1, "b": 2}, "other": {"b": None, "c": 3}},
    {"operation": "patch", "data": [1, 2], "patch": [{"op": "add", "path": "/-", "value": 3}]},
    {"operation": "diff", "data": {"a": 1}, "other": {"a": 2}},
)
DESCRIPTION = (
    "Work on JSON without losing anything: numbers keep their digits, keys their order, and a key that comes twice is "
    "reported. Parse, validate with line and column of the fault, pretty-print, query by JSONPath or JSON Pointer, "
    "merge, patch, compare."
)


async def execute(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
    """Run one operation; what may take long is done in a thread."""
    from ares_plugin_json.operations import run, with_usual_names

    arguments = with_usual_names(arguments)
    data = arguments["data"]
    if isinstance(data, str) and len(data) <= QUICK and len(arguments) == 2:
        return run(arguments)
    import asyncio

    return await asyncio.to_thread(run, arguments)


@hookimpl
def register_tools() -> list[Tool]:
    """Bring ``json_tools``."""
    return [
        Tool(
            "json_tools",
            DESCRIPTION,
            PARAMETERS,
            execute,
            capabilities=("JSONProcessing",),
            effects=Effects(read_only=True, destructive=False, idempotent=True, open_world=False),
            examples=EXAMPLES,
            cost=1,
            latency_ms=1,
            deterministic=True,
        )
    ]


@hookimpl
def declare_capabilities() -> list[Capability]:
    """Declare JSON processing: from JSON to JSON."""
    aliases = ("json", "parse", "pretty", "pretty-print", "jsonpath", "merge", "patch", "marshal", "unmarshal")
    return [Capability("JSONProcessing", aliases=aliases, inputs=("JSON", "Text"), outputs=("JSON", "Text"))]


@hookimpl
def format_result(result: Result) -> str | None:
    """Give the JSON itself, with what there is to say of it."""
    if not result.success:
        return None
    from ares_plugin_json.shown import words

    return words(result.data)
