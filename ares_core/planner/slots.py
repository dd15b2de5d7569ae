"""What may stand in the slots of a phrase, kind by kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ares_core.planner.expressions import ATOM, LOOSE, Series
from ares_core.planner.grammar import LITERAL, NUMERIC
from ares_core.planner.numbers import Number, plain_figures
from ares_core.planner.phrases import Entry, Node
from ares_core.planner.readings import Reading
from ares_core.planner.text import unquoted

if TYPE_CHECKING:
    from ares_core.planner.parser import Parser

LONGEST_BARE = 30
"""Words of unquoted text that are taken as such."""
BARE = frozenset(
    {"word", "han", "figure", "symbol", "hex", "uuid", "email", "version", "times", "date", "time", "url", "path"}
)
CLOSED = frozenset("?!。;:\"'()[]{}")


class SlotReader:
    """Reads the slots of one part of a request."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        self._tokens, self._text, self._grammar = parser.tokens, parser.text, parser.grammar
        self._lists: dict[int, list[Reading]] = {}
        self._known: dict[tuple[str, int, int], list[Reading]] = {}
        self._kinds: dict[str, Callable[[int], Iterator[Reading]]] = {
            "values": self._values, "number": self._number, "count": self._count, "percent": self._percent, "fraction": self._fraction,
            "word": self._word, "ref": self._reference,
        }  # fmt: skip

    def read(self, kind: str, at: int, tight: int, following: Node | None) -> list[Reading]:
        """Give what can stand in a slot of this kind at a token; ``following`` is what the phrase goes on with."""
        if kind == "text":
            return [*self._texts(at, following), *self._gap(kind, at)]
        key = (kind, at, tight)
        if key not in self._known:
            self._parser.budget.spend()
            self._known[key] = []
            self._known[key] = [*self._read(kind, at, tight), *self._gap(kind, at)]
        return self._known[key]

    def _read(self, kind: str, at: int, tight: int) -> Iterable[Reading]:
        if kind == "rest":
            return self._rest(at)
        at = self._parser.skip(at)
        if kind == "value":
            return self._parser.value(at, tight)
        if kind == "list":
            return (reading for reading in self._values(at) if not isinstance(reading.value, Series))
        if kind in self._kinds:
            return self._kinds[kind](at)
        return self._literal(kind, at) if kind in LITERAL else self._own(kind, at)

    def previous_value(self, at: int) -> Iterator[Reading]:
        """Read "it" inside a calculation: what the step before calculated."""
        previous = self._parser.previous
        if previous is not None and previous.kind == "value":
            for end in self._ends("references", at):
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

    def _ends(self, words: str, at: int) -> list[int]:
        found: list[int] = getattr(self._grammar, words).ends(self._tokens, at, self._parser.stop)
        return found

    def _gap(self, kind: str, at: int) -> Iterator[Reading]:
        """Read a slot for which the request has no value: it points at something, or has come to its end."""
        if kind in self._grammar.pointable:
            for end in self._ends("pointers", at):
                yield Reading("missing", at, end, kind, words=end - at)
        if self._parser.forgiving and kind in self._grammar.pointable and (self._parser.closing(at) or at in self._parser.starts):
            yield self._left_out(kind, at)

    def _left_out(self, kind: str, at: int) -> Reading:
        """Read a slot that is not filled: what the step before gave, or nothing."""
        previous = self._parser.previous
        if previous is None or kind not in ("text", *NUMERIC) or (kind in NUMERIC and previous.kind != "value"):
            return Reading("missing", at, at, kind)
        if kind == "text":
            return Reading("ref", at, at, kind)
        return self._repeated(at, at)

    def _repeated(self, at: int, end: int) -> Reading:
        previous = self._parser.previous
        assert previous is not None
        return Reading("value", at, end, previous.text, previous.level, None, previous.entries, (("", previous),), words=1, backward=True)

    def _number(self, at: int) -> Iterator[Reading]:
        for reading in self._parser.value(at, ATOM - 1, lists=False) if at < self._parser.stop else ():
            if isinstance(reading.value, Number) and not reading.value.percent:
                yield reading
        if at < self._parser.stop and self._tokens[at].text in ("-", "minus", "negative", "负"):
            for reading in self._number(at + 1):
                value = reading.value
                negative = Number(-value.value, value.start, value.end)
                yield Reading("value", at, reading.end, f"-{reading.text}", LOOSE, negative, words=1)

    def _count(self, at: int) -> Iterator[Reading]:
        for reading in self._parser.numbers(at):
            number = reading.value
            if isinstance(number.value, int) and not number.percent:
                yield reading

    def _percent(self, at: int) -> Iterator[Reading]:
        for reading in self._parser.numbers(at):
            if reading.value.percent:
                yield Reading("value", at, reading.end, plain_figures(reading.value.value), ATOM, reading.value)

    def _fraction(self, at: int) -> Iterator[Reading]:
        for reading in self._parser.numbers(at):
            if isinstance(reading.value.value, Fraction | Decimal) and not reading.value.percent:
                yield reading

    def _values(self, at: int) -> Iterator[Reading]:
        if at not in self._lists:
            self._lists[at] = [*self._bracketed(at), *self._ranged(at), *self._listed(at)]
        yield from self._lists[at]

    def _ranged(self, at: int) -> Iterator[Reading]:
        for series in self._own("series", at):
            if series.value.values is not None:
                yield Reading(
                    "values",
                    at,
                    series.end,
                    series.value.values,
                    LOOSE,
                    series.value,
                    series.entries,
                    words=series.words,
                    open=True,
                )

    def _bracketed(self, at: int) -> Iterator[Reading]:
        if at < self._parser.stop and self._tokens[at].text in ("(", "["):
            closing = {"(": ")", "[": "]"}[self._tokens[at].text]
            for inner in self._values(at + 1):
                if inner.kind == "values" and inner.end < self._parser.stop and self._tokens[inner.end].text == closing:
                    yield Reading(
                        "values",
                        at,
                        inner.end + 1,
                        inner.text,
                        LOOSE,
                        inner.value,
                        inner.entries,
                        inner.slots,
                        words=inner.words,
                    )

    def _listed(self, at: int) -> Iterator[Reading]:
        """Read a list, with figures grouped as far as that goes, and with each figure by itself."""
        done = set()
        for longest in (True, False):
            items = list(self._items(at, longest))
            if len(items) > 1 and items[-1].end not in done:
                done.add(items[-1].end)
                yield self._joined(at, items)
            elif len(items) == 1 and self._parser.forgiving and self._parser.closing(items[0].end):
                yield Reading("missing", at, items[0].end, "values", slots=(("", items[0]),))

    def _joined(self, at: int, items: list[Reading]) -> Reading:
        entries = tuple(entry for item in items for entry in item.entries)
        values = [item.value.value if isinstance(item.value, Number) else None for item in items]
        slots = tuple(("", item) for item in items)
        return Reading(
            "values", at, items[-1].end, ",".join(item.text for item in items), LOOSE, values, entries, slots, open=True
        )

    def _items(self, at: int, longest: bool) -> Iterator[Reading]:
        """Read the values of a list, one after the other."""
        while True:
            found = self._parser.value(at, ATOM - 1, lists=False) if at < self._parser.stop else []
            if not found:
                return
            item = found[0] if longest or found[0].entries else found[-1]
            yield item
            if item.end >= self._parser.stop:
                return
            separators = self._ends("separators", self._parser.skip(item.end))
            after = self._tokens[item.end]
            if separators:
                at = separators[0]
            elif after.kind == "figure" and not after.glued and isinstance(item.value, Number):
                at = item.end
            else:
                return

    def _texts(self, at: int, following: Node | None) -> Iterator[Reading]:
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
        if following is not None and not self._ends("pointers", at) and not self._ends("references", at):
            yield from self._bare(at, following)

    def _bare(self, at: int, following: Node) -> Iterator[Reading]:
        """Read bare words; one that may begin something else makes it no text."""
        if self._tokens[at].text in self._grammar.ignored:
            return
        for end in range(at, min(at + LONGEST_BARE, self._parser.stop)):
            token = self._tokens[end]
            if end > at and (following.entries or token.text in following.words or token.text in self._grammar.ignored):
                yield self._said(at, end)
            if token.kind not in BARE or token.text in self._grammar.bounds or token.text in CLOSED:
                return
        if at + LONGEST_BARE >= self._parser.stop and following.entries:
            yield self._said(at, self._parser.stop)

    def _said(self, at: int, end: int) -> Reading:
        said = self._text.said(at, end)
        return Reading("text", at, end, said, value=said, cost=end - at)

    def _rest(self, at: int) -> Iterator[Reading]:
        """Read everything up to the closing words."""
        end = self._parser.stop
        while end > at + 1 and self._parser.closing(end - 1):
            end -= 1
        if at < end and not self._ends("pointers", at):
            yield Reading("text", at, end, self._text.said(at, end), value=self._text.said(at, end), words=1)

    def _word(self, at: int) -> Iterator[Reading]:
        if at < self._parser.stop and self._tokens[at].kind in ("word", "figure"):
            yield self._said(at, at + 1)

    def _reference(self, at: int) -> Iterator[Reading]:
        for end in self._ends("references", at):
            yield Reading("ref" if self._parser.previous else "missing", at, end, "text", words=end - at)

    def _literal(self, kind: str, at: int) -> Iterator[Reading]:
        if at < self._parser.stop and (token := self._tokens[at]).kind == kind:
            said = self._text.said(at, at + 1)
            said = unquoted(said) if kind == "quoted" else said
            yield Reading("literal", at, at + 1, said, value=said, words=1)

    def _own(self, kind: str, at: int) -> Iterator[Reading]:
        """Read a kind that a rule set brings: by its extractor, or by rules that read it."""
        if at >= self._parser.stop:
            return
        extractors = self._grammar.extractors.get(kind, ())
        ends = {token.end: index + 1 for index, token in enumerate(self._tokens[at:], at)} if extractors else {}
        for extractor in extractors:
            for found in extractor(self._text.plain, self._tokens[at].start):
                if (end := ends.get(found.end)) is not None:
                    text = found.value if isinstance(found.value, str) else plain_figures(found.value)
                    yield Reading("literal", at, end, text, value=found.value, words=1)
        if node := self._grammar.reads.get(kind):
            yield from self._read_by_rules(node, at)

    def _read_by_rules(self, node: Node, at: int) -> Iterator[Reading]:
        for entry, end, slots, words in self._parser.walk(node, at):
            given = entry.rule.arguments.get("value")
            if "first" in entry.rule.arguments:
                made = Series.of(**_exact_arguments(entry, dict(slots)))
                if made is not None:
                    yield Reading("series", at, end, value=made, entries=(entry,), slots=slots, words=words, open=True)
            elif isinstance(given, str) and given[:1] == "{":
                inner = dict(slots)[given[1:-1]]
                kind = "missing" if inner.kind == "missing" else "literal"
                yield Reading(kind, at, end, inner.text, inner.level, inner.value, cost=inner.cost, words=words)
            else:
                yield Reading("literal", at, end, str(given), value=given, words=words)


def _exact_arguments(entry: Entry, slots: dict[str, Reading]) -> dict[str, Any]:
    """Fill the arguments of a rule that reads a series: ``"{first}"`` is the exact number in that slot."""
    made: dict[str, Any] = {}
    for name, given in entry.rule.arguments.items():
        number = slots[given[1:-1]].value if isinstance(given, str) and given[:1] == "{" else None
        made[name] = number.value if isinstance(number, Number) else given
    return made
