"""Lists of numbers, and ranges written as lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ares_core.planner.expressions import ATOM, LOOSE, MULTIPLY
from ares_core.planner.numbers import Number
from ares_core.planner.readings import Reading

if TYPE_CHECKING:
    from ares_core.planner.parser import Parser
    from ares_core.planner.slots import SlotReader


COMMAS, SIGNS = frozenset(",、;"), frozenset(("/", "*", "^", "**"))


def _is_mixed(items: list[Reading]) -> bool:
    """Whether some values are shares and others plain numbers: "10 and 20 percent" may mean either."""
    shares = {isinstance(item.value, Number) and item.value.percent for item in items}
    return len(shares) > 1


class ListReader:
    """Reads the lists of one part of a request."""

    def __init__(self, parser: Parser, slots: SlotReader) -> None:
        self._parser, self._slots, self._tokens = parser, slots, parser.tokens
        self._known: dict[int, list[Reading]] = {}

    def read(self, at: int) -> Iterator[Reading]:
        """Give the lists and ranges that begin at a token."""
        if at not in self._known:
            self._known[at] = [*self._bracketed(at), *self._ranged(at), *self._listed(at), *self._both(at)]
        yield from self._known[at]

    def _ranged(self, at: int) -> Iterator[Reading]:
        for series in self._slots.series(at):
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

    def _both(self, at: int) -> Iterator[Reading]:
        """Read "both": what the steps before calculated, if all of them calculated."""
        earlier = self._parser.earlier
        if len(earlier) > 1 and all(reading.kind == "value" for reading in earlier):
            for end in self._slots.ends("plurals", at):
                entries = tuple(dict.fromkeys(entry for each in earlier for entry in each.entries))
                slots = tuple(("", each) for each in earlier)
                text = ",".join(each.text for each in earlier)
                yield Reading(
                    "values", at, end, text, LOOSE, None, entries, slots, words=end - at, open=True, backward=True
                )

    def _bracketed(self, at: int) -> Iterator[Reading]:
        if at < self._parser.stop and self._tokens[at].text in ("(", "["):
            closing = {"(": ")", "[": "]"}[self._tokens[at].text]
            for inner in self.read(at + 1):
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
            if len(items) > 1 and items[-1].end not in done and not _is_mixed(items):
                done.add(items[-1].end)
                yield self._joined(at, items)
            elif len(items) == 1 and self._parser.forgiving:
                yield Reading("missing", at, items[0].end, "values", gaps=1)

    def _joined(self, at: int, items: list[Reading]) -> Reading:
        entries = tuple(dict.fromkeys(entry for item in items for entry in item.entries))
        values = [item.value.value if isinstance(item.value, Number) else None for item in items]
        slots = tuple(("", item) for item in items)
        return Reading(
            "values", at, items[-1].end, ",".join(item.text for item in items), LOOSE, values, entries, slots, open=True
        )

    def _in_signs(self, at: int) -> Reading | None:
        """Read a value such as 1/2 or 2^3, written in one piece."""
        if self._tokens[at].kind != "figure" or at + 2 >= self._parser.stop or self._tokens[at + 1].text not in SIGNS:
            return None
        for found in self._parser.value(at, MULTIPLY, lists=False):
            if found.operations and all(token.glued for token in self._tokens[at + 1 : found.end]):
                return found if all(entry.source == "signs" for entry in found.entries) else None
        return None

    def _asks_anew(self, item: Reading) -> bool:
        """Whether a value is worded as a calculation of several values: "product of 3 and 4" after "1 and 2"."""
        worded = bool(item.entries) and item.entries[0].source != "signs"
        several = item.open or len(item.slots) > 1
        return worded and several and self._tokens[item.start].kind in ("word", "han")

    def _items(self, at: int, longest: bool) -> Iterator[Reading]:
        """Read the values of a list, one after the other."""
        closed, begin = False, at
        while True:
            found = self._parser.value(at, ATOM - 1, lists=False) if at < self._parser.stop else []
            if not found:
                return
            item = self._in_signs(at) or (found[0] if longest or found[0].entries else found[-1])
            listed = at == begin or self._tokens[at - 1].text in COMMAS
            if at > begin and (closed or listed) and self._asks_anew(item):
                return
            closed = closed or not listed
            yield item
            if item.end >= self._parser.stop:
                return
            separators = self._slots.ends("separators", self._parser.skip(item.end))
            after = self._tokens[item.end]
            if separators:
                at = separators[0]
            elif after.kind == "figure" and not after.glued and isinstance(item.value, Number):
                at = item.end
            else:
                return
