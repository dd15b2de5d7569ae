"""What a parser makes of a stretch of the request."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from ares_core.planner.expressions import ADD, ATOM, MULTIPLY, Place, Template, fill, template
from ares_core.planner.numbers import Number
from ares_core.planner.phrases import Entry

Kind = Literal[
    "value", "values", "series", "text", "wish", "ref", "refs", "written", "rest", "missing", "literal", "code"
]  # fmt: skip
BACKWARD = frozenset(("ref", "refs", "written"))
"""Kinds that build on what a step before gave or did."""
Slots = tuple[tuple[str, "Reading"], ...]


class Reading(Struct, frozen=True, eq=False):
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
    gaps: int = 0
    """For how many slots within the request has no value."""
    operations: int = 0
    """How many calculations it is made of."""

    @property
    def calculates(self) -> bool:
        """Whether it is more than a number as it stands."""
        return self.kind == "value" and self.operations > 0


def built(entry: Entry, start: int, end: int, slots: Slots, words: int) -> Reading | None:
    """Put the reading of a rule together from those of its slots; ``None`` if they don't go together."""
    inner = [slot for _, slot in slots]
    entries = tuple(dict.fromkeys([entry, *(each for slot in inner for each in slot.entries)]))
    cost, total = sum(slot.cost for slot in inner), words + sum(slot.words for slot in inner)
    backward = any(slot.backward or slot.kind in BACKWARD for slot in inner)
    gaps = sum(slot.gaps for slot in inner)
    if entry.form is None:
        return Reading("wish", start, end, "", ATOM, None, entries, slots, cost, total, False, backward, gaps)
    expression = _expression(entry.form, dict(slots))
    if expression is None:
        return None
    text, level = expression
    is_open = inner[-1].open and inner[-1].end == end if slots else False
    operations = 1 + sum(slot.operations for slot in inner)
    return Reading(
        "value", start, end, text, level, None, entries, slots, cost, total, is_open, backward, gaps, operations
    )


def _expression(form: Template, slots: dict[str, Reading]) -> tuple[str, int] | None:
    """Fill the template of a calculation; ``None`` if a series has no such form, or a share meets a plain number."""
    shares = [_is_percent(reading) for reading in slots.values()]
    if (form.level == ADD and len(set(shares)) > 1) or ("%" in form.pieces and True in shares):
        return None
    if form.level != ADD and sum(shares) > 1 and _adds_a_share(form, slots):
        return None
    parts: dict[str, tuple[str, int]] = {}
    for piece in form.pieces:
        if isinstance(piece, Place):
            reading = slots.get(piece.slot)
            if reading is None:
                return None
            text = getattr(reading.value, piece.part, None) if piece.part else reading.text
            if text is None or not isinstance(text, str):
                return None
            parts[piece.slot] = (text, template(text).level if piece.part else reading.level)
    first = form.pieces[0]
    level = parts[first.slot][1] if len(form.pieces) == 1 and isinstance(first, Place) else form.level
    return fill(form, parts), level


def _adds_a_share(form: Template, slots: dict[str, Reading]) -> bool:
    """Whether it makes something larger or smaller by a share, which is no share itself: 10% less than 20."""
    added = [piece.slot for piece in form.pieces if isinstance(piece, Place) and ADD <= piece.level < MULTIPLY]
    return any(_is_percent(slots[slot]) for slot in added if slot in slots)


def _is_percent(reading: Reading) -> bool:
    """Whether it is a share, which can't be added to or taken from a plain number."""
    return isinstance(reading.value, Number) and reading.value.percent


def rank(reading: Reading) -> tuple[int, ...]:
    """Sort readings of a whole part, the best first."""
    return reading.gaps, reading.cost, -reading.words, len(reading.entries), reading.start, _number(reading)


def better(one: Reading, other: Reading) -> bool:
    """Whether one of two readings of the same tokens leaves less open."""
    return (one.gaps, one.cost, -one.words, _number(one)) < (other.gaps, other.cost, -other.words, _number(other))


def _number(reading: Reading) -> int:
    return reading.entries[0].number if reading.entries else -1


def written(reading: Reading | None) -> Reading | None:
    """The file that a wish writes, copies or moves to, if the request names it."""
    if reading is None or reading.kind != "wish":
        return None
    slots, arguments = dict(reading.slots), reading.entries[0].rule.arguments
    form = arguments.get("destination") or ("content" in arguments and arguments.get("path"))
    named = slots.get(form[1:-1]) if isinstance(form, str) else None
    if named and named.kind == "literal" and not named.text.endswith("/"):
        return named
    return next((slot for slot in slots.values() if slot.kind == "written"), None)


__all__ = ["Reading", "Slots", "better", "built", "rank", "written"]
