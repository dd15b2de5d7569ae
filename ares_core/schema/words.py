"""How values and kinds of values are named in sentences."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import islice
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any

ROOM = 80
WIDEST = 200
LARGE = 1 << 64


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
        return encode_basestring(short) if short.isascii() or _encodable(short) else encode_basestring_ascii(short)
    if type(value) is float or type(value) is int and -LARGE < value < LARGE:
        return repr(value)
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
    return not any("\ud800" <= char <= "\udfff" for char in text)


def either(words: Sequence[str], last: str = "or") -> str:
    """Join words as a sentence does.

    >>> either(["integer", "string", "null"])
    'integer, string or null'
    """
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if len(words) > 1 else "".join(words)


class Vocabulary:
    """Words among which the one that is most like another is looked for; cheap, and good enough for a hint.

    >>> Vocabulary(["limit", "query"]).nearest("querry")
    'query'
    >>> Vocabulary(["mode"]).nearest("colour") is None
    True
    """

    __slots__ = ("_letters", "listed", "words")

    def __init__(self, words: Iterable[str]) -> None:
        self.words: Mapping[str, Any] = words if isinstance(words, dict) else dict.fromkeys(words)
        known: list[str] = list(islice(self.words, WIDEST))
        self.listed = f"allowed: {', '.join(known[:30])}" if known else "it takes no arguments"
        self._letters = [(letters, set(letters), word) for word in known if len(letters := _letters(word)) > 2]

    def nearest(self, word: str, besides: Container[str] = ()) -> str | None:
        """Give the word that is most like ``word``, if any is alike."""
        wanted = _letters(word[:100])
        alphabet, length = set(wanted), len(wanted)
        if length < 3:
            return None
        for letters, known, found in self._letters:
            more = len(letters) - length
            is_like = letters in wanted if more <= 0 else wanted in letters
            if not is_like and -3 < more < 3:
                is_like = len(known) + len(alphabet) - 2 * len(known & alphabet) < 3
            if is_like and found not in besides:
                return found
        return None


def nearest(word: str, words: Iterable[str]) -> str | None:
    """Give the one of ``words`` that is most like ``word``, if any is alike.

    >>> nearest("querry", ["limit", "query"])
    'query'
    """
    return Vocabulary(words).nearest(word)


def _letters(word: str) -> str:
    return "".join([char for char in word.casefold() if char.isalnum()]) if not word.isalnum() else word.casefold()
