"""What a model reads of a result."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

LONGEST = 300
"""Characters of one match that are shown."""


def words(data: Mapping[str, Any]) -> str:
    """Write a result: the count, then a match, a value or a part to a line.

    >>> print(words({"operation": "extract", "count": 2, "values": ["1", "22"], "truncated": False, "matches": []}))
    2 matches:
    1
    22
    """
    lines = [_head(data), *_lines(data), *_rest(data), *(f"Note: {note}." for note in data.get("notes", ()))]
    return "\n".join(lines)


def _head(data: Mapping[str, Any]) -> str:
    count, operation = data["count"], data["operation"]
    more = "" if data.get("complete", True) else "at least "
    if operation == "split":
        return f"{more}{_counted(count, 'part')}:"
    if operation == "replace":
        return f"{_counted(count, 'replacement')}:" if count else "No match; the text is as it was:"
    return f"{more}{_counted(count, 'match')}:" if count else "No match."


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "es" if what == "match" else "s")


def _lines(data: Mapping[str, Any]) -> Iterator[str]:
    operation = data["operation"]
    if operation == "replace":
        yield data["output"]
    elif operation == "split":
        yield from (_shown(part) for part in data["parts"])
    elif operation == "extract":
        yield from (value if _is_plain(value) else _shown(value) for value in data["values"])
    else:
        yield from map(_match, data["matches"])


def _is_plain(value: Any) -> bool:
    return isinstance(value, str) and value.isprintable() and value.strip() == value != "" and len(value) <= LONGEST


def _match(entry: Mapping[str, Any]) -> str:
    groups = "".join(f", {name} = {_shown(value)}" for name, value in entry.get("named", {}).items())
    if not groups and "groups" in entry:
        groups = f", groups {', '.join(map(_shown, entry['groups']))}"
    return f"{entry['start']}-{entry['end']}: {_shown(entry['match'])}{groups}"


def _shown(value: Any) -> str:
    if isinstance(value, str) and len(value) > LONGEST:
        return f"{json.dumps(value[:LONGEST], ensure_ascii=False)}… ({len(value):,} characters)"
    return json.dumps(value, ensure_ascii=False)


def _rest(data: Mapping[str, Any]) -> Iterator[str]:
    listed = len(data.get("matches") or data.get("parts") or ())
    if data.get("truncated"):
        yield f"({data['count'] - listed:,} more are not listed; raise max_results or narrow the pattern.)"
    if data.get("stopped"):
        yield f"(Counting stopped {data['stopped']}.)"
