"""How values and kinds of values are named in sentences."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

ROOM = 80


def kind_of(value: Any) -> str:
    """Name the JSON type of a value.

    >>> kind_of(True), kind_of(1.5), kind_of([])
    ('boolean', 'number', 'array')
    """
    return _KINDS.get(type(value)) or type(value).__name__


_KINDS = {
    str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null", list: "array", dict: "object",
}  # fmt: skip


def show(value: Any, room: int = ROOM) -> str:
    """Write a value as JSON in at most about ``room`` characters; the work is bounded too.

    >>> show({"a": [1, "two"]})
    '{"a": [1, "two"]}'
    >>> show("x" * 1000, 10)
    '"xxxxxxx…"'
    """
    if type(value) is str:
        short = value if len(value) + 2 <= room else value[: max(room - 3, 1)] + "…"
        return json.dumps(short, ensure_ascii=not _encodable(short))
    text = _write(value, room)
    return text if len(text) <= room else text[: room - 1] + "…"


def _write(value: Any, room: int) -> str:
    if room <= 0:
        return "…"
    if type(value) is dict:
        return f"{{{_fill(((f'{show(str(key), room)}: ', item) for key, item in value.items()), room)}}}"
    if type(value) in (list, tuple):
        return f"[{_fill((('', item) for item in value), room)}]"
    if type(value) is str:
        return show(value, room)
    return _SCALARS.get(value, "") if value is None or type(value) is bool else _number(value, room)


_SCALARS = {None: "null", True: "true", False: "false"}


def _number(value: Any, room: int) -> str:
    if type(value) is int and value.bit_length() > 512:
        return "a very large number"
    return repr(value)[: room + 1]


def _fill(items: Iterable[tuple[str, Any]], room: int) -> str:
    parts: list[str] = []
    for label, item in items:
        if room <= 0:
            parts.append("…")
            break
        parts.append(label + _write(item, room - len(label)))
        room -= len(parts[-1]) + 2
    return ", ".join(parts)


def _encodable(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)


def either(words: Sequence[str], last: str = "or") -> str:
    """Join words as a sentence does.

    >>> either(["integer", "string", "null"])
    'integer, string or null'
    """
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if len(words) > 1 else "".join(words)


def nearest(word: str, words: Iterable[str]) -> str | None:
    """Give the one of ``words`` that is most like ``word``, if any is alike; cheap, and good enough for a hint.

    >>> nearest("querry", ["limit", "query"])
    'query'
    >>> nearest("colour", ["mode"]) is None
    True
    """
    wanted = _letters(word[:100])
    for known in islice(words, 200):
        letters = _letters(known)
        shorter, longer = sorted((wanted, letters), key=len)
        if len(shorter) > 2 and shorter in longer:
            return known
        if len(longer) - len(shorter) < 3 and len(longer) > 3 and len(set(shorter) ^ set(longer)) < 3:
            return known
    return None


def _letters(word: str) -> str:
    return word.casefold().replace("_", "").replace("-", "").replace(" ", "")
