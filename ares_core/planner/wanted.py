"""What a request wants: one reading after the other, and which of them build on others."""

from __future__ import annotations

from msgspec import Struct

from ares_core.planner.readings import Reading
from ares_core.planner.text import Text


class Wanted(Struct, frozen=True):
    """One thing that is wanted: its reading, and the part of the request that it is read from."""

    reading: Reading
    text: Text
    follows: int | None = None
    """Which earlier one "it" means."""
    gathers: tuple[int, ...] = ()
    """Which earlier ones "both" means."""


def appended(before: list[Wanted], reading: Reading, text: Text) -> list[Wanted]:
    """Add a wish; a calculation that goes on from the one before, or from several, takes their place."""
    if not (reading.backward and before):
        return [*before, Wanted(reading, text)]
    if reading.kind == "value":
        used = [one for one in before if _is_part(one.reading, reading)] or before[-1:]
        kept = [one for one in before if one not in used]
        return [*kept, Wanted(reading, text, used[-1].follows)]
    gathered = tuple(before.index(one) for one in still_open(before)) if _gathers(reading) else ()
    return [*before, Wanted(reading, text, len(before) - 1, gathered)]


def still_open(wanted: list[Wanted]) -> list[Wanted]:
    """The wishes whose results no later wish takes."""
    taken = {index for one in wanted for index in (one.follows, *one.gathers) if index is not None}
    return [one for index, one in enumerate(wanted) if index not in taken]


def _gathers(reading: Reading) -> bool:
    return any(slot.kind == "refs" or _gathers(slot) for _, slot in reading.slots)


def _is_part(inner: Reading, outer: Reading) -> bool:
    return any(slot is inner or _is_part(inner, slot) for _, slot in outer.slots)
