"""What makes two calls nearly the same, and two failures of one class.

Deliberately narrow: another number, another word, another path is another call. Only spelling may differ (case, blanks,
marks that nobody sees, punctuation at the ends; after a failure any punctuation, and up to a tenth of the words of a
long text such as code).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from ares_core.calls import Failure

LONGEST = 65_536
"""Larger arguments are compared as a whole only."""
LONG_TEXT = 200
SHARED = 0.9
NO_DIGITS = bytes(set(range(256)) - set(b"0123456789"))
QUOTED = re.compile(r"(?<!\w)'[^']{0,200}'|\"[^\"]{0,200}\"|\d+")


def are_alike(one: bytes, other: bytes, *, failed: bool) -> bool:
    """Whether two calls of one tool, as sorted JSON of their arguments, ask for the same in other spelling.

    >>> are_alike(b'{"q":"Tea"}', b'{"q":"tea "}', failed=False)
    True
    >>> are_alike(b'{"q":"tea"}', b'{"q":"teas"}', failed=True)
    False
    """
    if one == other:
        return True
    longest = max(len(one), len(other))
    if longest > LONGEST or longest < LONG_TEXT and one.translate(None, NO_DIGITS) != other.translate(None, NO_DIGITS):
        return False
    first, second = (_filled(msgspec.json.decode(text)) for text in (one, other))
    if first.keys() != second.keys():
        return False
    return all(_same(value, second[key], failed) for key, value in first.items())


def error_class(failure: Failure, arguments: Any) -> int:
    """Give a number for what went wrong, whatever the figures and names in the sentence.

    >>> one, two = Failure("tool_error", "no column 'a' in row 7"), Failure("tool_error", "no column 'b' in row 12")
    >>> error_class(one, {}) == error_class(two, {})
    True
    """
    message = failure.message[:500]
    named = {part for part in _parts(arguments) if isinstance(part, str) and 3 <= len(part) <= LONG_TEXT}
    for text in sorted(named, key=len, reverse=True)[:20]:
        message = message.replace(text, "")
    return hash((failure.code, failure.blame, QUOTED.sub("", message)))


def _filled(arguments: Any) -> dict[str, Any]:
    """The arguments without those that say nothing."""
    return {key: value for key, value in arguments.items() if value not in (None, "", [], {})}


def _same(one: Any, other: Any, failed: bool) -> bool:
    if one == other and type(one) is type(other):
        return True
    if failed and isinstance(one, str) and isinstance(other, str) and min(len(one), len(other)) >= LONG_TEXT:
        return _share_words(one, other)
    return _spelt(one, failed) == _spelt(other, failed)


def _spelt(value: Any, failed: bool) -> list[str]:
    spell = _bare if failed else _loose
    return [spell(part) if isinstance(part, str) else repr(part) for part in _parts(value)]


def _share_words(one: str, other: str) -> bool:
    first, second = (Counter(re.findall(r"\w+", text)) for text in (one, other))
    return (first & second).total() >= SHARED * max(first.total(), second.total(), 1)


def _parts(value: Any) -> Iterator[Any]:
    """Every key and plain value, however deep."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _parts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _parts(item)
    else:
        yield value


def _loose(text: str) -> str:
    from unicodedata import category, normalize

    seen = text if text.isascii() else "".join(letter for letter in text if category(letter) != "Cf")
    spelt = " ".join(normalize("NFKC", seen).casefold().split())
    return spelt.strip("\"'`").rstrip(".,;:!?") or spelt


def _bare(text: str) -> str:
    spelt = text.casefold()
    return "".join(letter for letter in spelt if letter.isalnum()) or spelt
