"""Phrases that wait for their words: one is compiled when a request first has a word that it can't do without."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable

Words = frozenset[str]
Mark = tuple[str, str, str, str]
"""A piece of a phrase: a slot with its kind, a sign, or words."""


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


def necessary(marks: Iterable[Mark], first_word: Callable[[str], str]) -> list[Words]:
    """Give sets of words of each of which a request must have one for a phrase to fit.

    >>> marks = [("", "", "(", ""), ("", "", "", "sum"), ("", "", "|", ""), ("", "", "", "total"), ("", "", ")", "")]
    >>> [sorted(words) for words in necessary([*marks, ("", "", "", "up to")], lambda text: text.split()[0])]
    [['sum', 'total'], ['up']]
    """
    found: list[Words] = []
    depth, alternatives, is_optional = 0, [""], False
    for _, _, sign, text in marks:
        if text:
            if depth == 0:
                found.append(frozenset((first_word(text),)))
            elif depth == 1 and not alternatives[-1]:
                alternatives[-1] = first_word(text)
        elif sign in ("(", "["):
            depth += 1
            if depth == 1:
                alternatives, is_optional = [""], sign == "["
        elif sign == "|" and depth == 1:
            alternatives.append("")
        elif sign in (")", "]"):
            depth -= 1
            if depth == 0 and not is_optional and all(alternatives):
                found.append(frozenset(alternatives))
    return [words for words in found if "" not in words]
