"""What a parser makes of a stretch of the request."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from ares_core.planner.expressions import ADD, ATOM, LOOSE, MULTIPLY, OPERATORS, Place, Series, fill, template
from ares_core.planner.phrases import Entry

Kind = Literal["value", "values", "series", "text", "wish", "ref", "missing", "literal"]
Slots = tuple[tuple[str, "Reading"], ...]


class Reading(Struct, frozen=True):
    """One way to read the tokens from ``start`` up to ``end``.

    ``text`` is the expression or the words, ``value`` the Python value. ``entries`` are the rules that hit, outermost
    first. ``cost`` counts words that were only guessed to be text, ``words`` those that rules account for. An ``open``
    reading ends in a list, so that what follows might belong to its last value.
    """

    kind: Kind
    start: int
    end: int
    text: str = ""
    level: int = ATOM
    value: Any = None
    entries: tuple[Entry, ...] = ()
    slots: Slots = ()
    cost: int = 0
    words: int = 0
    open: bool = False
    backward: bool = False
    """Whether it builds on what the step before gave."""

    @property
    def gaps(self) -> tuple[Reading, ...]:
        """The readings within for which the request has no value."""
        if self.kind == "missing":
            return (self,)
        return tuple(gap for _, slot in self.slots for gap in slot.gaps)

    @property
    def calculates(self) -> bool:
        """Whether it is more than a number as it stands."""
        return self.kind == "value" and (bool(self.entries) or bool(self.slots))


def built(entry: Entry, start: int, end: int, slots: Slots, words: int) -> Reading | None:
    """Put the reading of a rule together from those of its slots; ``None`` if they don't go together."""
    entries = (entry, *(inner for _, slot in slots for inner in slot.entries))
    cost, total = sum(slot.cost for _, slot in slots), words + sum(slot.words for _, slot in slots)
    backward = any(slot.backward or slot.kind == "ref" for _, slot in slots)
    if entry.form is None:
        return Reading("wish", start, end, entries=entries, slots=slots, cost=cost, words=total, backward=backward)
    text = _expression(entry, dict(slots))
    if text is None:
        return None
    is_open = slots[-1][1].open and slots[-1][1].end == end if slots else False
    return Reading("value", start, end, text, entry.form.level, None, entries, slots, cost, total, is_open, backward)


def _expression(entry: Entry, slots: dict[str, Reading]) -> str | None:
    """Fill the template of a calculation; ``None`` if a series has no such form, or words and order disagree."""
    assert entry.form is not None
    parts: dict[str, tuple[str, int]] = {}
    for piece in entry.form.pieces:
        if isinstance(piece, Place):
            reading = slots[piece.slot]
            text = getattr(reading.value, piece.part, None) if piece.part else reading.text
            if text is None or not isinstance(text, str):
                return None
            parts[piece.slot] = (text, template(text).level if piece.part else reading.level)
    return fill(entry.form, parts)


def is_chain(reading: Reading, sign: str) -> bool:
    """Whether a calculation consists of one operation only, such as a sum of terms."""
    return reading.level == OPERATORS[sign] and all(
        piece not in OPERATORS or piece == sign for piece in template(reading.text).pieces if isinstance(piece, str)
    )


__all__ = ["ADD", "LOOSE", "MULTIPLY", "Reading", "Series", "Slots", "built", "is_chain"]
