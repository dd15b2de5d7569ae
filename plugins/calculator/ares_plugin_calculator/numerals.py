"""Number literals: separators, exponents, other bases. Every literal is exact: 0.1 is one tenth."""

from __future__ import annotations

import re
from fractions import Fraction

from ares_plugin_calculator.characters import NARROW_SPACES, vulgar
from ares_plugin_calculator.exact import Exact, tidy
from ares_plugin_calculator.mistakes import Mistake

MAX_EXPONENT = 4_300
_RADIX = re.compile(r"0(?:[xX][0-9A-Fa-f_]+|[bB][01_]+|[oO][0-7_]+)(?![0-9A-Za-z])")
_REST = r"(?P<point>\.(?!\.)[0-9_]*)?(?P<exponent>[eE][+-]?[0-9]+)?"
_DECIMAL = re.compile(rf"(?P<whole>[0-9]+(?:[_']+[0-9]+)*)?{_REST}")
_WITH_COMMAS = re.compile(rf"(?P<whole>[0-9]+(?:[,_'{NARROW_SPACES}]+[0-9]+)*)?{_REST}")
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:(.)[0-9]{3})(?:\1[0-9]{3})*")
_LIST_OR_THOUSANDS = re.compile(r"(?<![0-9.])[0-9]{1,3},(?=0[0-9]{2}(?![0-9]))")


def read_number(text: str, start: int, in_call: bool) -> tuple[Exact, int]:
    """Read the literal that starts here; give its value and where it ends.

    Commas and narrow spaces group thousands outside calls and lists; inside them they separate values.
    """
    radix = _RADIX.match(text, start)
    if radix:
        return _whole(radix[0], start), radix.end()
    found = (_DECIMAL if in_call else _WITH_COMMAS).match(text, start)
    if found is None or found.end() == start:
        raise Mistake("a number is missing", "write a number such as 0.5", start)
    if in_call and _LIST_OR_THOUSANDS.match(text, start):
        raise Mistake(
            "inside a call or list a comma separates values, so this could be one number or two",
            "write one number without a comma, or put a space after the comma between two",
            start,
        )
    return _finish(text, start, found, in_call)


def _finish(text: str, start: int, found: re.Match[str], in_call: bool) -> tuple[Exact, int]:
    end = found.end()
    value = _decimal(_ungrouped(found["whole"] or "", start), found["point"] or "", found["exponent"] or "", start)
    following = text[end : end + 1]
    if following in ("e", "E") and not text[end + 1 : end + 2].isalpha():
        raise Mistake("the exponent has no digits", "write 2e3 for 2000, or 2*e for 2 times e", end)
    if found["point"] and following in (".", "." if in_call else ",") and text[end + 1 : end + 2].isdigit():
        raise Mistake("a number has two separators", "write one decimal point and no other: 1234.5", end)
    part = vulgar(following) if following and not found["point"] and not found["exponent"] else None
    return (tidy(value + part), end + 1) if part is not None else (value, end)


def _ungrouped(whole: str, position: int) -> str:
    """The digits without their separators, which must stand where they mean something."""
    if not whole or whole.isdigit():
        return whole
    if "__" not in whole and set(whole) <= set("0123456789_"):
        return whole.replace("_", "")
    if not _GROUPED.fullmatch(whole):
        raise Mistake(
            f'"{whole[:40]}" is not grouped in threes',
            "write a decimal with a point (3.14), thousands as 1,000 or 1000, a list as mean(3, 14)",
            position,
        )
    return "".join(filter(str.isdigit, whole))


def _decimal(whole: str, point: str, exponent: str, position: int) -> Exact:
    places = point[1:].replace("_", "")
    if "__" in point or point.endswith("_") or point.startswith("._"):
        raise Mistake("an underscore stands between digits only", "leave the underscores out", position)
    shift = _shift(exponent, position) - len(places)
    digits = int(whole + places or "0")
    if not digits:
        return 0
    return digits * 10**shift if shift >= 0 else tidy(Fraction(digits, 10**-shift))


def _shift(exponent: str, position: int) -> int:
    if not exponent:
        return 0
    digits = exponent[1:].lstrip("+-").lstrip("0") or "0"
    if len(digits) > 4 or int(digits) > MAX_EXPONENT:
        raise Mistake(
            "the exponent is too large", f"write at most e{MAX_EXPONENT}, or a power such as 10^5000", position
        )
    return -int(digits) if exponent[1] == "-" else int(digits)


def _whole(literal: str, position: int) -> int:
    if "__" in literal or literal.endswith("_"):
        raise Mistake("an underscore stands between digits only", "leave the underscores out", position)
    return int(literal, 0)
