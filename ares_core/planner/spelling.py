"""Words of which two neighbouring letters changed places: the slip that leaves least doubt about what was meant."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from ares_core.planner.text import Token

SHORTEST = 5


def slips(cut: Sequence[Token], known: Container[str]) -> Iterator[tuple[Token, str]]:
    """Give the words that nobody knows and that become a known one, and only one, when two letters change places."""
    for token in cut:
        if token.kind == "word" and len(token.text) >= SHORTEST and token.text.isascii() and token.text not in known:
            meant = {word for word in transposed(token.text) if word in known}
            if len(meant) == 1:
                yield token, meant.pop()


def transposed(word: str) -> Iterator[str]:
    """Give a word with each pair of neighbouring letters the other way round.

    >>> list(transposed("abc"))
    ['bac', 'acb']
    """
    for at in range(len(word) - 1):
        yield f"{word[:at]}{word[at + 1]}{word[at]}{word[at + 2 :]}"
