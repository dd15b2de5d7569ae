"""Chinese numerals, as tokens of one character each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from ares_core.planner.text import Token

DIGITS = {char: n for n, char in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
    "壹": 1,
    "贰": 2,
    "叁": 3,
    "肆": 4,
    "伍": 5,
    "陆": 6,
    "柒": 7,
    "捌": 8,
    "玖": 9,
}
UNITS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
MYRIADS = {"万": 10**4, "亿": 10**8}
FRACTIONS = {"百": 100, "千": 1000, "万": 10**4}
_NUMERALS = frozenset({*DIGITS, *UNITS, *MYRIADS, "廿"})
_CONTINUED = dict.fromkeys(DIGITS, frozenset({*DIGITS, *UNITS, *MYRIADS})) | dict.fromkeys(
    (*UNITS, *MYRIADS), frozenset({*"0123456789", *DIGITS, *UNITS, *MYRIADS})
)
"""After which characters a numeral is part of a larger one."""
LONGEST = 40
LARGEST_SCALE = 10**16
IDIOMS = (
    "一起 一下 一些 一样 一般 一直 一定 一点儿 一切 一旦 一边 一方面 一致 一共 一会 一并 "
    "一律 一向 一味 一旁 一同 一体 一面 统一 唯一 万一 第一 第二 第三 十分满意 十分开心 "
    "十分感谢 十分重要 十分高兴 十足 千万不 千万别 千万要 百度 百科 百货 万能 千克 千米 三亚 "
    "四川 三角 五金 六神 七夕 八卦 九寨 两端 两边 两侧 二维 三维 二进制 八进制 十进制 "
    "十六进制 四舍五入 一本正经 三心二意 乱七八糟 五花八门 七上八下 星期一 星期二 星期三 星期四 "
    "星期五 星期六 周一 周二 周三 周四 周五 周六"
).split()
"""Words in which a numeral counts nothing."""

Exact = int | Decimal | Fraction


class Percent(Struct, frozen=True):
    """百分之…: the figure before the percent sign."""

    value: Exact


class Idioms:
    """Words in which no numeral counts and of which no phrase is a part; the longest first.

    >>> Idioms(["计算机"]).end("修计算机", 1), Idioms().end("二十万一", 2)
    (4, 0)
    """

    def __init__(self, further: Iterable[str] = ()) -> None:
        self._by_first: dict[str, list[str]] = {}
        for word in sorted(filter(None, {*IDIOMS, *further}), key=len, reverse=True):
            self._by_first.setdefault(word[0], []).append(word)

    def end(self, text: str, start: int) -> int:
        """Where the word that begins at a place ends, 0 if none does; a numeral may go on with one before it."""
        for word in self._by_first.get(text[start], ()):
            if text.startswith(word, start):
                goes_on = text[start - 1 : start] in _CONTINUED.get(text[start], ())
                return 0 if goes_on else start + len(word)
        return 0


def scale(cut: Sequence[Token], index: int) -> tuple[int, int]:
    """Read what multiplies the figures before it, as in 100万 or 1.5亿: where it ends, and by how much."""
    factor, end = 1, index
    while end < len(cut) and factor <= LARGEST_SCALE:
        unit = UNITS.get(cut[end].text, 0) or MYRIADS.get(cut[end].text, 0)
        if unit <= 10:
            break
        factor, end = factor * unit, end + 1
    return end, factor


def readings(cut: Sequence[Token], index: int) -> list[tuple[int, Exact | Percent]]:
    """Give the ways to read a numeral at a token, the longest first.

    A part of an idiom is none; 分之 makes a fraction or a percentage, 点 decimals.
    """
    if cut[index].text in FRACTIONS and _texts(cut, index + 1, 2) == "分之":
        return _fraction(cut, index + 3, FRACTIONS[cut[index].text])
    found = _figured(cut, index)
    if found is None:
        return []
    end, value = found
    if _texts(cut, end, 2) == "分之" and isinstance(value, int) and value:
        return _fraction(cut, end + 2, value)
    if _texts(cut, end, 1) == "又" and isinstance(value, int) and end + 1 < len(cut):
        for last, part in readings(cut, end + 1):
            if isinstance(part, Fraction) and part < 1:
                return [(last, value + part)]
    return [found]


def _figured(cut: Sequence[Token], index: int) -> tuple[int, int | Decimal] | None:
    """Read a whole number, and decimals after 点."""
    whole = _whole(cut, index)
    if whole and _texts(cut, whole[0], 1) == "点" and (decimals := _digits(cut, whole[0] + 1)):
        return decimals[0], Decimal(f"{whole[1]}.{decimals[1]}")
    return whole


def _texts(cut: Sequence[Token], index: int, length: int) -> str:
    return "".join(token.text for token in cut[index : index + length])


def _fraction(cut: Sequence[Token], index: int, bottom: int) -> list[tuple[int, Exact | Percent]]:
    """Read what is above a fraction's line, which can be no fraction itself."""
    if index >= len(cut):
        return []
    if cut[index].kind == "figure":
        text = cut[index].text
        exact = int(text) if text.isdigit() else Decimal(text)
        return [_divided(index + 1, exact, bottom)] if len(text) < LONGEST else []
    top = _figured(cut, index)
    return [_divided(*top, bottom)] if top else []


def _divided(end: int, value: int | Decimal, bottom: int) -> tuple[int, Exact | Percent]:
    if bottom == 100:
        return end, Percent(value)
    fraction = Fraction(value) / bottom
    return end, int(fraction) if fraction.denominator == 1 else fraction


def _digits(cut: Sequence[Token], index: int) -> tuple[int, str] | None:
    digits = ""
    while index < len(cut) and cut[index].text in DIGITS and len(digits) < LONGEST:
        digits, index = digits + str(DIGITS[cut[index].text]), index + 1
    return (index, digits) if digits else None


def _whole(cut: Sequence[Token], index: int) -> tuple[int, int] | None:
    """Read a whole number: 二十五, 一百零五, 两万五, 二〇二四."""
    end = index + numeral_length(cut, index)
    chars = _texts(cut, index, end - index).replace("廿", "二十")
    value = _value(chars) if chars else None
    return (end, value) if value is not None else None


def numeral_length(cut: Sequence[Token], index: int) -> int:
    """Count the tokens from ``index`` on that are characters of numerals."""
    end = index
    while end < len(cut) and end - index < LONGEST and cut[end].kind == "han" and cut[end].text in _NUMERALS:
        end += 1
    return end - index


def _value(chars: str) -> int | None:
    if all(char in DIGITS for char in chars):
        return int("".join(str(DIGITS[char]) for char in chars)) if len(chars) == 1 or "两" not in chars else None
    if chars[0] in MYRIADS or (chars[0] in "百佰千仟" and chars[-1:] not in MYRIADS):
        return None
    total = section = 0
    digit: int | None = None
    unit = 10**9
    zero = False
    for char in chars:
        if char in DIGITS:
            if digit is not None and not zero:
                return None
            digit, zero = DIGITS[char], DIGITS[char] == 0
        elif char in UNITS:
            section += (1 if digit is None or zero else digit) * UNITS[char]
            digit, unit, zero = None, UNITS[char], False
        else:
            section += digit or 0
            total = (total + section) * MYRIADS[char] if char == "亿" else total + section * MYRIADS[char]
            section, digit, unit, zero = 0, None, MYRIADS[char], False
    if digit and not zero and "零" not in chars[-2:] and "〇" not in chars[-2:] and unit > 10:
        digit *= unit // 10
    return total + section + (digit or 0)
