"""What a model reads of a result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import msgspec

LONGEST = 500
LINES = 200


def words(data: Mapping[str, Any]) -> str:
    """Write a result: what was done in a line, then the JSON.

    >>> words({"operation": "validate", "valid": False, "error": "no JSON: the text is empty", "line": 1})
    'Not valid: no JSON: the text is empty.'
    """
    lines = WORDS[data["operation"]](data)
    return "\n".join([*lines, *(f"Note: {note}." for note in data.get("notes", ()))])


def _parsed(data: Mapping[str, Any]) -> Iterator[str]:
    yield f"Valid JSON, {_an(data['type'])}{_size(data.get('value'))}:"
    yield data["output"]


def _validated(data: Mapping[str, Any]) -> Iterator[str]:
    if not data["valid"]:
        yield f"Not valid: {data['error']}."
        return
    values, depth = data["values"], data["depth"]
    yield f"Valid JSON: {_an(data['type'])}; {values:,} value{'' if values == 1 else 's'} on {depth} level{_s(depth)}."


def _written(data: Mapping[str, Any]) -> Iterator[str]:
    yield data["output"]


def _queried(data: Mapping[str, Any]) -> Iterator[str]:
    if "values" not in data:
        yield data["output"]
        return
    count = data["count"]
    yield f"{count:,} value{_s(count)} found by {data['query']}" + (":" if count else ".")
    for path, value in islice(zip(data["paths"], data["values"], strict=True), LINES):
        yield f"{path} = {_short(value)}"
    if count > LINES:
        yield f"({count - LINES:,} more are not listed; narrow the query.)"
    if data.get("numbers_as_text"):
        yield f"With every digit: {data['output']}"


def _compared(data: Mapping[str, Any]) -> Iterator[str]:
    if data["equal"]:
        yield "Equal: there is no difference."
        return
    yield f"{data['count']:,} difference{_s(data['count'])}, as a JSON Patch:"
    for change in data["patch"][:LINES]:
        value = f" {_short(change['value'])}" if "value" in change else ""
        yield f"{change['op']} {change['path'] or 'the whole document'}{value}"
    if data["count"] > LINES:
        yield f"({data['count'] - LINES:,} more are not listed.)"
    if data.get("numbers_as_text"):
        yield f"With every digit: {data['output']}"


WORDS = {
    "parse": _parsed,
    "validate": _validated,
    "pretty": _written,
    "query": _queried,
    "merge": _written,
    "patch": _written,
    "diff": _compared,
}


def _short(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text):,} characters)"


def _size(value: Any) -> str:
    if not isinstance(value, dict | list):
        return ""
    what = "key" if isinstance(value, dict) else "item"
    return f" with {len(value):,} {what}{_s(len(value))}"


def _an(kind: str) -> str:
    return kind if kind == "null" else f"{'an' if kind[0] in 'ao' else 'a'} {kind}"


def _s(count: int) -> str:
    return "" if count == 1 else "s"
