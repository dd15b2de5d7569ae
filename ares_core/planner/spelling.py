"""Words with a slip of the keyboard: two neighbouring letters changed places, one left out, or one written twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from msgspec.structs import replace

from ares_core.planner.text import Text, Token

SHORTEST = 5


def slips(cut: Sequence[Token], known: frozenset[str]) -> Iterator[tuple[Token, str]]:
    """Give the words that nobody knows and that become a known one, and only one, when one slip is put right."""
    for token in cut:
        if token.kind == "word" and len(token.text) >= SHORTEST and token.text.isascii() and token.text not in known:
            meant = {word for word in (*transposed(token.text), *single(token.text)) if word in known}
            meant |= _shortened(known).get(token.text, set())
            if len(meant) == 1:
                yield token, meant.pop()


def put_right(text: Text, known: frozenset[str]) -> tuple[Text, tuple[tuple[str, str], ...]]:
    """Give a text with its slips put right, each word where it stood, and what was read as what."""
    plain, meant = text.plain, dict(slips(text.tokens, known))
    for token, word in meant.items():
        if len(word) == len(token.text):
            plain = f"{plain[: token.start]}{word}{plain[token.end :]}"
    cut = tuple(replace(token, text=meant[token]) if token in meant else token for token in text.tokens)
    return Text(text.original, plain, cut), tuple((token.text, word) for token, word in meant.items())


def transposed(word: str) -> Iterator[str]:
    """Give a word with each pair of neighbouring letters the other way round.

    >>> list(transposed("abc"))
    ['bac', 'acb']
    """
    for at in range(len(word) - 1):
        yield f"{word[:at]}{word[at + 1]}{word[at]}{word[at + 2 :]}"


def single(word: str) -> Iterator[str]:
    """Give a word with each double letter written once.

    >>> list(single("averrage"))
    ['average']
    """
    for at in range(len(word) - 1):
        if word[at] == word[at + 1]:
            yield word[:at] + word[at + 1 :]


def shortened(word: str) -> Iterator[str]:
    """Give a word without each of its inner letters; its ends make another word of it, as a plural's "s" does.

    >>> list(shortened("sum"))
    ['sm']
    """
    return (word[:at] + word[at + 1 :] for at in range(1, len(word) - 1))


@lru_cache(maxsize=8)
def _shortened(known: frozenset[str]) -> Mapping[str, set[str]]:
    """What each word may mean that is a known one without an inner letter."""
    found: dict[str, set[str]] = {}
    for word in known:
        for short in shortened(word) if len(word) > SHORTEST else ():
            found.setdefault(short, set()).add(word)
    return found
