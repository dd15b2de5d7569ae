"""One pass of a pattern over a text, within bounds."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter, thread_time
from typing import Any

from msgspec import Struct

from ares_core import ToolError
from ares_plugin_regex.patterns import Pattern

MOST_WORK = 200_000_000
"""Steps of the pattern times bytes of the text: the time that RE2 takes at worst, about 5 ns each."""
MOST_MATCHES = 200_000
MOST_SECONDS = 0.6
"""Of processor time: a pattern that looks far ahead of each match is linear for one match, not for all of them."""
QUICK_WORK = 4_000_000
QUICK_SECONDS = 0.002
MOST_COUNTED = 1_000_000_000

Span = tuple[int, int]


class NotQuick(Exception):
    """It may take longer than what waits on the same loop should."""


class Hit(Struct, frozen=True):
    """One match: where, in bytes and in characters, and where its groups are, in bytes; (-1, -1) is one unused."""

    span: Span
    place: Span
    groups: tuple[Span, ...]


class Scan:
    """Gives the matches of a pattern in a text, in order; ``stopped`` says afterwards why not all.

    The library is given bytes, and positions become characters here: it is several times as fast so. A ``quick`` one
    raises ``NotQuick`` as soon as it takes more than about 2 ms.

    >>> from ares_plugin_regex.patterns import compiled
    >>> scan = Scan(compiled("b+"), "äbbäb")
    >>> [scan.hit(match).place for match in scan.matches()]
    [(1, 3), (4, 5)]
    """

    def __init__(self, pattern: Pattern, text: str, *, quick: bool = False) -> None:
        self.data = _encoded(text)
        self.pattern = pattern
        self.text = text
        self.stopped = ""
        self.quick = quick
        self._wide = len(self.data) != len(text)
        self._at: Span = (0, 0)
        _check_work(pattern.steps, len(self.data), quick=quick)

    def matches(self) -> Iterator[Any]:
        """Give the library's matches, without the empty ones that it finds twice or inside a character."""
        seconds = QUICK_SECONDS if self.quick else MOST_SECONDS
        # the clock of the processor costs a system call, which a quick pass doesn't need
        begun, worked = perf_counter(), 0.0 if self.quick else thread_time()
        last, number = (-1, -1), 0
        for match in self.pattern.regex.finditer(self.data):
            span = match.span()
            if span[0] == span[1] and (span == last or self._wide and self._inside_a_character(span[0])):
                continue
            if number >= MOST_MATCHES:
                self.stopped = f"after {MOST_MATCHES:,} matches"
                return
            if perf_counter() - begun > seconds and (self.quick or thread_time() - worked > seconds):
                self._give_up(seconds)
                return
            yield match
            last, number = span, number + 1

    def _give_up(self, seconds: float) -> None:
        if self.quick:
            raise NotQuick
        self.stopped = f"after {seconds} seconds"

    def _inside_a_character(self, at: int) -> bool:
        return at < len(self.data) and self.data[at] & 0xC0 == 0x80

    def count(self, matches: Iterator[Any], before: int) -> int:
        """Count all matches, when so many have been taken already."""
        return self._count_characters() or before + sum(1 for _ in matches)

    def _count_characters(self) -> int:
        """Count by kind of character what a pattern of one character matches: millions are no trouble so."""
        kinds = set(self.text) if self.pattern.is_one_character else ()
        if len(kinds) * len(self.text) > MOST_COUNTED:
            return 0
        return sum(self.text.count(kind) for kind in kinds if self.pattern.regex.fullmatch(kind.encode()))

    def hit(self, match: Any) -> Hit:
        """Work out the place of a match in characters; matches are to be given in order."""
        start, end = match.span()
        groups = tuple(match.span(number) for number in range(1, self.pattern.groups + 1))
        if not self._wide:
            return Hit((start, end), (start, end), groups)
        byte, character = self._at
        first = character + len(self.data[byte:start].decode())
        self._at = (end, first + len(self.data[start:end].decode()))
        return Hit((start, end), (first, self._at[1]), groups)

    def words(self, span: Span) -> str:
        """Give the text between two places, which are in bytes."""
        return self.data[span[0] : span[1]].decode()


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ToolError(
            f"the text holds half of a character at position {error.start}; nothing was matched",
            hint="send the whole character",
            blame="input",
        ) from None


def _check_work(steps: int, size: int, *, quick: bool) -> None:
    if steps * size > MOST_WORK:
        raise ToolError(
            f"a pattern of {steps:,} steps on a text of {size:,} bytes could take too long; nothing was matched",
            hint=f"give at most {MOST_WORK // steps:,} bytes of text at once, or a pattern with fewer repetitions "
            r"and without classes such as \p{L}",
            blame="input",
        )
    if quick and steps * size > QUICK_WORK:
        raise NotQuick
