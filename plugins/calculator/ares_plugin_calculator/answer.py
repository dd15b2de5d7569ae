"""From a text to its answer as a JSON number, or the reason why there is none."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from typing import NamedTuple

from ares_plugin_calculator.calculation import Calculation, number
from ares_plugin_calculator.exact import Number, rounded
from ares_plugin_calculator.mistakes import Mistake
from ares_plugin_calculator.parser import Parser
from ares_plugin_calculator.tokens import tokenize
from ares_plugin_calculator.whole import digits

MAX_DIGITS = 4_300
"""Python, and with it every JSON writer, refuses to print a longer whole number."""
MAX_EXACT_PLACES = 40


class Answer(NamedTuple):
    """A number that JSON can carry, and what should be told beside it."""

    result: int | float | bool
    notes: tuple[str, ...] = ()


def evaluate(expression: str) -> Answer:
    """Calculate an expression.

    >>> evaluate("0.1 + 0.2").result
    0.3
    >>> evaluate("variance(1..5)").result
    2
    """
    calculation = Calculation()
    value = number(Parser(tokenize(expression), calculation).parse())
    result = writable(value)
    calculation.note(lost_digits(value, result))
    return Answer(result, tuple(calculation.notes))


def writable(value: Number) -> int | float | bool:
    """The JSON number for a value: whole if it is, otherwise the nearest float."""
    if isinstance(value, int):
        return _printable(value)
    near = _settled(rounded(value)) if isinstance(value, float) else rounded(value)
    return int(near) if near.is_integer() and abs(near) < 2**53 else near


def _settled(near: float) -> float:
    """Undo the last rounding errors of roots and logarithms: 2.0000000000000004 is 2, 4.999999999999999 is 5."""
    short = f"{near:.12g}"
    return float(short) if abs(float(short) - near) <= 2 * math.ulp(near) else near


def _printable(value: int) -> int:
    limit = min(MAX_DIGITS, sys.get_int_max_str_digits() or MAX_DIGITS)
    if isinstance(value, bool) or value.bit_length() < 3 * limit or digits(value) <= limit:
        return value
    raise Mistake(
        f"the result is too large to be written out: it has {digits(value):,} digits, and {limit:,} can be returned",
        "ask for its digits(…), its log10(…), or a remainder of it",
    )


def lost_digits(value: Number, result: float) -> str:
    """The exact decimal where a float could not hold all its digits."""
    if isinstance(value, int | float) or Fraction(repr(result)) == value:
        return ""
    places = next((count for count in range(MAX_EXACT_PLACES) if (value * 10**count).denominator == 1), None)
    if places is None or digits(value.numerator) > MAX_EXACT_PLACES:
        return ""
    text = f"{abs(value) * 10**places}".zfill(places + 1)
    return f"rounded; exactly {'-' if value < 0 else ''}{text[:-places]}.{text[-places:]}"
