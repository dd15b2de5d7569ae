"""What ``string_utils`` does, one function for each operation."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from ares_core import ToolError, counted
from ares_plugin_strings.graphemes import clusters, count

LONGEST_OUTPUT = 1_000_000
COUNTING = ("count", "length")
LONGEST_ECHO = 200
Arguments = Mapping[str, Any]
Data = dict[str, Any]


def run(arguments: Arguments) -> Data:
    """Run the operation that the arguments name.

    >>> run({"operation": "upper", "input": "straße"})["output"]
    'STRASSE'
    """
    operation = arguments["operation"]
    if operation not in COUNTING and arguments.get("unit", "characters") != "characters":
        raise _refusal(
            f"{operation} works on characters, not on {arguments['unit']}", "leave 'unit' out, or split first"
        )
    text = _input(arguments)
    data = {"operation": operation, **OPERATIONS[operation](text, arguments), **_look_alike(text, arguments)}
    return {**data, "input": text} if len(text) <= LONGEST_ECHO else data


def _look_alike(text: str, arguments: Arguments) -> Data:
    """Say that what is looked for is there, but with its accents composed otherwise."""
    sought = arguments.get("old") or arguments.get("search") or ""
    if text.isascii() or sought.isascii() or sought in text:
        return {}
    is_there = unicodedata.normalize("NFC", sought) in unicodedata.normalize("NFC", text)
    return {"note": f"{sought!r:.60} stands there in another Unicode form (NFC or NFD)"} if is_there else {}


def _input(arguments: Arguments) -> str:
    if "input" in arguments and "text" in arguments:
        raise _refusal("input and text are both given, and only one can be read", "leave 'text' out")
    text: str = arguments.get("input", arguments.get("text", ""))
    return text


def _need(arguments: Arguments, name: str) -> Any:
    if name not in arguments:
        raise _refusal(f"{arguments['operation']} needs {name!r}", f"give {name!r}")
    return arguments[name]


def _bounded(length: int, what: str) -> None:
    """Refuse a result that would be too long, before it is made."""
    if length > LONGEST_OUTPUT:
        raise _refusal(f"{what} would be {length:,} characters long; the limit is {LONGEST_OUTPUT:,}", "ask for less")


def _refusal(message: str, hint: str) -> ToolError:
    return ToolError(f"{message}; nothing was done", hint=hint, blame="input")


def _title_word(match: re.Match[str]) -> str:
    word = match[0]
    first = next((place for place, letter in enumerate(word) if letter.isalnum()), 0)
    return word[:first] + word[first : first + 1].title() + word[first + 1 :].lower()


def _title(text: str, arguments: Arguments) -> Data:
    return {"output": re.sub(r"[^\s\-‐–—/_]+", _title_word, text)}


def _trim(text: str, arguments: Arguments) -> Data:
    side = arguments.get("side", "both")
    return {"output": text.strip() if side == "both" else text.lstrip() if side == "start" else text.rstrip()}


def _split(text: str, arguments: Arguments) -> Data:
    delimiter = arguments.get("delimiter", ",")
    parts = [part.strip() for part in text.split(delimiter)] if delimiter else clusters(text)
    return {"output": parts, "count": len(parts), "delimiter": delimiter}


def _join(text: str, arguments: Arguments) -> Data:
    items = _need(arguments, "join_items")
    if isinstance(items, str):
        items = _listed(items)
    delimiter = arguments.get("delimiter", ",")
    _bounded(sum(map(len, items)) + len(delimiter) * max(len(items) - 1, 0), "the joined text")
    return {"output": delimiter.join(items), "count": len(items), "delimiter": delimiter}


def _listed(text: str) -> list[str]:
    """Read a list out of a text: JSON, or items with commas between them."""
    try:
        found = json.loads(text) if text.lstrip().startswith("[") else None
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, list) and all(isinstance(item, str | int | float) for item in found):
        return [item if isinstance(item, str) else json.dumps(item) for item in found]
    return [item.strip() for item in text.split(",")]


def _length(text: str, arguments: Arguments) -> Data:
    if arguments.get("unit", "characters") != "characters":
        return _count(text, arguments)
    seen, octets = count(text), len(text.encode("utf-8", "surrogatepass"))
    return {"output": seen, "unit": "graphemes", "graphemes": seen, "code_points": len(text), "bytes": octets}


def _reverse(text: str, arguments: Arguments) -> Data:
    return {"output": "".join(reversed(clusters(text))), "unit": "graphemes"}


def _substring(text: str, arguments: Arguments) -> Data:
    characters = clusters(text)
    start = arguments.get("start", 0)
    end = _end(arguments, start, len(characters))
    if not start <= end <= len(characters):
        raise _refusal(
            f"the text is {counted(len(characters), 'character')} long, so there is no substring from {start} to {end}",
            f"start and end have to be in order and from 0 to {len(characters)}",
        )
    return {"output": "".join(characters[start:end]), "start": start, "end": end, "unit": "graphemes"}


def _end(arguments: Arguments, start: int, whole: int) -> int:
    if "length" not in arguments:
        return int(arguments.get("end", whole))
    end: int = start + arguments["length"]
    if arguments.get("end", end) != end:
        raise _refusal(f"'end' is {arguments['end']} but start and length end at {end}", "give 'end' or 'length'")
    return end


def _replace(text: str, arguments: Arguments) -> Data:
    old, new = _need(arguments, "old"), arguments.get("new", "")
    if not old:
        raise _refusal("the text to look for, 'old', is empty", "give at least one character")
    found = text.count(old)
    _bounded(len(text) + found * (len(new) - len(old)), "the text after replacing")
    return {"output": text.replace(old, new), "replacements": found}


def _repeat(text: str, arguments: Arguments) -> Data:
    times = _need(arguments, "times")
    _bounded(len(text) * times, "the repeated text")
    return {"output": text * times, "times": times}


def _contains(text: str, arguments: Arguments) -> Data:
    return {"output": _need(arguments, "search") in text, "search": arguments["search"]}


def _starts_with(text: str, arguments: Arguments) -> Data:
    return {"output": text.startswith(_need(arguments, "search")), "search": arguments["search"]}


def _ends_with(text: str, arguments: Arguments) -> Data:
    return {"output": text.endswith(_need(arguments, "search")), "search": arguments["search"]}


def _occurrences(text: str, arguments: Arguments) -> int:
    search = _need(arguments, "search")
    if not search:
        raise _refusal("the text to look for, 'search', is empty", "give at least one character")
    return text.count(search)


COUNTS: dict[str, Callable[[str, Arguments], int]] = {
    "words": lambda text, arguments: len(text.split()),
    "lines": lambda text, arguments: len(text.splitlines()),
    "characters": lambda text, arguments: count(text),
    "occurrences": _occurrences,
}


def _count(text: str, arguments: Arguments) -> Data:
    unit = arguments.get("unit") or ("occurrences" if "search" in arguments else "words")
    return {"output": COUNTS[unit](text, arguments), "unit": unit}


def _pad(text: str, arguments: Arguments) -> Data:
    length, fill = _need(arguments, "length"), arguments.get("fill", " ")
    if count(fill) != 1:
        raise _refusal(f"'fill' has to be one character, not {fill!r}", "give one character")
    missing = max(length - count(text), 0)
    _bounded(len(text) + missing * len(fill), "the padded text")
    before = {"start": missing, "both": missing // 2}.get(arguments.get("side", "end"), 0)
    return {"output": fill * before + text + fill * (missing - before), "unit": "graphemes"}


def _truncate(text: str, arguments: Arguments) -> Data:
    length, suffix = _need(arguments, "length"), arguments.get("suffix", "")
    characters = clusters(text)
    if len(characters) <= length:
        return {"output": text, "truncated": False, "unit": "graphemes"}
    room = length - count(suffix)
    if room < 0:
        raise _refusal(f"the suffix {suffix!r} is longer than the whole length, {length}", "take a shorter suffix")
    return {"output": "".join(characters[:room]) + suffix, "truncated": True, "unit": "graphemes"}


OPERATIONS: dict[str, Callable[[str, Arguments], Data]] = {
    "upper": lambda text, arguments: {"output": text.upper()},
    "lower": lambda text, arguments: {"output": text.lower()},
    "title": _title,
    "capitalize": lambda text, arguments: {"output": text.capitalize()},
    "trim": _trim,
    "split": _split,
    "join": _join,
    "length": _length,
    "reverse": _reverse,
    "substring": _substring,
    "replace": _replace,
    "repeat": _repeat,
    "contains": _contains,
    "starts_with": _starts_with,
    "ends_with": _ends_with,
    "count": _count,
    "pad": _pad,
    "truncate": _truncate,
}
