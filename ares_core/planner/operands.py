"""What calculations are made of: numbers with their signs, parentheses, calls of functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ares_core.planner.expressions import ADD, ATOM, FUNCTIONS, LOOSE, SIGN, written
from ares_core.planner.numbers import Number, readings_at
from ares_core.planner.readings import Reading
from ares_core.planner.text import Token

if TYPE_CHECKING:
    from ares_core.planner.parser import Parser

SIGN_WORDS = {"-": -1, "+": 1, "minus": -1, "negative": -1, "负": -1}


class OperandReader:
    """Reads the operands of one part of a request."""

    def __init__(self, parser: Parser) -> None:
        self._parser, self._tokens, self._stop = parser, parser.tokens, parser.stop

    def numbers(self, at: int) -> Iterator[Reading]:
        """Give the numbers in figures and words that begin at a token."""
        for end, number in readings_at(self._tokens, at) if at < self._stop else ():
            if end <= self._stop:
                text, level = written(number)
                yield Reading("value", at, end, text, level, number)

    def signed_numbers(self, at: int) -> Iterator[Reading]:
        """Give the numbers with a sign that begin at a token."""
        if at < self._stop and self._tokens[at].text in SIGN_WORDS:
            for inner in self.numbers(at + 1):
                yield signed(inner, at, SIGN_WORDS[self._tokens[at].text])

    def parenthesised(self, at: int) -> Iterator[Reading]:
        """Read what stands between parentheses."""
        for inner in self._parser.value(at + 1, LOOSE):
            if inner.end < self._stop and self._tokens[inner.end].text == ")":
                text = inner.text if inner.level == ATOM else f"({inner.text})"
                yield Reading(
                    "value",
                    at,
                    inner.end + 1,
                    text,
                    ATOM,
                    None,
                    inner.entries,
                    (("", inner),),
                    inner.cost,
                    inner.words + 2,
                    operations=inner.operations,
                )

    def called(self, at: int) -> Iterator[Reading]:
        """Read a call such as ``gcd(12, 18)`` or ``mean([1, 2])``."""
        read = self._arguments(at + 2)
        if read is not None:
            texts, inner, end = read
            text = f"{FUNCTIONS[self._tokens[at].text]}({','.join(texts)})"
            entries = tuple(entry for reading in inner for entry in reading.entries)
            slots = tuple(("", reading) for reading in inner)
            operations = 1 + sum(reading.operations for reading in inner)
            yield Reading("value", at, end, text, ATOM, None, entries, slots, words=end - at, operations=operations)

    def _arguments(self, at: int) -> tuple[list[str], list[Reading], int] | None:
        bracket = at < self._stop and self._tokens[at].text == "["
        at += bracket
        texts: list[str] = []
        inner: list[Reading] = []
        while at < self._stop:
            found = self._argument(at)
            if found is None:
                return None
            text, reading, at = found
            texts, inner = [*texts, text], [*inner, reading]
            if at < self._stop and self._tokens[at].text == ",":
                at += 1
                continue
            if bracket and at < self._stop and self._tokens[at].text == "]":
                at, texts = at + 1, [f"[{','.join(texts)}]"]
            return (texts, inner, at + 1) if at < self._stop and self._tokens[at].text == ")" else None
        return None

    def _argument(self, at: int) -> tuple[str, Reading, int] | None:
        """Read one argument; in a list of arguments a comma always separates."""
        found = [
            reading for reading in self._parser.value(at, ADD, lists=False) if not _has_comma(self._tokens, reading)
        ]
        if not found:
            return None
        reading = found[0]
        if reading.end + 1 < self._stop and self._tokens[reading.end].text == "..":
            last = self._parser.value(reading.end + 1, ADD, lists=False)
            return (f"{reading.text}..{last[0].text}", reading, last[0].end) if last else None
        return reading.text, reading, reading.end


def signed(inner: Reading, at: int, sign: int) -> Reading:
    """Put a sign before a value."""
    text = f"-{inner.text}" if sign < 0 else inner.text
    value = inner.value
    if isinstance(value, Number) and sign < 0:
        value = Number(-value.value, value.start, value.end, value.percent)
    level = min(inner.level, SIGN) if sign < 0 else inner.level
    return replace(inner, start=at, text=text, level=level, value=value, words=inner.words + (not inner.operations))


def _has_comma(tokens: Sequence[Token], reading: Reading) -> bool:
    return any(tokens[index].text == "," for index in range(reading.start, reading.end)) and not reading.slots
