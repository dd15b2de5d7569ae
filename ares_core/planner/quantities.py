"""The numbers of a request with their units, ordinals, and spans of time such as "next week"."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ares_core.planner.drafts import as_json
from ares_core.planner.numbers import CURRENCIES, ORDINALS, SUFFIXES, readings_at
from ares_core.planner.surroundings import Find, Surroundings
from ares_core.planner.units import Unit, convert, units_of

_RANKED = "first second third fourth fifth sixth seventh eighth ninth tenth"
_ORDINALS = {word: n for n, word in enumerate(_RANKED.split(), 1)}
_ENDINGS = ORDINALS | {"st", "nd", "rd", "th"}
_ONE = frozenset("next past last this per every an a coming previous".split())
_ASIDE = frozenset(("degrees", "degree", "°", "-", "square", "度"))


def unit_after(around: Surroundings, end: int) -> list[Unit]:
    """The unit that follows a number; "m/s" and "square feet" are none."""
    words = [token.text for token in around.tokens[end : end + 3]]
    while words and words[0] in _ASIDE:
        if words[0] == "square" or (len(words) > 1 and not units_of(words[1])):
            break
        words = words[1:]
    if not words or words[1:2] in (["/"], ["^"]):
        return []
    is_last = words[0] == "in" and words[1:2] in ([], [","], ["."], ["?"], ["and"])
    if words[0] in ("in", "a", "second") and not around.tokens[end].glued and not is_last:
        return []
    return units_of(words[0]) or units_of("".join(words[:2]))


def is_year(said: str) -> bool:
    """Whether four figures may be a year.

    >>> is_year("1999"), is_year("12")
    (True, False)
    """
    return len(said) == 4 and said.isdigit() and "1500" <= said <= "2100"


class Quantities:
    """Reads the numbers of a request."""

    def __init__(self, around: Surroundings) -> None:
        self._around, self._tokens = around, around.tokens
        self._depth = 0

    def all(self) -> list[Find]:
        """Give the numbers one after the other; "5 ft 10 in" is one."""
        found: list[Find] = []
        index = 0
        while index < len(self._tokens):
            self._depth += {"[": 1, "]": -1}.get(self._tokens[index].text, 0)
            one = self._number(index) or self._ordinal(index) or self._period(index)
            joined = self._joined(found[-1], one) if one and found else None
            if joined:
                found[-1] = joined
            elif one:
                found.append(one)
            index = one.end if one else index + 1
        return found

    def units(self, numbers: list[Find]) -> Iterator[Find]:
        """Give the units by themselves: of a number, or after "in"."""
        ends = {find.end for find in numbers if find.unit and find.kind == "number"}
        for index, token in enumerate(self._tokens):
            is_asked = bool(index) and self._tokens[index - 1].text in ("in", "into", "to") and len(token.text) > 1
            if (index in ends or is_asked) and units_of(token.text):
                rest = self._tokens[index + 1 : index + 3]
                end = index + 3 if len(rest) > 1 and rest[0].text == "/" else index + 1
                yield self._around.find("unit", self._around.text.said(index, end), index, end)

    def _number(self, index: int) -> Find | None:
        tokens = self._tokens
        negative = self._is_negative(index)
        if index and tokens[index - 1].text in ("^", "**"):
            return None
        readings = readings_at(tokens, index + negative)
        if not readings:
            return None
        end, number = readings[-1 if self._depth > 0 else 0]
        value = -number.value if negative else number.value
        scaled = tokens[end - 1].text in SUFFIXES and tokens[end - 1].glued
        spare = readings[-1][1].value if scaled else None
        unit = units_of("dollar") if tokens[index].text in CURRENCIES else units_of("k") if scaled else []
        unit = unit or unit_after(self._around, end)
        kind = "number" if tokens[index].kind in ("figure", "symbol") else "number word"
        if end == index + 1 and is_year(tokens[index].text) and not unit:
            kind = "year"
        return self._around.find(kind, value, index, end, unit, number.percent, spare)

    def _is_negative(self, index: int) -> bool:
        tokens = self._tokens
        if tokens[index].text != "-" or index + 1 == len(tokens) or not tokens[index + 1].glued:
            return False
        return not (index and tokens[index].glued and tokens[index - 1].kind in ("figure", "word"))

    def _joined(self, first: Find, second: Find) -> Find | None:
        """Join "5 ft 10 in" to one quantity."""
        if second.start - first.end != 1 or not (first.unit and second.unit) or first.kind != "number":
            return None
        whole = convert(first.value, first.unit, second.unit)
        is_smaller = any(a.quantity == b.quantity and a.factor > b.factor for a in first.unit for b in second.unit)
        if whole is None or not is_smaller:
            return None
        return self._around.find("number", whole + Fraction(second.value), first.start, second.end, second.unit)

    def _ordinal(self, index: int) -> Find | None:
        token, after = self._tokens[index], self._tokens[index + 1 : index + 2]
        if token.text in _ORDINALS:
            return self._around.find("ordinal", _ORDINALS[token.text], index, index + 1)
        if token.kind == "figure" and token.text.isdigit() and after and after[0].glued and after[0].text in _ENDINGS:
            return self._around.find("ordinal", int(token.text[:9]), index, index + 2)
        return None

    def _period(self, index: int) -> Find | None:
        """Read "next week" and "a decade" as one of that unit."""
        word = self._tokens[index + 1].text if index + 1 < len(self._tokens) else ""
        if self._tokens[index].text not in _ONE or len(word) < 3:
            return None
        found = units_of(word)
        is_time = bool(found) and found[0].quantity in ("time", "months")
        return self._around.find("period", 1, index, index + 2, found) if is_time else None


def number_value(find: Find, whole: bool, percent: bool) -> Any:
    """Give a number as JSON has it; a percentage as a fraction, unless per cents or whole numbers are wanted."""
    if find.percent and not percent and not whole:
        return as_json(Fraction(find.value) / 100)
    return as_json(find.value)
