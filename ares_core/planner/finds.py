"""What a request contains that may be an argument, each with its place: numbers, quotes, addresses, dates, names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from ares_core.planner.dates import find_dates
from ares_core.planner.drafts import as_json
from ares_core.planner.lexical import EMPTY, VERBS
from ares_core.planner.numbers import readings_at
from ares_core.planner.plan import Place
from ares_core.planner.text import Text, unquoted

_YEARS = re.compile(r"\b\d{4}[-–/](?:\d{4}|\d{2})\b(?![-/])")
_PREPOSITIONS = frozenset(
    "in at for of from to on with by about named called near into as using between against titled".split()
)
_ENDS = _PREPOSITIONS | frozenset(
    "and or , . ? ! ; : ( ) that which who where when while if then is are was were has have had given considering "
    "i my me please assuming whose will would can could should during over since until".split()
)
_LINKS = frozenset(("of", "the", "&", "de", "la", "-"))
LONGEST_PHRASE = 7
LONGEST_NAME = 8
MOST_FINDS = 60
MOST_NAMES = 20


class Find(Struct, frozen=True, eq=False):
    """Something in a request that may be an argument; ``before`` is the preposition that it follows."""

    kind: str
    value: Any
    start: int
    end: int
    place: Place
    before: str = ""


class Finder:
    """Looks once through a request for everything that may be an argument."""

    def __init__(self, text: Text) -> None:
        self._text, self._tokens = text, text.tokens
        certain = [*self._dates(), *self._literals(), *self._numbers(), *self._names()]
        taken = {index for find in certain for index in range(find.start, find.end)}
        phrases = [find for find in self._phrases() if taken.isdisjoint(range(find.start, find.end))]
        self.finds = [*certain, *self._lists(), *self._series_of_names(), *phrases][:MOST_FINDS]

    def _find(self, kind: str, value: Any, start: int, end: int) -> Find:
        before = self._tokens[start - 1].text if start and self._tokens[start - 1].text in _PREPOSITIONS else ""
        if not before and start > 1 and self._tokens[start - 1].text in ("the", "a", "an"):
            before = self._tokens[start - 2].text if self._tokens[start - 2].text in _PREPOSITIONS else ""
        return Find(kind, value, start, end, Place(self._tokens[start].start, self._tokens[end - 1].end), before)

    def _dates(self) -> Iterator[Find]:
        starts = {token.start: index for index, token in enumerate(self._tokens)}
        ends = {token.end: index + 1 for index, token in enumerate(self._tokens)}
        found = [("date", *span) for span in find_dates(self._text.plain)]
        found += [("years", *match.span()) for match in _YEARS.finditer(self._text.plain)]
        for kind, begin, after in found:
            if begin in starts and after in ends:
                start, end = starts[begin], ends[after]
                yield self._find(kind, self._text.said(start, end), start, end)

    def _literals(self) -> Iterator[Find]:
        for index, token in enumerate(self._tokens):
            if token.kind in ("quoted", "url", "email", "path", "date", "time", "json", "uuid", "version"):
                said = self._text.said(index, index + 1)
                yield self._find(token.kind, unquoted(said) if token.kind == "quoted" else said, index, index + 1)

    def _number(self, index: int, longest: bool = True) -> tuple[int, Any] | None:
        negative = self._tokens[index].text == "-" and index + 1 < len(self._tokens) and self._tokens[index + 1].glued
        if negative and index and self._tokens[index].glued and self._tokens[index - 1].kind in ("figure", "word"):
            return None
        readings = readings_at(self._tokens, index + negative) if index + negative < len(self._tokens) else []
        if not readings:
            return None
        if index and self._tokens[index - 1].text in ("^", "**"):
            return None
        end, number = readings[0 if longest else -1]
        value = as_json(number.value / 100 if number.percent and isinstance(number.value, int) else number.value)
        return end, -value if negative else value

    def _numbers(self) -> Iterator[Find]:
        index = 0
        while index < len(self._tokens):
            number = self._number(index)
            if number and not (self._tokens[index].text == "-" and index and self._tokens[index - 1].kind == "figure"):
                kind = "number" if self._tokens[index].kind != "word" else "number word"
                yield self._find(kind, number[1], index, number[0])
            index = number[0] if number else index + 1

    def _lists(self) -> Iterator[Find]:
        """Find lists of numbers, in brackets or with commas, and of quoted words."""
        index = 0
        while index < len(self._tokens):
            values, end = self._list_at(index)
            if len(values) > 1:
                yield self._find("list", values, index, end)
            index = max(end, index + 1)

    def _list_at(self, index: int) -> tuple[list[Any], int]:
        bracket = self._tokens[index].text in ("[", "(")
        values: list[Any] = []
        at = index + bracket
        while at < len(self._tokens):
            number = self._number(at, longest=not bracket)
            if number is None and self._tokens[at].kind == "quoted":
                number = at + 1, unquoted(self._text.said(at, at + 1))
            if number is None:
                break
            values.append(number[1])
            end = at = number[0]
            while at < len(self._tokens) and self._tokens[at].text in (",", "and", "、", "和"):
                at += 1
            if at == end:
                break
        if not values:
            return [], index + 1
        return values, end + (bracket and end < len(self._tokens) and self._tokens[end].text in ("]", ")"))

    def _capital(self, index: int) -> bool:
        char = self._text.original[self._tokens[index].start]
        return self._tokens[index].kind == "word" and char.isupper()

    def _end_of_name(self, index: int) -> int:
        """Where a name ends: capitals, figures in it, and links between capitals."""
        end = index + 1
        while end < len(self._tokens) and end - index < LONGEST_NAME:
            linked = self._tokens[end].text in _LINKS
            if self._capital(end) or (self._tokens[end].kind == "figure" and self._tokens[end - 1].text not in _LINKS):
                end += 1
            elif linked and end + 1 < len(self._tokens) and self._capital(end + 1):
                end += 2
            else:
                break
        return end

    def _names(self) -> Iterator[Find]:
        """Find names: words with capitals, not the first of a sentence unless another follows."""
        index = 0
        while index < len(self._tokens):
            if not self._capital(index):
                index += 1
                continue
            end = self._end_of_name(index)
            first = index == 0 or self._tokens[index - 1].text in ".?!"
            if self._tokens[index].text in EMPTY or (first and (end == index + 1 or self._tokens[index].text in VERBS)):
                index += 1
                continue
            name = self._text.said(index, end).removesuffix("'s").removesuffix("’s")
            yield self._find("acronym" if name.isupper() and len(name) > 2 else "name", name, index, end)
            if end + 1 < len(self._tokens) and self._tokens[end].text == "," and self._capital(end + 1):
                yield self._find("place", self._text.said(index, end + 2), index, end + 2)
            index = end

    def _series_of_names(self) -> Iterator[Find]:
        """Find names one after the other, such as "Apple, Google and Microsoft"."""
        names = [find for find in self._names() if find.kind == "name"]
        for first, name in enumerate(names):
            joined = [name]
            for other in names[first + 1 : first + MOST_NAMES]:
                between = {token.text for token in self._tokens[joined[-1].end : other.start]}
                if not between <= {",", "and", "&", "or"}:
                    break
                joined.append(other)
            if len(joined) > 1:
                yield self._find("list", [one.value for one in joined], name.start, joined[-1].end)

    def _phrases(self) -> Iterator[Find]:
        """Find what follows a preposition, up to where something else begins."""
        for index, token in enumerate(self._tokens[:-1]):
            if token.text in _PREPOSITIONS:
                start = index + 1
                while start < len(self._tokens) and self._tokens[start].text in ("the", "a", "an", "my"):
                    start += 1
                end = start
                while end < len(self._tokens) and end - start < LONGEST_PHRASE and self._tokens[end].text not in _ENDS:
                    end += 1
                if end > start and self._tokens[start].kind != "figure":
                    yield self._find("phrase", self._text.said(start, end), start, end)
