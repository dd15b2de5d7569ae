"""The parser: finds every way in which the grammar accounts for a part of a request, within a bounded number of steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ares_core.planner.expressions import ADD, ATOM, CONSTANTS, FUNCTIONS, LOOSE, MULTIPLY, SIGN, Series, written
from ares_core.planner.grammar import Grammar
from ares_core.planner.numbers import Number, readings_at
from ares_core.planner.phrases import Entry, Node
from ares_core.planner.readings import Reading, Slots, built
from ares_core.planner.slots import SlotReader
from ares_core.planner.text import Text

MOST_STEPS = 30_000
DEEPEST = 40
MOST_STARTS = 40
SIGN_WORDS = {"-": -1, "+": 1, "minus": -1, "negative": -1, "负": -1}
PUNCTUATION = frozenset("?!.。,;:、…~")


class TooComplex(Exception):
    """The part of the request is too long or too deeply nested to be understood."""


class Budget:
    """How many steps may still be taken for one request, over all its parts."""

    __slots__ = ("left",)

    def __init__(self, steps: int = MOST_STEPS) -> None:
        self.left = steps

    def spend(self) -> None:
        """Take a step, or give up."""
        self.left -= 1
        if self.left < 0:
            raise TooComplex


class Parser:
    """Reads one part of a request.

    ``previous`` is what "it" means. A ``forgiving`` parser also reads wishes for which something is missing.
    """

    def __init__(
        self, grammar: Grammar, text: Text, previous: Reading | None = None, forgiving: bool = False,
        budget: Budget | None = None,
    ) -> None:  # fmt: skip
        self.grammar, self.text, self.tokens = grammar, text, text.tokens
        self.stop = len(text.tokens)
        self.previous, self.forgiving = previous, forgiving
        self.present = frozenset(token.text for token in text.tokens)
        self.furthest = 0
        self.budget = budget or Budget()
        self._depth = 0
        self._values: dict[tuple[int, int, bool], list[Reading]] = {}
        self._wishes: dict[int, list[Reading]] = {}
        self._closing: dict[int, bool] = {}
        self.starts = self._starts()
        self.slots = SlotReader(self)

    def clauses(self) -> list[Reading]:
        """Give the wishes and calculations that account for the whole part, the best first."""
        found = []
        for start in self.starts:
            for reading in (*self.wishes(start), *self.value(start, LOOSE)):
                if (reading.kind == "wish" or reading.calculates) and self.closing(reading.end):
                    found.append(reading)
        return sorted(found, key=_rank)

    def _starts(self) -> list[int]:
        """Where the wish may begin: after any openers."""
        found, todo = {0: None}, [0]
        while todo and len(found) < MOST_STARTS:
            at = todo.pop(0)
            ends = self.grammar.openers.ends(self.tokens, at, self.stop)
            if at < self.stop and (self.tokens[at].text in PUNCTUATION or self.tokens[at].text in self.grammar.ignored):
                ends.append(at + 1)
            todo += [end for end in ends if end not in found]
            found |= dict.fromkeys(ends)
        return list(found)

    def closing(self, at: int) -> bool:
        """Whether nothing but closers and punctuation follows."""
        if at >= self.stop:
            return True
        if at not in self._closing:
            self._closing[at] = False
            self._closing[at] = (self.tokens[at].text in PUNCTUATION and self.closing(at + 1)) or any(
                self.closing(end) for end in self.grammar.closers.ends(self.tokens, at, self.stop)
            )
        return self._closing[at]

    def skip(self, at: int) -> int:
        """Step over words that carry no meaning."""
        while at < self.stop and self.tokens[at].text in self.grammar.ignored:
            at += 1
        return at

    def walk(self, node: Node, at: int, slots: Slots = (), words: int = 0) -> Iterator[tuple[Entry, int, Slots, int]]:
        """Follow a trie along the tokens; gives the rules that are complete, and where."""
        self.budget.spend()
        if self._depth > DEEPEST:
            raise TooComplex
        self.furthest = max(self.furthest, at)
        for entry in node.entries:
            if not entry.excluded & self.present:
                yield entry, at, slots, words
        for there in dict.fromkeys((at, self.skip(at))):
            following = node.after_word(self.tokens[there].text) if there < self.stop and self._stands(there) else None
            if following is not None:
                yield from self.walk(following, there + 1, slots, words + 1)
        for slot in node.slots:
            name, kind, tight = slot
            following = node.after_slot(slot)
            for reading in self.slots.read(kind, at, tight, following):
                yield from self.walk(following, reading.end, (*slots, (name, reading)), words)

    def _stands(self, at: int) -> bool:
        """Whether a sign may be the operator that it looks like: 17 % 5 and 17%5, but not 17% 5; 5! but not 5 !."""
        sign = self.tokens[at]
        if sign.text == "%":
            return at + 1 < self.stop and sign.glued == self.tokens[at + 1].glued
        return sign.glued if sign.text == "!" else True

    def value(self, at: int, tight: int, lists: bool = True) -> list[Reading]:
        """Give the calculations that begin at a token and hold together at least so tightly, the longest first."""
        at = self.skip(at)
        key = (at, tight, lists)
        if key in self._values:
            return self._values[key]
        self._values[key] = []
        self._depth += 1
        found: dict[int, Reading] = {}
        todo = list(self._primary(at, lists)) if at < self.stop else []
        while todo:
            reading = todo.pop(0)
            if reading.end in found and not _better(reading, found[reading.end]):
                continue
            found[reading.end] = reading
            todo += self._extended(reading, "value", tight)
        self._depth -= 1
        self._values[key] = sorted(found.values(), key=lambda reading: -reading.end)
        return self._values[key]

    def _extended(self, left: Reading, kind: str, tight: int) -> Iterator[Reading]:
        """Give the calculations that go on from a first value."""
        node = self.grammar.after.get(kind)
        if node is None:
            return
        for following, at, slots, words in self._after(node, left):
            if kind == "value" and (following.level < tight or (left.open and following.level > LOOSE)):
                continue
            reading = built(following, left.start, at, slots, words)
            if reading is not None:
                yield reading

    def _after(self, node: Node, left: Reading) -> Iterator[tuple[Entry, int, Slots, int]]:
        for slot in node.slots:
            yield from self.walk(node.after_slot(slot), left.end, ((slot[0], left),))

    def _primary(self, at: int, lists: bool) -> Iterator[Reading]:
        """Give the values that begin at a token without one to their left."""
        token = self.tokens[at]
        yield from self.numbers(at)
        if token.text in SIGN_WORDS:
            for inner in self.value(at + 1, SIGN, lists):
                yield _signed(inner, at, SIGN_WORDS[token.text])
        elif token.text == "(":
            yield from self._parenthesised(at)
        elif token.text in FUNCTIONS and at + 1 < self.stop and self.tokens[at + 1].text == "(":
            yield from self._called(at)
        if token.text in CONSTANTS and (token.text != "e" or self.text.original[token.start] == "e"):
            yield Reading("value", at, at + 1, CONSTANTS[token.text])
        for entry, end, slots, words in self.walk(self.grammar.calculations, at):
            if (reading := built(entry, at, end, slots, words)) is not None:
                yield reading
        yield from self.slots.previous_value(at)
        if lists:
            for kind in self.grammar.after:
                if kind != "value":
                    for left in self.slots.read(kind, at, LOOSE, None):
                        yield from self._extended(left, kind, LOOSE)

    def numbers(self, at: int) -> Iterator[Reading]:
        """Give the numbers in figures and words that begin at a token."""
        for end, number in readings_at(self.tokens, at) if at < self.stop else ():
            if end <= self.stop:
                text, level = written(number)
                yield Reading("value", at, end, text, level, number)

    def _parenthesised(self, at: int) -> Iterator[Reading]:
        for inner in self.value(at + 1, LOOSE):
            if inner.end < self.stop and self.tokens[inner.end].text == ")":
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
                )

    def _called(self, at: int) -> Iterator[Reading]:
        """Read a call such as ``gcd(12, 18)`` or ``mean([1, 2])``."""
        read = self._arguments(at + 2)
        if read is not None:
            texts, inner, end = read
            text = f"{FUNCTIONS[self.tokens[at].text]}({','.join(texts)})"
            entries = tuple(entry for reading in inner for entry in reading.entries)
            slots = tuple(("", reading) for reading in inner)
            yield Reading("value", at, end, text, ATOM, None, entries, slots, words=end - at)

    def _arguments(self, at: int) -> tuple[list[str], list[Reading], int] | None:
        bracket = at < self.stop and self.tokens[at].text == "["
        at += bracket
        texts: list[str] = []
        inner: list[Reading] = []
        while at < self.stop:
            found = self._argument(at)
            if found is None:
                return None
            text, reading, at = found
            texts, inner = [*texts, text], [*inner, reading]
            if at < self.stop and self.tokens[at].text == ",":
                at += 1
                continue
            if bracket and at < self.stop and self.tokens[at].text == "]":
                at, texts = at + 1, [f"[{','.join(texts)}]"]
            return (texts, inner, at + 1) if at < self.stop and self.tokens[at].text == ")" else None
        return None

    def _argument(self, at: int) -> tuple[str, Reading, int] | None:
        """Read one argument; in a list of arguments a comma always separates."""
        found = [reading for reading in self.value(at, ADD, lists=False) if not _has_comma(self, reading)]
        if not found:
            return None
        reading = found[0]
        if reading.end + 1 < self.stop and self.tokens[reading.end].text == "..":
            last = self.value(reading.end + 1, ADD, lists=False)
            return (f"{reading.text}..{last[0].text}", reading, last[0].end) if last else None
        return reading.text, reading, reading.end

    def wishes(self, at: int) -> list[Reading]:
        """Give the wishes that are no calculation and begin at a token."""
        at = self.skip(at)
        if at not in self._wishes:
            self._wishes[at] = []
            self._depth += 1
            todo = list(self._first_wishes(at))
            found: list[Reading] = []
            while todo:
                reading = todo.pop(0)
                found.append(reading)
                node = self.grammar.wishes_after.get("text")
                todo += self._built(self._after(node, reading), at) if node else ()
            self._depth -= 1
            self._wishes[at] = found
        return self._wishes[at]

    def _first_wishes(self, at: int) -> Iterator[Reading]:
        yield from self._built(self.walk(self.grammar.wishes, at), at)
        for kind, node in self.grammar.wishes_after.items():
            for slot in node.slots:
                following = node.after_slot(slot)
                for left in self.slots.read(kind, at, slot[2], following):
                    yield from self._built(self.walk(following, left.end, ((slot[0], left),)), at)

    def _built(self, found: Iterator[tuple[Entry, int, Slots, int]], at: int) -> Iterator[Reading]:
        for entry, end, slots, words in found:
            if (reading := built(entry, at, end, slots, words)) is not None:
                yield reading


def _rank(reading: Reading) -> tuple[int, int, int, int, int]:
    return len(reading.gaps), reading.cost, -reading.words, len(reading.entries), reading.start


def _better(one: Reading, other: Reading) -> bool:
    return (len(one.gaps), one.cost, -one.words) < (len(other.gaps), other.cost, -other.words)


def _signed(inner: Reading, at: int, sign: int) -> Reading:
    text = f"-{inner.text}" if sign < 0 else inner.text
    value = inner.value
    if isinstance(value, Number) and sign < 0:
        value = Number(-value.value, value.start, value.end, value.percent)
    level = min(inner.level, SIGN) if sign < 0 else inner.level
    return Reading(
        "value", at, inner.end, text, level, value, inner.entries, inner.slots, inner.cost, inner.words + 1, inner.open
    )


def _has_comma(parser: Parser, reading: Reading) -> bool:
    return any(parser.tokens[index].text == "," for index in range(reading.start, reading.end)) and not reading.slots


__all__ = ["MULTIPLY", "Parser", "TooComplex"]
