"""Numbers in figures and in words, English and Chinese, exact and with their place in the text."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction

from msgspec import Struct

from ares_core.planner import chinese, english
from ares_core.planner.text import Token, plainly, tokens

LONGEST_PART = 4
DIGITS = 400
"""A number with more digits is not read."""

ORDINALS = frozenset(f"{letter}{mark}" for letter, mark in zip("snrt", "tddh", strict=True))
SUFFIXES = {"k": 10**3, "bn": 10**9}
_EXACTLY = Context(prec=3 * DIGITS)
CURRENCIES = frozenset("$€£¥")
Exact = int | Decimal | Fraction


class Number(Struct, frozen=True):
    """A number and where it stands; ``percent`` if the text says so (15% has the value 15).

    >>> read_number("1.5 million people").value
    1500000
    """

    value: Exact
    start: int
    end: int
    percent: bool = False

    @property
    def text(self) -> str:
        """The number in plain figures, as a calculator reads it.

        >>> read_number("one third").text
        '1/3'
        """
        return plain_figures(self.value)


def plain_figures(value: Exact) -> str:
    """Write a number without exponent, spaces or signs of grouping."""
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def find_numbers(text: str) -> list[Number]:
    """Find the numbers of a text; parts of dates, times, versions, telephone numbers and words are none.

    >>> [number.text for number in find_numbers("from １ to 一百万, on 2024-05-17")]
    ['1', '1000000']
    """
    found, cut, index = [], tokens(plainly(text)), 0
    while index < len(cut):
        readings = readings_at(cut, index)
        if readings:
            index, number = readings[0]
            found.append(number)
        else:
            index += max(1, chinese.numeral_length(cut, index))
    return found


def read_number(text: str, start: int = 0) -> Number | None:
    """Read the number that begins exactly at ``start``, the longest way.

    >>> read_number("八折").value, read_number("to ten") is None
    (8, True)
    """
    cut = tokens(text[start : start + 2000])
    readings = readings_at(cut, 0) if cut and not cut[0].start else []
    if not readings:
        return None
    number = readings[0][1]
    return Number(number.value, number.start + start, number.end + start, number.percent)


def readings_at(cut: Sequence[Token], index: int) -> list[tuple[int, Number]]:
    """Give the ways to read a number at a token, each with the token after it; the longest first."""
    first = index + 1 if cut[index].text in CURRENCIES and index + 1 < len(cut) else index
    kind = cut[first].kind
    found: Sequence[tuple[int, Exact | chinese.Percent]]
    if kind == "figure":
        found = _figures(cut, first)
    elif kind == "han":
        found = [_scaled_words(cut, end, value) for end, value in chinese.readings(cut, first)]
    elif kind == "word" and cut[first].text in english.BEGINNINGS:
        found = [_scaled_words(cut, end, value) for end, value in english.readings(cut, first)]
    else:
        return []
    readings = [reading for end, value in found for reading in _with_percent(cut, index, end, value)]
    return sorted(readings, key=lambda reading: -reading[0])


def _with_percent(
    cut: Sequence[Token], start: int, end: int, value: Exact | chinese.Percent
) -> list[tuple[int, Number]]:
    here = cut[start].start
    if isinstance(value, chinese.Percent):
        return [(end, Number(value.value, here, cut[end - 1].end, True))]
    readings = [(end, Number(value, here, cut[end - 1].end))]
    mark = cut[end] if end < len(cut) else None
    if mark and (mark.text == "percent" or (mark.text == "%" and (mark.glued or not readings_follow(cut, end + 1)))):
        readings.append((end + 1, Number(value, here, mark.end, True)))
    elif mark and mark.text == "per" and end + 1 < len(cut) and cut[end + 1].text == "cent":
        readings.append((end + 2, Number(value, here, cut[end + 1].end, True)))
    return readings


def readings_follow(cut: Sequence[Token], index: int) -> bool:
    """Whether something that may be a number begins at a token."""
    return index < len(cut) and (cut[index].kind in ("figure", "han") or cut[index].text in "(-+")


def _figures(cut: Sequence[Token], index: int) -> list[tuple[int, Exact]]:
    """Read figures, grouped by commas or spaces where that is the only way, and what they are multiplied by."""
    value = exact(cut[index].text)
    if value is None or _continues(cut, index):
        return []
    found = [(index + 1, value)]
    if (grouped := _grouped(cut, index)) is not None:
        found.append(grouped)
    end, value = found[-1]
    longer = _scaled(cut, end, value) or _and_a_part(cut, end, value)
    return [*found, longer] if longer else found


def _and_a_part(cut: Sequence[Token], end: int, value: Exact) -> tuple[int, Exact] | None:
    """Read "5 and a half"."""
    if not isinstance(value, int) or [token.text for token in cut[end : end + 2]] != ["and", "a"]:
        return None
    part = next((one for one in english.readings(cut, end + 1) if 0 < one[1] < 1), None)
    return (part[0], value + Fraction(part[1])) if part else None


def _continues(cut: Sequence[Token], index: int) -> bool:
    """Whether the figure is part of a code or an ordinal: glued to letters that are no unit of number."""
    if index + 1 >= len(cut):
        return False
    following = cut[index + 1]
    return following.glued and following.kind == "word" and following.text in ORDINALS


def exact(figures: str) -> Exact | None:
    """Read plain figures exactly; ``None`` for codes (a leading zero) and for what is too long.

    >>> exact("12.50"), exact("1.5e3"), exact("007")
    (Decimal('12.5'), 1500, None)
    """
    if len(figures) > DIGITS or (len(figures) > 1 and figures[0] == "0" and figures[1].isdigit()):
        return None
    if figures.isdigit():
        return int(figures)
    value = Decimal(figures)
    return _tidy(value) if abs(value.adjusted()) <= DIGITS else None


def _tidy(value: Decimal) -> int | Decimal:
    """Make a whole number an ``int``, and drop zeros behind the point."""
    return int(value) if value == value.to_integral_value(context=_EXACTLY) else value.normalize(_EXACTLY)


def _grouped(cut: Sequence[Token], index: int) -> tuple[int, Exact] | None:
    """Read 1,000,000 or 1 000 000; a chain such as 1,2,3 is a list, and 100 200 300 is one too."""
    first = cut[index].text
    if len(first) > 3 or not first.isdigit() or first == "0":
        return None
    for comma in (True, False):
        end, groups = _chain(cut, index, comma)
        if len(groups) > 1 and (comma or any(group[0] == "0" for group in groups)):
            value = exact("".join(groups))
            return (end, value) if value is not None else None
    return None


def _chain(cut: Sequence[Token], index: int, comma: bool) -> tuple[int, list[str]]:
    """Collect figures of three with nothing but a comma, or a blank, between them; none if others are among them."""
    groups, end = [cut[index].text], index + 1
    while (follower := _follower(cut, end, comma)) and len(groups) <= DIGITS:
        whole = follower.text.partition(".")[0]
        if (
            len(whole) != 3
            or not whole.isdigit()
            or (whole != follower.text and _follower(cut, end + comma + 1, comma))
        ):
            return end, []
        groups.append(follower.text)
        end += comma + 1
    return end, groups


def _follower(cut: Sequence[Token], end: int, comma: bool) -> Token | None:
    """The figure that comes after a comma, or after a blank, and nothing else."""
    here = end + comma
    if here >= len(cut) or cut[here].kind != "figure" or cut[here].glued != comma:
        return None
    return cut[here] if not comma or (cut[end].text == "," and cut[end].glued) else None


def _scaled(cut: Sequence[Token], end: int, value: Exact) -> tuple[int, Exact] | None:
    """Read "10 million", "5k", "100万"."""
    if end >= len(cut):
        return None
    word = cut[end]
    factor = english.SCALES.get(word.text) if word.kind == "word" else None
    if factor is None and word.glued:
        factor = SUFFIXES.get(word.text)
    if factor is not None:
        further = _scaled(cut, end + 1, _times(value, factor)) if word.text in ("hundred", "thousand") else None
        return further or (end + 1, _times(value, factor))
    after, factor = chinese.scale(cut, end)
    if after == end or factor > chinese.LARGEST_SCALE:
        return None
    whole = _times(value, factor)
    return _with_less(cut, after, whole, factor) if isinstance(value, int) else (after, whole)


def _with_less(cut: Sequence[Token], end: int, value: Exact, unit: int) -> tuple[int, Exact]:
    """Go on with figures of a smaller unit: 3万5千, 1亿2千万."""
    following = cut[end] if end < len(cut) else None
    if following is None or not (following.kind == "figure" and following.glued and following.text.isdigit()):
        return end, value
    after, smaller = chinese.scale(cut, end + 1)
    less = int(following.text) * smaller if len(following.text) <= LONGEST_PART else unit
    return _with_less(cut, after, value + less, smaller) if after > end + 1 and less < unit else (end, value)


def _scaled_words(
    cut: Sequence[Token], end: int, value: Exact | chinese.Percent
) -> tuple[int, Exact | chinese.Percent]:
    """Read what multiplies a decimal in words, as in "two point five million"."""
    return (_scaled(cut, end, value) if isinstance(value, Decimal) else None) or (end, value)


def _times(value: Exact, factor: int) -> Exact:
    return _tidy(_EXACTLY.multiply(value, Decimal(factor))) if isinstance(value, Decimal) else value * factor
