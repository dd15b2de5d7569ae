"""The tool ``string_utils``: text operations that count the characters a person sees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ares_core import Capability, Effects, Result, Tool, ToolContext, counted, hookimpl

LONGEST_TEXT = 1_000_000
QUICK_LENGTH = 20_000
OPERATIONS = (
    "upper", "lower", "title", "capitalize", "trim", "split", "join", "length", "reverse", "substring", "replace",
    "repeat", "contains", "starts_with", "ends_with", "count", "pad", "truncate",
)  # fmt: skip


def _text(description: str, longest: int = LONGEST_TEXT) -> dict[str, Any]:
    return {"type": "string", "maxLength": longest, "description": description}


def _number(description: str) -> dict[str, Any]:
    return {"type": "integer", "minimum": 0, "maximum": LONGEST_TEXT, "description": description}


PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "operation": {
            "type": "string",
            "enum": list(OPERATIONS),
            "description": "What to do. join puts 'join_items' together; every other operation works on 'input'.",
        },
        "input": _text("The text; may be empty."),
        "text": _text("Another name of 'input'."),
        "delimiter": _text(
            "For split and join (a comma if left out); an empty one splits into single characters.", 1000
        ),
        "join_items": {
            "anyOf": [
                {"type": "array", "maxItems": 10_000, "items": {"type": "string", "maxLength": LONGEST_TEXT}},
                {"type": "string", "maxLength": LONGEST_TEXT},
            ],
            "description": "For join: a list, or a text with commas between the items.",
        },
        "start": _number("For substring: the first character, counted from 0 (0 if left out)."),
        "end": _number("For substring: the character before which it ends; the end of the text if left out."),
        "old": _text("For replace: what to look for, exactly.", 10_000),
        "new": _text("For replace: what to put in its place; deletes if empty or left out."),
        "search": _text("For contains, starts_with, ends_with and counting occurrences: what to look for, exactly."),
        "unit": {
            "type": "string",
            "enum": ["words", "lines", "characters", "occurrences"],
            "description": "For count and length. Words have white space between them; occurrences (the default when "
            "'search' is given) don't overlap; otherwise words is the default.",
        },
        "length": _number("In characters. For truncate: at most; for pad: at least; for substring: instead of 'end'."),
        "times": _number("For repeat: how often."),
        "suffix": _text("For truncate: put at the end of a text that was cut, within 'length'.", 100),
        "fill": _text("For pad: one character to fill up with (a blank if left out).", 50),
        "side": {
            "type": "string",
            "enum": ["start", "end", "both"],
            "description": "For trim (default both) and pad (default end): where.",
        },
    },
    "required": ["operation"],
    # Not "anyOf": providers refuse it at the top level, and its error would not name what is missing.
    "if": {"properties": {"operation": {"const": "join"}}, "required": ["operation"]},
    "then": {"required": ["join_items"]},
    "else": {"if": {"not": {"required": ["text"]}}, "then": {"required": ["input"]}},
    "additionalProperties": False,
}
EXAMPLES = (
    {"operation": "upper", "input": "hello world"},
    {"operation": "count", "input": "one two three", "unit": "words"},
    {"operation": "replace", "input": "2024/05/01", "old": "/", "new": "-"},
    {"operation": "join", "join_items": ["a", "b", "c"], "delimiter": "-"},
    {"operation": "truncate", "input": "a long sentence", "length": 7, "suffix": "…"},
)


async def execute(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
    """Run one operation; a long text is worked on in a thread."""
    from ares_plugin_strings.operations import run

    if len(arguments.get("input", arguments.get("text", ""))) <= QUICK_LENGTH:
        return run(arguments)
    import asyncio

    return await asyncio.to_thread(run, arguments)


@hookimpl
def register_tools() -> list[Tool]:
    """Bring ``string_utils``."""
    return [
        Tool(
            "string_utils",
            "Change, cut, search or count a text. Characters are those a person sees (grapheme clusters: an emoji "
            "family or a letter with its accents is one). Upper and lower case follow Unicode, not a language: "
            "'ß' becomes 'SS', and the Turkish 'i' becomes 'I'. split takes white space off both ends of each part.",
            PARAMETERS,
            execute,
            capabilities=("StringManipulation", "TextProcessing"),
            effects=Effects(read_only=True, destructive=False, idempotent=True, open_world=False),
            examples=EXAMPLES,
            cost=1,
            latency_ms=1,
            deterministic=True,
        )
    ]


@hookimpl
def declare_capabilities() -> list[Capability]:
    """Declare changing texts, and counting and searching in them."""
    changing = ("upper", "lower", "trim", "split", "join", "reverse", "replace", "大写", "小写", "截取", "替换", "反转")
    counting = ("count words", "length", "contains", "字数", "长度", "包含")
    return [
        Capability("StringManipulation", aliases=changing, inputs=("Text",), outputs=("Text",)),
        Capability("TextProcessing", aliases=counting, inputs=("Text",), outputs=("Any",)),
    ]


@hookimpl
def format_result(result: Result) -> str | None:
    """Give the text by itself, parts one to a line, and numbers with their unit."""
    if not result.success or "output" not in result.data:
        return None
    note = result.data.get("note")
    return _written(result.data) + (f"\nNote: {note}." if note else "")


def _written(data: Mapping[str, Any]) -> str:
    output = data["output"]
    if isinstance(output, bool):
        return "yes" if output else "no"
    if isinstance(output, list):
        return "\n".join([f"{counted(len(output), 'part')}:", *output])
    if isinstance(output, int) and "unit" in data:
        return _sized(data)
    return str(output) or "(the empty text)"


def _sized(data: Mapping[str, Any]) -> str:
    size = counted(data["output"], data["unit"].removesuffix("s"))
    if {"code_points", "bytes"} <= data.keys():
        points, octets = counted(data["code_points"], "code point"), counted(data["bytes"], "byte")
        return f"{size} ({points}, {octets} in UTF-8)"
    return size
