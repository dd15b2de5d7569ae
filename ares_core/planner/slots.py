"""What may stand in the slots of a phrase, kind by kind."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from ares_core.planner.expressions import ATOM, LOOSE, Series
from ares_core.planner.grammar import LITERAL, NUMERIC, TEXTUAL
from ares_core.planner.lists import ListReader
from ares_core.planner.numbers import Number, plain_figures
from ares_core.planner.phrases import Entry, Node
from ares_core.planner.readings import Reading, written
from ares_core.planner.text import unquoted
from ares_core.rules import Extraction, Extractor

if TYPE_CHECKING:
    from ares_core.planner.parser import Parser

log = logging.getLogger("ares")
MOST_EXTRACTED = 100
LONGEST_BARE = 30
"""Words of unquoted text that are taken as such."""
BARE = frozenset({"word", "han", "figure", "symbol", "hex", "uuid", "email", "version", "times", "date", "time", "url"})
"""What bare text is made of; a path is none, for its name may be meant or its content."""
CLOSED = frozenset("?!。;:,\"'()[]{}")


class SlotReader:
    """Reads the slots of one part of a request."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        self._tokens, self._text, self._grammar = parser.tokens, parser.text, parser.grammar
        self._operands = parser.operands
        self._lists = ListReader(parser, self)
        self._known: dict[tuple[str, int, int], list[Reading]] = {}
        self._ends: dict[tuple[str, int], list[int]] = {}
        self._kinds: dict[str, Callable[[int], Iterator[Reading]]] = {
            "values": self._lists.read,
            "number": self._number,
            "count": self._count,
            "percent": self._percent,
            "fraction": self._fraction,
            "word": self._word,
            "ref": self._reference,
            "refs": self._plural,
            "written": self._written,
            "texts": self._several,
            "code": self._code,
        }

    def read(self, kind: str, at: int, tight: int, following: Node | None) -> list[Reading]:
        """Give what can stand in a slot of this kind at a token; ``following`` is what the phrase goes on with."""
        if kind in TEXTUAL:
            return [*self._texts(kind, at, following), *self._gap(kind, at)]
        if kind == "rest":
            return [*self._rest(at, following), *self._gap(kind, at)]
        key = (kind, at, tight)
        if key not in self._known:
            self._parser.budget.spend()
            self._known[key] = []
            self._known[key] = [*self._read(kind, at, tight), *self._gap(kind, at)]
        return self._known[key]

    def _read(self, kind: str, at: int, tight: int) -> Iterable[Reading]:
        at = self._parser.skip(at)
        if kind == "value":
            return self._parser.value(at, tight)
        if kind == "list":
            return (reading for reading in self._lists.read(at) if not isinstance(reading.value, Series))
        if kind in self._kinds:
            return self._kinds[kind](at)
        return self._literal(kind, at) if kind in LITERAL else self._own(kind, at)

    def previous_value(self, at: int) -> Iterator[Reading]:
        """Read "it" inside a calculation: what the step before calculated."""
        previous = self._parser.previous
        if previous is not None and previous.kind == "value":
            for end in self.ends("references", at):
                yield Reading(
                    "value",
                    at,
                    end,
                    previous.text,
                    previous.level,
                    None,
                    previous.entries,
                    (("", previous),),
                    words=1,
                    backward=True,
                )

    def ends(self, words: str, at: int) -> list[int]:
        """Where words of a kind end that begin at a token, or with a "the" that was stepped over just before it."""
        key = (words, at)
        if key not in self._ends:
            self._ends[key] = self._ends_at(getattr(self._grammar, words), at)
        return self._ends[key]

    def _ends_at(self, node: Node, at: int) -> list[int]:
        found = node.ends(self._tokens, at, self._parser.stop)
        if at and self._tokens[at - 1].text in self._grammar.ignored:
            found += [end for end in node.ends(self._tokens, at - 1, self._parser.stop) if end > at]
        return found

    def _gap(self, kind: str, at: int) -> Iterator[Reading]:
        """Read a slot for which the request has no value: it points at something, or has come to its end."""
        if kind in self._grammar.pointable:
            for end in self.ends("pointers", at):
                yield Reading("missing", at, end, kind, words=end - at, gaps=1)
        unsaid = kind == "ref" and self._parser.previous is not None
        may_lack = self._parser.forgiving and kind in self._grammar.pointable
        if (unsaid or may_lack) and (self._parser.closing(at) or at in self._parser.starts):
            yield self._left_out(kind, at)

    def _left_out(self, kind: str, at: int) -> Reading:
        """Read a slot that is not filled: what the step before gave, or nothing."""
        previous = self._parser.previous
        if previous is not None and (kind in TEXTUAL or kind == "ref"):
            return Reading("ref", at, at, kind)
        if previous is not None and kind in NUMERIC and previous.kind == "value":
            return _repeated(previous, at, at)
        return Reading("missing", at, at, kind, gaps=1)

    def _number(self, at: int) -> Iterator[Reading]:
        for reading in (*self._operands.numbers(at), *self._operands.signed_numbers(at)):
            if not reading.value.percent:
                yield reading

    def _count(self, at: int) -> Iterator[Reading]:
        for reading in self._operands.numbers(at):
            number = reading.value
            if isinstance(number.value, int) and not number.percent:
                yield reading

    def _percent(self, at: int) -> Iterator[Reading]:
        for reading in self._operands.numbers(at):
            if reading.value.percent:
                yield Reading("value", at, reading.end, plain_figures(reading.value.value), ATOM, reading.value)

    def _fraction(self, at: int) -> Iterator[Reading]:
        for reading in self._operands.numbers(at):
            if isinstance(reading.value.value, Fraction | Decimal) and not reading.value.percent:
                yield reading

    def _texts(self, kind: str, at: int, following: Node | None) -> Iterator[Reading]:
        """Read text: in quotes, what a step gives, or a few bare words up to where the phrase goes on."""
        if at >= self._parser.stop:
            return
        yield from self._literal("quoted", at)
        yield from self._reference(at)
        inner = self._parser.skip(at)
        yield from self._parser.wishes(inner)
        for reading in self._parser.value(inner, LOOSE):
            if any(entry.source != "signs" for entry in reading.entries):
                yield reading
        if following is not None and not self.ends("pointers", at) and not self.ends("references", at):
            yield from self._bare_term(at) if kind == "term" else self._bare(at, following, kind == "text")

    def _bare(self, at: int, following: Node, any_writing: bool) -> Iterator[Reading]:
        """Read bare words; one that may begin something else makes it no text."""
        if self._tokens[at].text in self._grammar.ignored:
            return
        for end in range(at, min(at + LONGEST_BARE, self._parser.stop)):
            token = self._tokens[end]
            if end > at and (following.entries or token.text in following.words or token.text in self._grammar.ignored):
                yield self._said(at, end)
            is_text = token.kind in BARE and token.text not in CLOSED and (any_writing or token.text < "一")
            if not is_text or self.ends("bounds", end):
                return
        if at + LONGEST_BARE >= self._parser.stop and following.entries:
            yield self._said(at, self._parser.stop)

    def _bare_term(self, at: int) -> Iterator[Reading]:
        """Read one bare word that is most likely meant as it stands."""
        token = self._tokens[at]
        plain = token.kind in BARE - {"han", "symbol"} and token.text < "一"
        if plain and not self.ends("bounds", at) and token.text not in self._grammar.ignored:
            yield self._said(at, at + 1)

    def _said(self, at: int, end: int) -> Reading:
        said = self._text.said(at, end)
        return Reading("text", at, end, said, value=said, cost=end - at)

    def _rest(self, at: int, following: Node | None) -> Iterator[Reading]:
        """Read everything up to the closing words, or to where the phrase goes on for the last time."""
        end = self._parser.stop
        while end > at + 1 and self._parser.closing(end - 1):
            end -= 1
        if at >= end or self.ends("pointers", at):
            return
        if (self._parser.previous or self.ends("bounds", at)) and end in self.ends("references", at):
            yield from (reading for reading in self._reference(at) if reading.end == end)
            return
        ends = [end] if following is None or following.entries else []
        if following is not None and following.words:
            ends += [last for last in range(end - 1, at, -1) if self._tokens[last].text in following.words][:1]
        for end in ends:
            yield Reading("rest", at, end, self._text.said(at, end), value=self._text.said(at, end), words=1)

    def _several(self, at: int) -> Iterator[Reading]:
        """Read two or more texts in quotation marks."""
        found: list[str] = []
        start = at
        while at < self._parser.stop and self._tokens[at].kind == "quoted":
            found.append(unquoted(self._text.said(at, at + 1)))
            after = at + 1
            if len(found) > 1:
                yield Reading("literal", start, after, value=list(found), words=after - at)
            at = next(iter(self.ends("separators", after)), self._parser.stop)

    def _code(self, at: int) -> Iterator[Reading]:
        """Read a program: everything up to the end of the request, whatever signs are in it."""
        if at < self._parser.stop and not self.ends("pointers", at):
            said = self._text.said(at, self._parser.stop)
            if self._tokens[at].kind == "quoted" and at + 1 == self._parser.stop:
                said = unquoted(said)
            yield Reading("code", at, self._parser.stop, said, value=said, words=1)

    def _word(self, at: int) -> Iterator[Reading]:
        if at < self._parser.stop and self._tokens[at].kind in ("word", "figure"):
            yield self._said(at, at + 1)

    def _reference(self, at: int) -> Iterator[Reading]:
        for end in self.ends("references", at):
            if self._parser.previous is None:
                yield Reading("missing", at, end, "text", words=end - at, gaps=1)
            else:
                yield Reading("ref", at, end, "text", words=end - at)

    def _written(self, at: int) -> Iterator[Reading]:
        """Read "it" where it means the file that the step before wrote."""
        if (file := written(self._parser.previous)) is None:
            return
        for end in self.ends("contents", at):
            yield replace(file, kind="written", start=at, end=end, words=end - at, backward=True)

    def _plural(self, at: int) -> Iterator[Reading]:
        if len(self._parser.earlier) > 1:
            for end in self.ends("plurals", at):
                yield Reading("refs", at, end, "texts", words=end - at)

    def _literal(self, kind: str, at: int) -> Iterator[Reading]:
        if at < self._parser.stop and self._tokens[at].kind == kind:
            said = self._text.said(at, at + 1)
            said = unquoted(said) if kind == "quoted" else said
            yield Reading("literal", at, at + 1, said, value=said, words=1)

    def _own(self, kind: str, at: int) -> Iterator[Reading]:
        """Read a kind that a rule set brings: by its extractor, or by rules that read it."""
        if at >= self._parser.stop:
            return
        extractors = self._grammar.extractors.get(kind, ())
        for extractor in extractors:
            for found in _extracted(extractor, self._text.plain, self._tokens[at].start):
                if (end := self._parser.token_ends.get(found.end)) is not None:
                    value = self._as_written(found)
                    text = value if isinstance(value, str) else plain_figures(value)
                    yield Reading("literal", at, end, text, value=value, words=1)
        if node := self._grammar.reads.get(kind):
            yield from self._read_by_rules(node, at)

    def _as_written(self, found: Extraction) -> Any:
        """Give what an extractor read with its capitals, which it did not see."""
        if found.value == self._text.plain[found.start : found.end]:
            return self._text.original[found.start : found.end]
        return found.value

    def series(self, at: int) -> Iterator[Reading]:
        """Read a range of whole numbers."""
        return self._own("series", at)

    def _read_by_rules(self, node: Node, at: int) -> Iterator[Reading]:
        for entry, end, slots, words in self._parser.walk(node, at):
            given = entry.rule.arguments.get("value")
            if "first" in entry.rule.arguments:
                made = Series.of(**_exact_arguments(entry, dict(slots)))
                if made is not None:
                    yield Reading("series", at, end, value=made, entries=(entry,), slots=slots, words=words, open=True)
            elif isinstance(given, str) and given[:1] == "{":
                inner = dict(slots)[given[1:-1]]
                made_of = inner if inner.kind == "missing" else replace(inner, kind="literal")
                yield replace(made_of, start=at, end=end, words=words)
            else:
                yield Reading("literal", at, end, str(given), value=given, words=words)


def _extracted(extractor: Extractor, text: str, start: int) -> list[Extraction]:
    """What a rule set's own function reads; one that fails reads nothing, and one without an end is cut off."""
    try:
        return list(islice(extractor(text, start), MOST_EXTRACTED))
    except Exception:
        log.exception("an extractor failed")
        return []


def _repeated(previous: Reading, at: int, end: int) -> Reading:
    """Read the calculation before as a value of this one."""
    return replace(previous, start=at, end=end, words=1, open=False, backward=True)


def _exact_arguments(entry: Entry, slots: dict[str, Reading]) -> dict[str, Any]:
    """Fill the arguments of a rule that reads a series: ``"{first}"`` is the exact number in that slot."""
    made: dict[str, Any] = {}
    for name, given in entry.rule.arguments.items():
        number = slots[given[1:-1]].value if isinstance(given, str) and given[:1] == "{" else None
        made[name] = number.value if isinstance(number, Number) else given
    return made
