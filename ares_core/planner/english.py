"""Numbers in English words, as tokens."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ares_core.planner.text import Token

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
UNITS = {word: n for n, word in enumerate(_UNITS.split())}
TENS = {word: n * 10 for n, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "dozen": 12}
PARTS = {word: n for n, word in enumerate("third fourth fifth sixth seventh eighth ninth tenth".split(), 3)}
PARTS |= {f"{word}s": n for word, n in PARTS.items()} | {"half": 2, "halves": 2, "quarter": 4, "quarters": 4}
BEGINNINGS = frozenset((*UNITS, *TENS, *PARTS, *SCALES, "a", "an"))
"""Words with which a number may begin."""
LONGEST = 40

Exact = int | Decimal | Fraction


def readings(cut: Sequence[Token], index: int) -> list[tuple[int, Exact]]:
    """Give the ways to read a number in words at a token, the longest first."""
    part = _part(cut, index)
    if part:
        return [(part[0], _tidy(part[1]))]
    article = cut[index].text == "a"
    found = _cardinal(cut, index + article, 1 if article else None)
    if not found:
        return []
    end, value = found[0]
    following = cut[end].text if end < len(cut) else ""
    if following == "point" and (digits := _decimals(cut, end + 1)):
        return [(end + 1 + len(digits), Decimal(f"{value}.{digits}"))]
    if following == "and" and value < 1000 and end + 1 < len(cut) and (part := _part(cut, end + 1)):
        return [(part[0], _tidy(value + part[1])), *found]
    return [*found]


def _tidy(value: Fraction) -> Exact:
    return int(value) if value.denominator == 1 else value


def _part(cut: Sequence[Token], index: int) -> tuple[int, Fraction] | None:
    """Read "half", "half a million", "a quarter", "two thirds"."""
    top, here = 1, index
    if cut[here].text in ("a", "an"):
        here += 1
    elif cut[here].text in UNITS:
        top, here = UNITS[cut[here].text], here + 1
        here += here < len(cut) and cut[here].text == "-" and cut[here].glued
    if here >= len(cut) or cut[here].text not in PARTS or (here == index and PARTS[cut[here].text] not in (2, 4)):
        return None
    value, end = Fraction(top, PARTS[cut[here].text]), here + 1
    end += [token.text for token in cut[end : end + 2]] == ["of", "a"]
    after = [token.text for token in cut[end : end + 2]]
    if len(after) == 2 and after[0] == "a" and after[1] in SCALES:
        return end + 2, value * SCALES[after[1]]
    return here + 1, value


def _decimals(cut: Sequence[Token], index: int) -> str:
    digits = ""
    while index < len(cut) and UNITS.get(cut[index].text, 10) < 10 and len(digits) < LONGEST:
        digits, index = digits + str(UNITS[cut[index].text]), index + 1
    return digits


def _cardinal(cut: Sequence[Token], index: int, current: int | None) -> list[tuple[int, int]]:
    """Read "two hundred and five thousand"; with "and" inside also the shorter way, which a list may mean."""
    total, largest, below, position = 0, 10**15, 10**15, index
    shorter: list[tuple[int, int]] = []
    while position < len(cut) and position - index < LONGEST:
        word, step = cut[position].text, _below_hundred(cut, position)
        if step and step[1] < below and (current is None or (current % 100 == 0 and current)):
            position, small = step
            current, below = (current or 0) + small, 0
        elif word == "hundred" and current and current < 100:
            current, below, position = current * 100, 100, position + 1
        elif word in SCALES and word != "hundred" and current and SCALES[word] < largest:
            largest, below, position = SCALES[word], 10**15, position + 1
            total, current = total + current * largest, None
        elif word == "and" and (total or current) and below >= 100 and _below_hundred(cut, position + 1):
            shorter.append((position, total + (current or 0)))
            position += 1
        else:
            break
    if position == index or (current is None and not total):
        return []
    if cut[position - 1].text == "and":
        position = shorter.pop()[0]
    return [(position, total + (current or 0)), *((end, value) for end, value in shorter[::-1] if end < position)]


def _below_hundred(cut: Sequence[Token], index: int) -> tuple[int, int] | None:
    """Read "seven", "twenty", "twenty-five"."""
    word = cut[index].text if index < len(cut) else ""
    if word in UNITS:
        return index + 1, UNITS[word]
    if word not in TENS:
        return None
    after = index + 1
    after += after < len(cut) and cut[after].text == "-" and cut[after].glued
    if after < len(cut) and 0 < UNITS.get(cut[after].text, 0) < 10:
        return after + 1, TENS[word] + UNITS[cut[after].text]
    return index + 1, TENS[word]
