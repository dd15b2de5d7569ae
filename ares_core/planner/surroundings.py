"""A value that a request contains, with the words around it that say what it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from ares_core.planner.lexical import stem
from ares_core.planner.lexicon import ARTICLES, CHINESE, PREPOSITIONS, TRANSLATED
from ares_core.planner.plan import Place
from ares_core.planner.text import Text, Token
from ares_core.planner.units import Unit

LINKERS = frozenset("of is = : as at to was being be equal about around are 的 是 为".split())
"""Words between a value and what it is called."""
SENTENCE_ENDS = frozenset((".", "?", "!", "。", "？", "！"))
_BARS = frozenset((",", "and", "or", ";", "(", ")", "，", "、", "和"))
_SILENT = ARTICLES | PREPOSITIONS | (LINKERS - {"equal"}) | frozenset("and or if it i me we you".split())
_REACH_BEFORE, _REACH_AFTER = 9, 4
_STEP, _SKIP, _FAR = 0.6, 0.4, 1.5
"""By how much a word, a word that says nothing, and a comma or preposition take what is before them away."""


class Find(Struct, frozen=True, eq=False, gc=False):
    """Something in a request that may be an argument.

    ``before`` is the preposition that it follows, ``near`` how much each word around it belongs to it, ``spare``
    another reading of it.
    """

    kind: str
    value: Any
    start: int
    end: int
    place: Place
    before: str = ""
    near: Mapping[str, float] = field(default_factory=dict)
    own: frozenset[str] = frozenset()
    unit: list[Unit] = field(default_factory=list)
    percent: bool = False
    spare: Any = None


class Surroundings:
    """The words of a request, to tell of any part what stands around it."""

    def __init__(self, text: Text) -> None:
        self.text, self.tokens = text, text.tokens
        self.stems = [_meaning(text.tokens, index) for index in range(len(text.tokens))]
        self._starts = {token.start: index for index, token in enumerate(self.tokens)}
        self._ends = {token.end: index + 1 for index, token in enumerate(self.tokens)}
        self._figures = {index for index, token in enumerate(self.tokens) if token.kind == "figure"}

    def find(
        self, kind: str, value: Any, start: int, end: int,
        unit: list[Unit] | None = None, percent: bool = False, spare: Any = None,
    ) -> Find:  # fmt: skip
        """Make a find of some tokens, with what stands around it."""
        place = Place(self.tokens[start].start, self.tokens[end - 1].end)
        own = frozenset(filter(None, self.stems[start:end]))
        near = self._before_it(start)
        self._after_it(end, near)
        return Find(kind, value, start, end, place, self.before(start), near, own, unit or [], percent, spare)

    def span(self, start: int, end: int) -> tuple[int, int] | None:
        """The tokens from one character up to another, if it cuts none."""
        return (self._starts[start], self._ends[end]) if start in self._starts and end in self._ends else None

    def is_capital(self, index: int) -> bool:
        """Whether a word is written with a capital."""
        token = self.tokens[index]
        return token.kind == "word" and self.text.original[token.start].isupper() and token.text[:2] not in ("i", "i'")

    def before(self, start: int) -> str:
        """The preposition before a token, articles left aside; after a name also a comma."""
        index = start - 1
        while index > 0 and self.tokens[index].text in ARTICLES:
            index -= 1
        word = self.tokens[index].text if index >= 0 else ""
        if word == "," and index and self.is_capital(index - 1):
            return word
        return CHINESE.get(word, word if word in PREPOSITIONS or word == "and" else "")

    def _before_it(self, start: int) -> dict[str, float]:
        """How much the words before belong to it; before a figure only those since the last one."""
        found: dict[str, float] = {}
        distance, numeric = 1.0, start in self._figures
        for index in range(start - 1, max(-1, start - 1 - _REACH_BEFORE), -1):
            word = self.tokens[index].text
            if word in SENTENCE_ENDS or (index in self._figures and numeric):
                break
            if word in _BARS:
                distance += _FAR
            elif self.stems[index]:
                found.setdefault(self.stems[index], 1 / distance)
                distance += _STEP
            elif word not in LINKERS:
                distance += _FAR if self._parts(index) and not numeric else _SKIP
        return found

    def _parts(self, index: int) -> bool:
        """Whether a token keeps what is before it from what is after it."""
        token = self.tokens[index]
        return index in self._figures or token.kind == "quoted" or token.text in PREPOSITIONS

    def _after_it(self, end: int, found: dict[str, float]) -> None:
        """Add how much the words after belong to it, up to where something else begins."""
        distance = 1.0
        for index in range(end, min(len(self.tokens), end + _REACH_AFTER)):
            word = self.tokens[index].text
            if word in _BARS or word in SENTENCE_ENDS or index in self._figures or self._labels_another(index):
                break
            if word in PREPOSITIONS and word not in ("of", "per"):
                break
            if self.stems[index]:
                found[self.stems[index]] = max(found.get(self.stems[index], 0.0), 1 / distance)
            distance += _STEP

    def _labels_another(self, index: int) -> bool:
        """Whether a word after a value names the value that follows."""
        after = index + 1
        while after < len(self.tokens) and self.tokens[after].text in LINKERS:
            after += 1
        return after in self._figures


def _meaning(tokens: tuple[Token, ...], index: int) -> str:
    """The stem of a word that says something; of Chinese, what names of parameters call it."""
    token = tokens[index]
    if token.text >= "一" and token.kind in ("han", "word"):
        pair = token.text + (tokens[index + 1].text if index + 1 < len(tokens) else "")
        english = TRANSLATED.get(pair) or TRANSLATED.get(token.text)
        return stem(english) if english else ""
    return stem(token.text.removesuffix("'s")) if token.kind == "word" and token.text not in _SILENT else ""
