"""Exponentials, logarithms, angles: floats from the standard library, exact where the answer is known to be."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from ares_plugin_calculator.exact import Exact, Number, divide, exactly, is_exact, magnitude, multiply, real, rounded
from ares_plugin_calculator.mistakes import Mistake, too_small
from ares_plugin_calculator.powers import power

MAX_ANGLE = 1e15
_HALF = Fraction(1, 2)
_SINES: dict[int, Exact] = {0: 0, 1: _HALF, 3: 1, 5: _HALF, 6: 0, 7: -_HALF, 9: -1, 11: -_HALF}
"""Sines of multiples of 30° that are fractions."""


def exp(value: Number) -> Number:
    """The exponential function."""
    if is_exact(value) and not value:
        return 1
    answer = real(math.exp, value)
    if not answer:
        raise too_small()
    return answer


def ln(value: Number) -> Number:
    """The natural logarithm."""
    _positive(value)
    if not is_exact(value):
        return real(math.log, value)
    exact = exactly(value)
    if magnitude(exact - 1) < Fraction(1, 8):
        return real(math.log1p, exact - 1) if exact != 1 else 0
    return math.log(exact.numerator) - math.log(exact.denominator)


def log(value: Number, base: Number = 10) -> Number:
    """The logarithm to base 10, or to the base that is given."""
    _positive(value)
    _positive(base)
    if base == 1:
        raise Mistake("there is no logarithm to base 1", "use another base")
    near = _log_near(value, base)
    whole = round(near)
    if is_exact(value, base) and abs(near - whole) < 1e-9 and power(base, whole) == value:
        return whole
    return near


def log2(value: Number) -> Number:
    """The logarithm to base 2."""
    return log(value, 2)


def _log_near(value: Number, base: Number) -> float:
    exact = exactly(value)
    if exact.denominator == 1 and base in (2, 10):
        return math.log10(exact) if base == 10 else math.log2(exact)
    return rounded(divide(rounded(ln(value)), rounded(ln(base))))


def _positive(value: Number) -> None:
    if value <= 0:
        raise Mistake("a logarithm needs a number above 0", "take the logarithm of a positive number")


def sin(angle: Number) -> Number:
    """The sine; exactly 1/2 at the float nearest to pi/6, and so on."""
    step = _multiple_of(angle, math.pi / 6)
    known = None if step is None else _SINES.get(step % 12)
    return real(math.sin, angle) if known is None else known


def cos(angle: Number) -> Number:
    """The cosine."""
    step = _multiple_of(angle, math.pi / 6)
    known = None if step is None else _SINES.get((step + 3) % 12)
    return real(math.cos, angle) if known is None else known


def tan(angle: Number) -> Number:
    """The tangent; undefined at odd multiples of pi/2."""
    step = _multiple_of(angle, math.pi / 4)
    if step is None:
        return real(math.tan, angle)
    if step % 4 == 2:
        raise Mistake("the tangent is not defined at odd multiples of pi/2", "use another angle")
    return (0, 1, 0, -1)[step % 4]


def _multiple_of(angle: Number, unit: float) -> int | None:
    """Which multiple of a part of pi an angle is, to within its own rounding."""
    if magnitude(angle) > MAX_ANGLE:
        raise Mistake("the angle is too large to be reduced accurately", "use an angle below 1e15")
    if is_exact(angle):
        return None if angle else 0
    step = round(rounded(angle) / unit)
    return step if abs(rounded(angle) - step * unit) <= 2 * math.ulp(rounded(angle)) else None


def asin(value: Number) -> float:
    """The angle whose sine this is."""
    return real(math.asin, _from_minus_one_to_one(value))


def acos(value: Number) -> float:
    """The angle whose cosine this is."""
    return real(math.acos, _from_minus_one_to_one(value))


def _from_minus_one_to_one(value: Number) -> Number:
    if magnitude(value) > 1:
        raise Mistake("no angle has a sine or cosine outside -1 to 1", "give a number from -1 to 1")
    return value


def atan2(height: Number, width: Number) -> float:
    """The angle of the point (width, height), in its own quadrant."""
    return real(math.atan2, height, width)


def acosh(value: Number) -> float:
    """The inverse of cosh."""
    if value < 1:
        raise Mistake("acosh is defined from 1 up", "give a number of 1 or more")
    return real(math.acosh, value)


def atanh(value: Number) -> float:
    """The inverse of tanh."""
    if magnitude(value) >= 1:
        raise Mistake("atanh is defined between -1 and 1", "give a number between -1 and 1")
    return real(math.atanh, value)


def radians(degrees: Number) -> Number:
    """An angle in degrees, in radians."""
    return multiply(degrees, math.pi / 180) if degrees else 0


def degrees(angle: Number) -> Number:
    """An angle in radians, in degrees."""
    return divide(multiply(angle, 180), math.pi) if angle else 0


def plain(compute: Callable[[float], float]) -> Callable[[Number], float]:
    """A function of the standard library, defined for every real number, as one of the calculator."""
    return lambda value: real(compute, value)
