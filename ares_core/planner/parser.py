"""The parser: finds every way in which the grammar accounts for a part of a request, in a bounded number of steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ares_core.planner.expressions import CONSTANTS, FUNCTIONS, LOOSE, MULTIPLY, SIGN
from ares_core.planner.grammar import TEXTUAL, Grammar
from ares_core.planner.operands import SIGN_WORDS, OperandReader, signed
from ares_core.planner.phrases import Entry, Node
from ares_core.planner.reach import Reach, Slot
from ares_core.planner.readings import Reading, Slots, better, built, rank
from ares_core.planner.slots import SlotReader
from ares_core.planner.text import Text, Token

MOST_STEPS = 8_000
DEEPEST = 40
MOST_STARTS = 16
SIGNS = frozenset(("+", "-", "*", "/", "//", "%", "^", "**"))
"""Signs that bind the figure after them, and no list that begins with it."""
WIDE = TEXTUAL | {"rest"}
"""Kinds that are read by what follows."""
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

    ``previous`` is what "it" means, ``earlier`` what "both" may mean. A ``forgiving`` parser also reads wishes for
    which something is missing.
    """

    def __init__(
        self,
        grammar: Grammar,
        text: Text,
        previous: Reading | None = None,
        forgiving: bool = False,
        budget: Budget | None = None,
        earlier: Sequence[Reading] = (),
        reach: Reach | None = None,
    ) -> None:
        self.grammar, self.text, self.tokens = grammar, text, text.tokens
        self.stop = len(text.tokens)
        self.previous, self.forgiving, self.earlier = previous, forgiving, earlier
        self.present = frozenset(token.text for token in text.tokens)
        self.token_ends = {token.end: index for index, token in enumerate(text.tokens, 1)}
        self._end = text.tokens[-1].end if text.tokens else 0
        self.furthest = self.closed = 0
        self.budget = budget or Budget()
        self._reach = reach or Reach(text.tokens, grammar)
        self._latest = self._reach.latest
        self._depth = 0
        self._values: dict[tuple[int, int, bool], list[Reading]] = {}
        self._wishes: dict[int, list[Reading]] = {}
        self._closing: dict[int, bool] = {}
        self.starts = starts(grammar, text.tokens)
        self.operands = OperandReader(self)
        self.slots = SlotReader(self)

    def clauses(self) -> list[Reading]:
        """Give the wishes and calculations that account for the whole part, the best first."""
        found = []
        for start in self.starts:
            for reading in (*self.wishes(start), *self.value(start, LOOSE)):
                is_whole = (reading.kind == "wish" or reading.calculates) and self.closing(reading.end)
                if is_whole and not self._cuts_text(reading):
                    found.append(reading)
        return sorted(found, key=rank)

    def _cuts_text(self, reading: Reading) -> bool:
        """Whether bare text begins after a greeting that is as likely a part of it: hello world in uppercase."""
        at, first = reading.start, reading.slots[0][1] if reading.slots else None
        if not at or first is None or first.start != at or not first.cost or _is_other(self.tokens[at - 1 : at + 1]):
            return False
        return any(at in self.grammar.greetings.ends(self.tokens, back, at) for back in range(max(at - 2, 0), at))

    def closing(self, at: int) -> bool:
        """Whether nothing but closers and punctuation follows."""
        self.closed = max(self.closed, at)
        if at >= self.stop:
            return True
        if self.tokens[at].text == "=" and self.tokens[at].glued and self.tokens[at - 1].kind == "word":
            return False
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
            if not any(words <= self.present for words in entry.excluded):
                yield entry, at, slots, words
        for there in self._here(at) if node.words else ():
            following = node.after_word(self.tokens[there].text)
            if following is not None and self._stands(there) and self._is_reachable(following, there + 1):
                yield from self.walk(following, there + 1, slots, words + 1)
        for name, kind, tight, following in self._possible(node, at) if node.slots else ():
            for reading in self.slots.read(kind, at, tight, following):
                yield from self.walk(following, reading.end, (*slots, (name, reading)), words)

    def _here(self, at: int) -> tuple[int, ...]:
        """Where the next word may stand: here, and after what is stepped over."""
        if at >= self.stop:
            return ()
        there = self.skip(at) if self.tokens[at].text in self.grammar.ignored else at
        return (at,) if there == at else (at, there) if there < self.stop else (at,)

    def _is_reachable(self, node: Node, at: int) -> bool:
        """Whether what follows a node may begin at a token."""
        return self._latest(node) >= (self.tokens[at].start if at < self.stop else self._end)

    def _possible(self, node: Node, at: int) -> list[Slot]:
        """The slots that may follow at a token and whose phrases can go on with words that come after it."""
        found = self._reach.possible(node)
        return [one for one in found if self._is_reachable(one[3], at)] if found else found

    def _stands(self, at: int) -> bool:
        """Whether a sign may be the operator that it looks like: 17 % 5, not 17% 5; 5!, not 5 !; 2 x 3, not 2x+3."""
        sign = self.tokens[at]
        if sign.text == "x" and sign.glued and at + 1 < self.stop:
            return self.tokens[at + 1].text not in SIGNS
        if sign.text == "%":
            return at + 1 < self.stop and sign.glued == self.tokens[at + 1].glued
        return sign.glued if sign.text == "!" else True

    def _is_hyphen(self, at: int) -> bool:
        """Whether a sign only joins a word to what stands before it: 7-Eleven, twenty-first."""
        joined = self.tokens[at : at + 2]
        return (
            len(joined) == 2
            and joined[0].text == "-"
            and joined[0].glued
            and joined[1].glued
            and joined[1].kind == "word"
            and joined[1].text not in CONSTANTS
            and joined[1].text not in FUNCTIONS
        )

    def _holds(self, left: Reading, level: int) -> bool:
        """Whether a calculation holds together where one of this level goes on: 3 plus 4 doesn't in "3 plus 4/5"."""
        is_closed = bool(left.slots) and max(slot.end for _, slot in left.slots) < left.end  # by words: 5和3的差
        return left.backward or is_closed or left.level >= min(level, SIGN) or self._is_piece(left)

    def _is_piece(self, reading: Reading) -> bool:
        """Whether a calculation is written in figures and signs without blanks."""
        in_signs = all(entry.source == "signs" for entry in reading.entries)
        return in_signs and all(token.glued for token in self.tokens[reading.start + 1 : reading.end])

    def _is_bottom(self, reading: Reading, level: int) -> bool:
        """Whether words that go on from a figure would take it out of a fraction: 3/4 squared."""
        at = reading.start
        above = self.tokens[at - 1] if at and reading.end == at + 1 and self.tokens[at].glued else None
        return level > MULTIPLY and above is not None and above.text == "/" and above.glued

    def _splits_a_piece(self, left: Reading) -> bool:
        """Whether what words say would end inside figures in one piece: "decrease 10 by 1/2" takes all of 1/2."""
        piece = self.tokens[left.end - 1 : left.end + 2]
        return (
            any(entry.source != "signs" for entry in left.entries[:1])
            and self.tokens[left.start].kind in ("word", "han")
            and len(piece) == 3
            and piece[0].kind == piece[2].kind == "figure"
            and piece[1].text in SIGNS
            and piece[1].glued
            and piece[2].glued
        )

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
            if reading.end in found and not better(reading, found[reading.end]):
                continue
            found[reading.end] = reading
            todo += self._extended(reading, "value", tight)
        self._depth -= 1
        self.furthest = max([self.furthest, *found])
        self._values[key] = sorted(found.values(), key=lambda reading: -reading.end)
        return self._values[key]

    def _extended(self, left: Reading, kind: str, tight: int) -> Iterator[Reading]:
        """Give the calculations that go on from a first value; after an open one only those that take all of it."""
        cut = self._is_hyphen(left.end) or self._splits_a_piece(left)
        node = self.grammar.after.get(kind) if not cut else None
        for name, _, level, following in self._possible(node, left.end) if node else ():
            if kind != "value" or (level >= tight and not (left.open and level > LOOSE) and self._holds(left, level)):
                found = self._built(self.walk(following, left.end, ((name, left),)), left.start)
                bottom = self._is_bottom(left, level)
                yield from (
                    each for each in found if not _splits_sign(left, each) and not (bottom and _is_worded(each))
                )

    def _primary(self, at: int, lists: bool) -> Iterator[Reading]:
        """Give the values that begin at a token without one to their left."""
        token = self.tokens[at]
        yield from self.operands.numbers(at)
        yield from self.operands.signed_numbers(at)
        if token.text in SIGN_WORDS:
            for inner in self.value(at + 1, SIGN, lists):
                yield signed(inner, at, SIGN_WORDS[token.text])
        elif token.text == "(":
            yield from self.operands.parenthesised(at)
        elif token.text in FUNCTIONS and at + 1 < self.stop and self.tokens[at + 1].text == "(":
            yield from self.operands.called(at)
        if token.text in CONSTANTS and (token.text != "e" or self.text.original[token.start] == "e"):
            yield Reading("value", at, at + 1, CONSTANTS[token.text])
        yield from self._built(self.walk(self.grammar.calculations, at), at)
        yield from self.slots.previous_value(at)
        if lists and (at == 0 or self.tokens[at - 1].text not in SIGNS):
            for kind, node in self._reach.openings("after", self.grammar.after):
                if kind != "value" and self._possible(node, at):
                    for left in self.slots.read(kind, at, LOOSE, None):
                        yield from self._extended(left, kind, LOOSE)

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
                for node in filter(None, map(self.grammar.wishes_after.get, TEXTUAL)):
                    for name, _, _, following in self._possible(node, reading.end):
                        todo += self._built(self.walk(following, reading.end, ((name, reading),)), at)
            self._depth -= 1
            self._wishes[at] = found
        return self._wishes[at]

    def _first_wishes(self, at: int) -> Iterator[Reading]:
        yield from self._built(self.walk(self.grammar.wishes, at), at)
        for kind, node in self._reach.openings("wishes", self.grammar.wishes_after):
            possible = self._possible(node, at)
            if possible and kind not in WIDE and not self.slots.read(kind, at, LOOSE, None):
                continue
            for name, _, tight, following in possible:
                for left in self.slots.read(kind, at, tight, following):
                    yield from self._built(self.walk(following, left.end, ((name, left),)), at)

    def _built(self, found: Iterator[tuple[Entry, int, Slots, int]], at: int) -> Iterator[Reading]:
        for entry, end, slots, words in found:
            if (reading := built(entry, at, end, slots, words)) is not None:
                yield reading


def starts(grammar: Grammar, tokens: Sequence[Token]) -> list[int]:
    """Where a wish may begin: after any openers."""
    found, todo, stop = {0: None}, [0], len(tokens)
    while todo and len(found) < MOST_STARTS:
        at = todo.pop(0)
        ends = grammar.openers.ends(tokens, at, stop)
        if at < stop and (tokens[at].text in PUNCTUATION or tokens[at].text in grammar.ignored):
            ends.append(at + 1)
        todo += [end for end in ends if end not in found]
        found |= dict.fromkeys(ends)
    return list(found)


def _is_other(pair: Sequence[Token]) -> bool:
    kinds = {"han" if token.kind == "word" and token.text >= "一" else token.kind for token in pair}
    return len(kinds) > 1


def _is_worded(reading: Reading) -> bool:
    return reading.entries[0].source != "signs"


def _splits_sign(left: Reading, whole: Reading) -> bool:
    """Whether a sign of arithmetic would bind tighter than the minus before it: -2**2 is -(2**2)."""
    return (
        left.level == SIGN
        and not left.operations
        and whole.entries[0].source == "signs"
        and whole.entries[0].level > SIGN
    )
