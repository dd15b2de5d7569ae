"""What ``regex`` does, by the name of the operation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

from ares_core import ToolError
from ares_plugin_regex.patterns import compiled, is_quickly_read
from ares_plugin_regex.replacing import parts_of
from ares_plugin_regex.scan import Hit, NotQuick, Scan

OTHER_NAMES = {"search": "match", "findall": "extract"}
RESULTS = 100
LARGEST = 2_000_000
"""Bytes that matches and groups, or the new text, may hold together."""
NOTES = (
    (
        r"/.*/[a-z]*",
        "the pattern looks for the slashes around it too: leave them out, and give its flags apart",
    ),
    (
        r".*\{\d{5,}(?:,\d*)?\}.*",
        "a repetition is too large, and so stands for these very characters: at most 1,000 are allowed",
    ),
    (r".*\{,\d+\}.*", "RE2 takes {,3} as these very characters: write {0,3}"),
    (r".*\{\d+,? +\d*\}.*", "a repetition has a blank in it, and so stands for these very characters: write {2,3}"),
    (r".*\[[^\]]*&&\[.*", "RE2 cuts no two classes, and takes && as these very characters: list what is left over"),
    (r".*\\[<>].*", r"\< and \> stand for the characters < and > here: write \b where a word begins or ends"),
)
SUSPECT = frozenset("/{&<>")
"""One of these stands in every pattern that has a note."""

ESCAPES = re.compile(r"\\.", re.DOTALL)
LOOKED_AT = 100_000
"""Characters in which is looked for what a class passes over."""
ASCII_CLASSES = (
    ("wb", r"(?![a-zA-Z0-9_])\w", r"\w and \b know the letters a to z only: write [\p{L}\p{N}_] for \w"),
    ("d", r"(?![0-9])\d", r"\d knows the figures 0 to 9 only: write \p{Nd} for those of all scripts"),
    ("s", r"(?![ \t\n\r\f\v])\s", r"\s knows blanks of ASCII only: write [\s\p{Z}] for all"),
)
"""Letters of classes, what they pass over, and what to say about it."""


def run(arguments: Mapping[str, Any], *, quick: bool = False) -> dict[str, Any]:
    """Run the operation that the arguments name; a ``quick`` run raises ``NotQuick`` if it takes too long."""
    named = arguments["operation"]
    operation = OTHER_NAMES.get(named, named)
    pattern, text = arguments["pattern"], arguments["text"]
    if quick and not is_quickly_read(pattern):
        raise NotQuick
    flags = arguments.get("flags") or ""
    scan = Scan(compiled(pattern, flags if isinstance(flags, str) else tuple(flags)), text, quick=quick)
    most = arguments.get("max_results")
    if operation == "replace":
        data = _replace(scan, arguments["replacement"], most)
    elif "replacement" in arguments:
        raise ToolError(f"{named} takes no replacement; nothing was matched", hint="use replace", blame="input")
    elif operation == "split":
        data = _split(scan, most or RESULTS)
    else:
        data = _find(scan, most or RESULTS, values=operation == "extract")
    notes = _notes(pattern) if not data["count"] or operation == "split" and data["count"] == 1 else []
    notes += _beyond_ascii(pattern, text)
    return {"operation": operation, **data, **({"notes": notes} if notes else {})}


def _notes(pattern: str) -> list[str]:
    if SUSPECT.isdisjoint(pattern):
        return []
    return [note for form, note in NOTES if re.fullmatch(form, pattern, re.DOTALL)]


def _beyond_ascii(pattern: str, text: str) -> list[str]:
    r"""Say that a class such as ``\w`` passes over what other dialects would have it match in this text."""
    if text.isascii() or "\\" not in pattern:
        return []
    used = {found[-1].lower() for found in ESCAPES.findall(pattern)}
    return [
        note
        for letters, others, note in ASCII_CLASSES
        if not used.isdisjoint(letters) and re.search(others, text[:LOOKED_AT])
    ]


def _find(scan: Scan, most: int, *, values: bool) -> dict[str, Any]:
    names = scan.pattern.names
    found: list[dict[str, Any]] = []
    matches, room = scan.matches(), LARGEST
    for match in islice(matches, most):
        hit = scan.hit(match)
        room -= _size(hit)
        if room < 0:
            break
        found.append(_entry(scan, hit, names))
    count = scan.count(matches, len(found) + (room < 0))
    data = {"matched": count > 0, "count": count, "matches": found, **_cut(scan, len(found), count)}
    if values:
        data["values"] = [_value(entry, names) for entry in found]
    return data


def _size(hit: Hit) -> int:
    return 1 + hit.span[1] - hit.span[0] + sum(1 + end - start for start, end in hit.groups)


def _entry(scan: Scan, hit: Hit, names: Mapping[str, int]) -> dict[str, Any]:
    entry: dict[str, Any] = {"match": scan.words(hit.span), "start": hit.place[0], "end": hit.place[1]}
    if hit.groups:
        entry["groups"] = [None if span[0] < 0 else scan.words(span) for span in hit.groups]
    if names:
        entry["named"] = {name: entry["groups"][number - 1] for name, number in names.items()}
    return entry


def _value(entry: Mapping[str, Any], names: Mapping[str, int]) -> Any:
    """Give what a match is for: its groups by name if all have one, its only group, its groups, or all of it."""
    groups = entry.get("groups")
    if not groups:
        return entry["match"]
    if len(names) == len(groups):
        return entry["named"]
    return groups[0] if len(groups) == 1 else groups


def _cut(scan: Scan, listed: int, count: int) -> dict[str, Any]:
    """Say whether more was found than is listed, and whether all was counted."""
    return {"truncated": listed < count, "complete": not scan.stopped, **_why(scan)}


def _why(scan: Scan) -> dict[str, str]:
    return {"stopped": scan.stopped} if scan.stopped else {}


def _split(scan: Scan, most: int) -> dict[str, Any]:
    parts: list[str] = []
    matches, done = scan.matches(), 0
    for match in islice(matches, most):
        start, end = match.span()
        parts.append(scan.words((done, start)))
        done = end
    count = scan.count(matches, len(parts)) + 1
    if count <= most and not scan.stopped:
        parts.append(scan.words((done, len(scan.data))))
    return {"count": count, "parts": parts, **_cut(scan, len(parts), count)}


def _replace(scan: Scan, replacement: str, most: int | None) -> dict[str, Any]:
    template = parts_of(replacement, scan.pattern.groups, scan.pattern.names)
    used = {part for part in template if isinstance(part, int)}
    pieces: list[bytes] = []
    done, count, size = 0, 0, len(scan.data)
    for match in islice(scan.matches(), most):
        start, end = match.span()
        groups = {number: _group(scan, match, number) for number in used}
        new = b"".join(part if isinstance(part, bytes) else groups[part] for part in template)
        size += len(new) - (end - start)
        if size > max(LARGEST, len(scan.data)):
            raise _too_large(count + 1)
        pieces += [scan.data[done:start], new]
        done, count = end, count + 1
    if scan.stopped:
        raise ToolError(
            f"the replacing was given up {scan.stopped}; nothing was replaced",
            hint="replace in parts of the text, or give max_results",
            blame="input",
        )
    return {"count": count, "output": b"".join([*pieces, scan.data[done:]]).decode()}


def _group(scan: Scan, match: Any, number: int) -> bytes:
    start, end = match.span(number)
    return scan.data[start:end] if start >= 0 else b""


def _too_large(count: int) -> ToolError:
    return ToolError(
        f"the new text would have more than {LARGEST:,} bytes, after {count:,} replacements; nothing was replaced",
        hint="use a shorter replacement, or replace in parts of the text",
        blame="input",
    )
