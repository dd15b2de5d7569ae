"""The tool ``regex``: match, extract, replace and split with regular expressions, in linear time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ares_core import Capability, Effects, Result, Tool, ToolContext, hookimpl

LONGEST_TEXT = 5_000_000
LONGEST_PATTERN = 4_000
PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "operation": {
            "type": "string",
            "enum": ["match", "extract", "replace", "split", "search", "findall"],
            "description": "match: where the pattern occurs; extract: what it found (the groups, if it has any); "
            "replace: every match by 'replacement'; split: the parts between the matches. search is another name of "
            "match, findall of extract.",
        },
        "pattern": {
            "type": "string",
            "minLength": 1,
            "maxLength": LONGEST_PATTERN,
            "description": "The pattern alone, without slashes around it, in RE2 syntax: groups (…), (?P<name>…), "
            "(?:…); classes \\d \\w \\s (ASCII), \\p{L}, \\p{Han}, \\u4e00; no look-around, no back references. "
            "$ is the end of the text, with flag m of a line.",
        },
        "text": {"type": "string", "maxLength": LONGEST_TEXT, "description": "The text to look at; may be empty."},
        "replacement": {
            "type": "string",
            "maxLength": 100_000,
            "description": 'For replace: what each match becomes; "" takes it away. Groups are written \\1 or '
            "\\g<name>, the whole match \\g<0>, a backslash \\\\, a dollar sign before a figure \\$.",
        },
        "flags": {
            "type": ["array", "string"],
            "items": {"type": "string", "maxLength": 20},
            "maxItems": 10,
            "maxLength": 40,
            "description": "i (ignore case), m (^ and $ at every line), s (. matches line ends too): ['i', 'm'] "
            "or 'im'.",
        },
        "max_results": {
            "type": "integer",
            "minimum": 1,
            "maximum": 10_000,
            "description": "How many matches or parts are given (100 if left out; all are counted); for replace, how "
            "many are replaced (all if left out).",
        },
    },
    "required": ["operation", "pattern", "text"],
    "if": {"properties": {"operation": {"const": "replace"}}},
    "then": {"required": ["replacement"]},
    "additionalProperties": False,
}
EXAMPLES = (
    {"operation": "match", "pattern": "ab+c", "text": "ABBC abc", "flags": ["i"]},
    {"operation": "extract", "pattern": r"(?P<year>\d{4})-(?P<month>\d\d)", "text": "from 2024-05 to 2025-11"},
    {"operation": "replace", "pattern": r"(\w+) (\w+)", "text": "hello world", "replacement": r"\2 \1"},
    {"operation": "split", "pattern": r"\s*;\s*", "text": "one; two ;three"},
)
DESCRIPTION = (
    "Look for a regular expression in a text: where it matches, what its groups hold, replace it, or split at it. "
    "Positions are counted in characters from 0, the end excluded. Every pattern runs in linear time (RE2); one that "
    "needs look-around or back references is refused."
)


async def execute(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
    """Run one operation; what is not done in about 2 ms begins again in a thread."""
    from ares_plugin_regex.operations import run
    from ares_plugin_regex.scan import NotQuick

    try:
        return run(arguments, quick=True)
    except NotQuick:
        import asyncio

        return await asyncio.to_thread(run, arguments)


@hookimpl
def register_tools() -> list[Tool]:
    """Bring ``regex``."""
    return [
        Tool(
            "regex",
            DESCRIPTION,
            PARAMETERS,
            execute,
            capabilities=("Regex",),
            effects=Effects(read_only=True, destructive=False, idempotent=True, open_world=False),
            examples=EXAMPLES,
            cost=1,
            latency_ms=1,
            deterministic=True,
        )
    ]


@hookimpl
def declare_capabilities() -> list[Capability]:
    """Declare regular expressions: from a text to a text."""
    aliases = ("regular expression", "regexp", "match", "正则", "正则表达式", "匹配")
    return [Capability("Regex", aliases=aliases, inputs=("Text",), outputs=("Text",))]


@hookimpl
def format_result(result: Result) -> str | None:
    """Give the count, and each match on a line; for replace the new text."""
    if not result.success:
        return None
    from ares_plugin_regex.shown import words

    return words(result.data)
