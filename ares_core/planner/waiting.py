"""Phrases that wait for their words: one is compiled when a request first has a word that it can't do without."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable

Words = frozenset[str]
GAP = "\0"
"""Stands for what need not be worded in one way: a slot, and what is optional."""
_SLOTS = re.compile(r"\{\w+(?::\w+)?\}")
_OPTIONAL = re.compile(r"\[[^\[\]]*\]")
_BROKEN = re.compile(r"[\[\]{}]")
_PARENTHESIS = re.compile(r"([()])")


class Waiting:
    """Phrases by their rarest necessary words. Each is given to ``compile_phrase`` once."""

    def __init__(self, phrases: Iterable[list[Words]], compile_phrase: Callable[[int], None]) -> None:
        outlined = list(phrases)
        common = Counter(word for groups in outlined for words in groups for word in words)
        self._by_word: dict[str, list[int]] = {}
        self._asleep = set(range(len(outlined)))
        self._compile = compile_phrase
        self._lock = threading.Lock()
        for number, groups in enumerate(outlined):
            for word in min(groups, key=lambda words: sum(map(common.__getitem__, words)), default=()):
                self._by_word.setdefault(word, []).append(number)
        self._wake({number for number, groups in enumerate(outlined) if not groups})

    def wake(self, words: Words) -> None:
        """Compile the phrases that wait for one of these words; who comes meanwhile waits until they are ready."""
        if self._asleep and not self._by_word.keys().isdisjoint(words):
            with self._lock:
                here = [word for word in words if word in self._by_word]
                self._wake({number for word in here for number in self._by_word[word]})
                for word in here:
                    del self._by_word[word]

    def _wake(self, numbers: set[int]) -> None:
        for number in sorted(numbers & self._asleep):
            self._compile(number)
        self._asleep -= numbers


def necessary(phrase: str, alternatives: Callable[[str], Words]) -> list[Words] | None:
    """Give sets of words of each of which a request must have one for a phrase to fit; ``None`` for a broken phrase.

    ``alternatives`` gives the first words of what stands between bars, or nothing if one of them has none.

    >>> firsts = lambda text: frozenset(one.split()[0] for one in text.split("|"))
    >>> [sorted(words) for words in necessary("(sum|total) [of] {values} up to", firsts)]
    [['sum', 'total'], ['up']]
    """
    flat, count = _SLOTS.sub(GAP, phrase), 1
    while count:
        flat, count = _OPTIONAL.subn(GAP, flat)
    parts = None if _BROKEN.search(flat) else _parted(flat)
    if parts is None:
        return None
    groups, outside = parts
    if "|" in outside:
        return []
    runs = filter(str.strip, outside.split(GAP))
    return [words for words in map(alternatives, (*groups, *runs)) if words]


def _parted(flat: str) -> tuple[list[str], str] | None:
    """Part what stands between parentheses, others within left out, from what is outside; ``None`` if one is alone."""
    groups: list[str] = []
    depth, outside = 0, ""
    for piece in _PARENTHESIS.split(flat):
        depth += {"(": 1, ")": -1}.get(piece, 0)
        if depth < 0:
            return None
        if piece == "(":
            if depth == 1:
                groups.append("")
            else:
                groups[-1] += GAP
        elif depth == 0:
            outside += GAP if piece == ")" else piece
        elif depth == 1 and piece != ")":
            groups[-1] += piece
    return (groups, outside) if depth == 0 else None
