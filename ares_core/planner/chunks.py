"""Phrases and lists of a request that may be arguments: nouns with what describes them, what commas join."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ares_core.planner.finds import Find, Finder
from ares_core.planner.lexicon import ACTIONS, ARTICLES, CHINESE, ENDS, RANKS

LONGEST, MOST_ITEMS, MOST = 6, 30, 40
_JOINERS = frozenset((",", "and", "&", "or", "、", "和", "with", "also", "to", "as", "well"))
_SINGLE = frozenset(("to", "with", "as"))
"""Joiners that join numbers, but nothing else by themselves."""
_SIGNS = frozenset(("x", "=", "n", "w", "°"))
_COUNTS = frozenset("one two three four five six seven eight nine ten".split())
_BREAKS = frozenset("的了吗呢请把将是有我你帮，。？！多少查什么怎样")
_TIMES = frozenset("未来 今天 明天 昨天 后天 最近 现在 下周 本周 接下".split())
_LOOSE = frozenset(("period", "ordinal", "opening", "number word"))
"""Kinds of finds that may be part of a phrase."""


class Chunks:
    """The phrases and lists around what a finder is certain of."""

    def __init__(self, finder: Finder) -> None:
        self._finder, self._tokens = finder, finder.tokens
        firm = [find for find in finder.certain if find.kind not in _LOOSE]
        self._taken = {index for find in firm for index in range(find.start, find.end)}
        self.phrases = list(self._phrases())[:MOST]
        self.lists = list(self._lists())

    def _ends(self, index: int) -> bool:
        """Whether a phrase ends before a token."""
        token = self._tokens[index]
        if index in self._taken or token.text in ARTICLES:
            return True
        if token.kind == "han":
            pair = token.text + (self._tokens[index + 1].text if index + 1 < len(self._tokens) else "")
            return token.text in _BREAKS or token.text in CHINESE or pair in _TIMES
        is_action = token.text in ACTIONS and not (index and self._tokens[index - 1].text == "-")
        return is_action or token.text in ENDS or token.kind not in ("word", "figure", "symbol")

    def _phrases(self) -> Iterator[Find]:
        """Find nouns with what describes them; the verb after "that" is none."""
        index = 0
        while index < len(self._tokens):
            if self._tokens[index].text in ("that", "which", "who"):
                index += 2
            elif self._ends(index) or self._tokens[index].kind == "symbol":
                index += 1
            else:
                end = index
                while end < len(self._tokens) and end - index < LONGEST and not self._ends(end):
                    end += 1
                yield from self._phrase(index, end)
                index = end

    def _phrase(self, start: int, end: int) -> Iterator[Find]:
        """Leave out ranks and counts before it, participles and signs after it."""
        tokens = self._tokens
        while start < end - 1 and tokens[start].text in RANKS | _COUNTS:
            start += 1
        while end > start and (tokens[end - 1].kind == "symbol" or _is_participle(tokens[end - 1].text)):
            end -= 1
        if end > start and tokens[start].kind in ("word", "han") and tokens[start].text not in RANKS | _COUNTS:
            kind = "phrase" if self._finder.before(start) else "chunk"
            yield self._finder.find(kind, self._finder.text.said(start, end), start, end)

    def _lists(self) -> Iterator[Find]:
        """Find what is joined by commas and the like: numbers, quotes, names, phrases, each with its own kind."""
        finder = self._finder
        named = [find for find in finder.names if find.kind == "name"]
        yield from self._series("numbers", [find for find in finder.numbers if find.kind in ("number", "year")])
        yield from self._series("ordinals", [find for find in finder.numbers if find.kind == "ordinal"])
        yield from self._series("list", [find for find in finder.literals if find.kind in ("quoted", "date")])
        yield from self._series("list", [find for find in finder.names if find.kind in ("name", "acronym")])
        yield from self._series("words", sorted([*self.phrases, *named], key=lambda one: one.start))

    def _series(self, kind: str, group: Sequence[Find]) -> Iterator[Find]:
        index = 0
        while index < len(group):
            joined = [group[index]]
            for other in group[index + 1 : index + MOST_ITEMS]:
                if not self._joins(kind, joined[-1], other):
                    break
                joined.append(other)
            if len(joined) > 1:
                yield self._finder.find(kind, joined, *self._bracketed(joined[0].start, joined[-1].end))
            index += len(joined)

    def _bracketed(self, start: int, end: int) -> tuple[int, int]:
        """Take the brackets around a list in."""
        opens = start > 0 and self._tokens[start - 1].text in ("[", "(")
        closes = end < len(self._tokens) and self._tokens[end].text in ("]", ")")
        return (start - 1, end + 1) if opens and closes else (start, end)

    def _joins(self, kind: str, one: Find, other: Find) -> bool:
        """Whether nothing but a comma or the like stands between two values; between numbers also a unit."""
        between = [token.text for token in self._tokens[one.end : other.start]]
        if kind == "numbers":
            between = [word for word in between if word not in _SIGNS]
            between = between[1:] if between and between[0] not in _JOINERS and one.unit else between
        allowed = _JOINERS | ARTICLES if kind == "words" else _JOINERS
        if not 0 < len(between) <= 3 or not all(word in allowed for word in between):
            return False
        return kind == "numbers" or between[0] not in _SINGLE or between[:2] == ["as", "well"]


def _is_participle(word: str) -> bool:
    return len(word) > 4 and word.endswith("ed") and not word.endswith("eed")
