"""Powers and roots: exact wherever the answer is, bounded before they are computed."""

from __future__ import annotations

import math
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, Overflow, localcontext
from fractions import Fraction
from functools import reduce

from ares_plugin_calculator.exact import (
    MAX_BITS,
    Exact,
    Number,
    add,
    exactly,
    fit,
    is_exact,
    limbs,
    multiply,
    real,
    rounded,
    tidy,
)
from ares_plugin_calculator.mistakes import Mistake, too_large, too_small

MAX_ROOT = 1_000
MAX_ROOT_BITS = 8_192
MAX_EXPONENT = 2**64
DIGITS = 60


def power(base: Number, exponent: Number) -> Number:
    """The power; 0 ** 0 is 1."""
    if not base and exponent < 0:
        raise Mistake("zero can't be raised to a negative power", "use another base or exponent")
    if is_exact(exponent) and isinstance(exponent, int) and is_exact(base):
        return _whole_power(exactly(base), int(exponent))
    if base < 0 and exponent != int_part(exponent):
        raise Mistake(
            "a negative number to a fractional power is no real number", "for an odd root write cbrt(x) or root(x, n)"
        )
    known = _rational_power(base, exponent)
    return known if known is not None else _real_power(base, exponent)


def power_cost(base: Number, exponent: Number) -> float:
    """Measured: a root tried for exactness takes some divisions of the base's size."""
    width = 2 if isinstance(exponent, int) else limbs(base)
    return 2_000 + 12 * width * width


def int_part(value: Number) -> int:
    """The number without its fraction."""
    return math.trunc(value)


def _whole_power(base: Exact, exponent: int) -> Number:
    if base in (0, 1) or not exponent:
        return base if exponent else 1
    if base == -1:
        return -1 if exponent % 2 else 1
    is_huge = abs(exponent) >= MAX_EXPONENT
    if base.denominator > 1 and is_huge and (-1 < base < 1) == (exponent > 0):
        raise too_small()
    if base.denominator > 1 and not is_huge and _size(base) * abs(exponent) > MAX_BITS:
        return _rounded_power(base, exponent)
    _fit_power(base, exponent)
    return tidy(Fraction(base) ** exponent) if exponent < 0 else tidy(base**exponent)


def _size(base: Exact) -> float:
    return max(math.log2(abs(base.numerator)), math.log2(base.denominator))


def _rounded_power(base: Exact, exponent: int) -> float:
    """The power of a fraction as a float, where the fraction itself would be too long: 1.000001 ** 1000000.

    Of the digits that are kept the exponent costs at most twenty, so all of the float's are right.
    """
    with localcontext(Context(prec=DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN)):
        try:
            answer = float((Decimal(base.numerator) / base.denominator) ** exponent)
        except Overflow:
            answer = math.inf
    if not answer:
        raise too_small()
    return real(float, answer)


def _fit_power(base: Exact, exponent: int) -> None:
    size = _size(base)
    if abs(exponent) > MAX_BITS:
        known = exponent.bit_length() < 900
        raise too_large(digits=size * abs(exponent) * math.log10(2) if known else None)
    fit(size * abs(exponent))


def _rational_power(base: Number, exponent: Number) -> Number | None:
    """The power to p/q where the q-th root of the base is exact."""
    if not is_exact(base, exponent):
        return None
    fraction = exactly(exponent)
    if fraction.denominator > MAX_ROOT:
        return None
    root = exact_root(exactly(base), fraction.denominator)
    return None if root is None else _whole_power(root, fraction.numerator)


def _real_power(base: Number, exponent: Number) -> float:
    answer = real(pow, base, exponent)
    if base and not answer:
        raise too_small()
    return answer


def exact_root(value: Exact, degree: int) -> Exact | None:
    """The root of a non-negative number if it is a fraction, else ``None``.

    >>> exact_root(Fraction(27, 8), 3)
    Fraction(3, 2)
    """
    top = _whole_root(value.numerator, degree)
    bottom = None if top is None else _whole_root(value.denominator, degree)
    return None if top is None or bottom is None else tidy(Fraction(top, bottom))


def _whole_root(number: int, degree: int) -> int | None:
    if number < 2 or degree == 1:
        return number
    if degree == 2:
        root = math.isqrt(number)
    elif number.bit_length() > MAX_ROOT_BITS:
        return None
    else:
        root = _floor_root(number, degree)
    return root if root**degree == number else None


def _floor_root(number: int, degree: int) -> int:
    """Newton's iteration, from a first guess that is good to 40 bits and never too small."""
    logarithm = math.log2(number) / degree
    shift = max(int(logarithm) - 50, 0)
    guess = int(2 ** (logarithm - shift)) + 1 << shift
    guess += (guess >> 40) + 1
    while True:
        better = ((degree - 1) * guess + number // guess ** (degree - 1)) // degree
        if better >= guess:
            return guess
        guess = better


def sqrt(value: Number) -> Number:
    """The square root; exact for squares of fractions."""
    if value < 0:
        raise Mistake("the square root of a negative number is no real number", "take the root of a number from 0 up")
    if not is_exact(value):
        return real(math.sqrt, value)
    known = exact_root(exactly(value), 2)
    return known if known is not None else _real_sqrt(exactly(value))


def _real_sqrt(value: Exact) -> float:
    """A root may be a decimal where its square is too large or too small for one."""
    top, bottom = value.numerator, value.denominator
    if top.bit_length() - bottom.bit_length() > 1000:
        return rounded(math.isqrt(top // bottom))
    if bottom.bit_length() - top.bit_length() > 1000:
        return 1 / rounded(math.isqrt(bottom // top))
    return real(math.sqrt, value)


def root(value: Number, degree: Number) -> Number:
    """The n-th root; odd roots of negative numbers are negative."""
    if not is_exact(degree) or not isinstance(degree, int) or not 1 <= degree <= MAX_ROOT:
        raise Mistake("the degree of a root is a whole number from 1 to 1,000", "write root(27, 3)")
    if value < 0:
        if degree % 2 == 0:
            raise Mistake("an even root of a negative number is no real number", "take the root of a number from 0 up")
        return -root(-value, degree)
    return sqrt(value) if degree == 2 else power(value, Fraction(1, degree))


def cbrt(value: Number) -> Number:
    """The cube root."""
    return root(value, 3)


def isqrt(value: Number) -> int:
    """The square root rounded down."""
    if value < 0:
        raise Mistake("the square root of a negative number is no real number", "take the root of a number from 0 up")
    return math.isqrt(int_part(value))


def hypot(*values: Number) -> Number:
    """The length of a vector: the root of the sum of squares."""
    return sqrt(reduce(add, [multiply(value, value) for value in values]))
