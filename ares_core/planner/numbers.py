"""Numbers in figures and in words, English and Chinese, exact and with their place in the text."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from msgspec import Struct

from ares_core.planner import chinese
from ares_core.planner.text import Token, plainly, tokens

DIGITS = 400
"""A number with more digits is not read."""

UNITS = {word: n for n, word in enumerate(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen".split())}  # fmt: skip
TENS = {word: n * 10 for n, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "dozen": 12}
SUFFIXES = {"k": 10**3, "bn": 10**9}
PARTS = {"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4,
         "fifth": 5, "fifths": 5, "sixth": 6, "sixths": 6, "eighth": 8, "eighths": 8, "tenth": 10, "tenths": 10}  # fmt: skip
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
    if kind == "figure":
        found = _figures(cut, first)
    elif kind == "han":
        found = [(end, value) for end, value in chinese.readings(cut, first)]
    elif kind == "word":
        found = _words(cut, first)
    else:
        return []
    readings = [reading for end, value in found for reading in _with_percent(cut, index, end, value)]
    return sorted(readings, key=lambda reading: -reading[0])


def _with_percent(cut: Sequence[Token], start: int, end: int, value: Exact) -> list[tuple[int, Number]]:
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
    scaled = _scaled(cut, end, value)
    return [*found, scaled] if scaled else found


def _continues(cut: Sequence[Token], index: int) -> bool:
    """Whether the figure is part of a code or an ordinal: glued to letters that are no unit of number."""
    if index + 1 >= len(cut):
        return False
    following = cut[index + 1]
    return following.glued and following.kind == "word" and following.text in ("st", "nd", "rd", "th")


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


def _tidy(value: Decimal | Fraction) -> Exact:
    """Make a whole number an ``int``, and drop zeros behind the point."""
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else value
    return int(value) if value == value.to_integral_value() else value.normalize()


def _grouped(cut: Sequence[Token], index: int) -> tuple[int, Exact] | None:
    """Read 1,000,000 or 1 000 000; a chain such as 1,2,3 is a list, and 100 200 300 is one too."""
    text, end, sign = cut[index].text, index + 1, ""
    if not text.isdigit() or len(text) > 3 or text == "0":
        return None
    zeros = False
    while end < len(cut) and len(text) <= DIGITS:
        comma = cut[end].text == "," and cut[end].glued and sign != " "
        group = end + 1 if comma else end
        if group >= len(cut) or cut[group].kind != "figure" or cut[group].glued != comma:
            break
        figures, rest = cut[group].text[:3], cut[group].text[3:]
        if not (comma or sign != ",") or not (len(figures) == 3 and figures.isdigit()) or rest[:1].isdigit():
            break
        sign, text, end = "," if comma else " ", text + cut[group].text, group + 1
        zeros = zeros or figures[0] == "0"
        if rest:
            break
    if not sign or (sign == " " and not zeros) or (end < len(cut) and _goes_on(cut, end)):
        return None
    value = exact(text)
    return (end, value) if value is not None else None


def _goes_on(cut: Sequence[Token], end: int) -> bool:
    """Whether a glued comma and another figure follow: then the chain is a list."""
    return (
        cut[end].text == ","
        and cut[end].glued
        and end + 1 < len(cut)
        and cut[end + 1].kind == "figure"
        and (cut[end + 1].glued)
    )


def _scaled(cut: Sequence[Token], end: int, value: Exact) -> tuple[int, Exact] | None:
    """Read "10 million", "5k", "100万"."""
    if end >= len(cut):
        return None
    word = cut[end]
    factor = SCALES.get(word.text) if word.kind == "word" else None
    if factor is None and word.glued:
        factor = SUFFIXES.get(word.text)
    if factor is not None:
        further = _scaled(cut, end + 1, value * factor) if word.text in ("hundred", "thousand") else None
        return further or (end + 1, _times(value, factor))
    return chinese.scaled(cut, end, value)


def _times(value: Exact, factor: int) -> Exact:
    product = value * factor
    return product if isinstance(product, int) else _tidy(product)


def _words(cut: Sequence[Token], index: int) -> list[tuple[int, Exact]]:
    """Read a number in English words."""
    word = cut[index].text
    if word in ("a", "an", "half", "one", "two", "three", "quarter") and (part := _part(cut, index)):
        return [part]
    start = index + 1 if word == "a" else index
    found = _cardinal(cut, start, 1 if word == "a" else None)
    if not found:
        return []
    end, value = found[0]
    if end < len(cut) and cut[end].text == "point" and (decimal := _decimals(cut, end + 1)):
        end, digits = decimal
        value = _tidy(value + Decimal(f"0.{digits}"))
        return [_scaled(cut, end, value) or (end, value)]
    if end + 1 < len(cut) and cut[end].text == "and" and (part := _part(cut, end + 1)) and value < 1000:
        return [(part[0], _tidy(value + Fraction(part[1]))), *found]
    return found


def _part(cut: Sequence[Token], index: int) -> tuple[int, Exact] | None:
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
    after = [token.text for token in cut[end : end + 3]]
    for words in (["of", "a"], ["a"]):
        if after[: len(words)] == words and after[len(words) :][:1] and after[len(words)] in SCALES:
            return end + len(words) + 1, _tidy(value * SCALES[after[len(words)]])
    return end, _tidy(value)


def _decimals(cut: Sequence[Token], index: int) -> tuple[int, str] | None:
    digits = ""
    while index < len(cut) and UNITS.get(cut[index].text, 10) < 10 and len(digits) < 30:
        digits, index = digits + str(UNITS[cut[index].text]), index + 1
    return (index, digits) if digits else None


def _cardinal(cut: Sequence[Token], index: int, current: int | None) -> list[tuple[int, Exact]]:
    """Read "two hundred and five thousand"; with "and" inside also the shorter way, which a list may mean."""
    total, largest, found, below = 0, 10**15, [], 10**15
    position = index
    while position < len(cut) and position - index < 40:
        word = cut[position].text
        step = _small(cut, position)
        if step and step[1] < below and (current is None or current % 100 == 0 and current):
            position, small = step
            current, below = (current or 0) + small, 0
        elif word == "hundred" and current and current < 100:
            current, below, position = current * 100, 100, position + 1
        elif word in SCALES and word != "hundred" and current and SCALES[word] < largest:
            largest, below, position = SCALES[word], 10**15, position + 1
            total, current = total + current * largest, None
        elif word == "and" and (total or current) and below >= 100 and _small(cut, position + 1):
            found.append((position, total + (current or 0)))
            position += 1
            continue
        else:
            break
    if position == index or (current is None and not total) or (current == 1 and position == index):
        return []
    value: Exact = total + (current or 0)
    while found and found[-1][0] >= position - 1 and cut[position - 1].text == "and":
        position = found.pop()[0]
    return [(position, value), *((end, shorter) for end, shorter in reversed(found) if end < position)]


def _small(cut: Sequence[Token], index: int) -> tuple[int, int] | None:
    """Read a number word below a hundred: "seven", "twenty", "twenty-five"."""
    if index >= len(cut):
        return None
    word = cut[index].text
    if word in UNITS:
        return index + 1, UNITS[word]
    if word not in TENS:
        return None
    after = index + 1
    after += after < len(cut) and cut[after].text == "-" and cut[after].glued
    if after < len(cut) and 0 < UNITS.get(cut[after].text, 0) < 10:
        return after + 1, TENS[word] + UNITS[cut[after].text]
    return index + 1, TENS[word]
