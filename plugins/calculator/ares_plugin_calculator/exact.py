"""Exact arithmetic on whole numbers and fractions, bounded before it is done, and the way to decimals.

A value is ``int``, ``Fraction`` or, after a root, a logarithm or a sine, ``float``. Sizes are in bits; costs in
nanoseconds as measured on an ordinary computer.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ares_plugin_calculator.mistakes import Mistake, too_large, too_small

MAX_BITS = 131_072
"""No numerator or denominator gets larger: a division of two such numbers takes about 30 ms."""

Exact = int | Fraction
Number = int | Fraction | float


def tidy(value: Exact) -> Exact:
    """A fraction that is whole becomes an ``int``."""
    return value.numerator if value.denominator == 1 else value


def bits(value: Exact) -> tuple[int, int]:
    """The sizes of numerator and denominator; a whole number's denominator counts nothing."""
    return value.numerator.bit_length(), value.denominator.bit_length() - 1


def limbs(value: Number) -> int:
    """How many machine digits a number takes; work grows with their products."""
    return 2 if isinstance(value, float) else 2 + sum(bits(value)) // 30


def fit(size: float) -> None:
    """Refuse a number of more than so many bits before it is made."""
    if size > MAX_BITS + 2:
        raise too_large(digits=size * math.log10(2))


def magnitude(value: Number) -> Number:
    """The number without its sign."""
    return -value if value < 0 else value


def is_exact(*values: Number) -> bool:
    """Whether none of them is a rounded decimal."""
    return not any(isinstance(value, float) for value in values)


def exactly(value: Number) -> Exact:
    """The very value of a number as a fraction; a float stands for the binary fraction it holds."""
    return tidy(Fraction(value)) if isinstance(value, float) else value


def rounded(value: Number) -> float:
    """The float nearest to a number."""
    if isinstance(value, float):
        return value
    try:
        near = value.numerator / value.denominator
    except OverflowError:
        raise Mistake(
            "a number is too large for a decimal result (above 1.8e308)", "use whole numbers, // or logarithms"
        ) from None
    if not near and value:
        raise too_small()
    return near


def real(compute: Callable[..., Any], *values: Number) -> float:
    """Compute with floats; an answer that is no finite real number is refused with the reason.

    >>> real(math.sqrt, 16)
    4.0
    """
    try:
        answer = compute(*map(rounded, values))
    except OverflowError:
        answer = math.inf
    except (ValueError, ZeroDivisionError):
        raise Mistake("the result is not defined for these values", "check the values it is given") from None
    if isinstance(answer, complex):
        raise Mistake("the result is no real number", "only real numbers are calculated")
    if not math.isfinite(answer):
        raise Mistake("the result is too large for a decimal number (above 1.8e308)", "use whole numbers or logarithms")
    return float(answer)


def add(left: Number, right: Number) -> Number:
    """The sum."""
    if not is_exact(left, right):
        return real(float.__add__, left, right)
    (top, bottom), (other_top, other_bottom) = bits(exactly(left)), bits(exactly(right))
    fit(max(top + other_bottom, other_top + bottom, bottom + other_bottom))
    return tidy(exactly(left) + exactly(right))


def subtract(left: Number, right: Number) -> Number:
    """The difference."""
    return add(left, -right)


def multiply(left: Number, right: Number) -> Number:
    """The product."""
    if not is_exact(left, right):
        return _not_vanished(real(float.__mul__, left, right), bool(left and right))
    (top, bottom), (other_top, other_bottom) = bits(exactly(left)), bits(exactly(right))
    fit(max(top + other_top, bottom + other_bottom))
    return tidy(exactly(left) * exactly(right))


def divide(left: Number, right: Number) -> Number:
    """The quotient; a fraction if both are exact."""
    _divisible(right)
    if not is_exact(left, right):
        return _not_vanished(real(float.__truediv__, left, right), bool(left))
    _fit_quotient(exactly(left), exactly(right))
    return tidy(Fraction(exactly(left)) / exactly(right))


def floor_divide(left: Number, right: Number) -> int:
    """The quotient rounded down: -7 // 2 = -4."""
    _divisible(right)
    _fit_quotient(exactly(left), exactly(right))
    return exactly(left) // exactly(right)


def modulo(left: Number, right: Number) -> Number:
    """The remainder of ``floor_divide``; it has the divisor's sign: -7 % 3 = 2."""
    _divisible(right)
    _fit_quotient(exactly(left), exactly(right))
    remainder = tidy(exactly(left) % exactly(right))
    return remainder if is_exact(left, right) else rounded(remainder)


def _divisible(right: Number) -> None:
    if not right:
        raise Mistake("division by zero", "divide by a number other than zero")


def _fit_quotient(left: Exact, right: Exact) -> None:
    (top, bottom), (other_top, other_bottom) = bits(left), bits(right)
    fit(max(top + other_bottom, bottom + other_top))


def _not_vanished(product: float, expected: bool) -> float:
    if expected and not product:
        raise too_small()
    return product
