"""Ranges, lists and what is asked about many values: closed forms wherever a range has one.

Functions here take parts: numbers, and ranges that stay unexpanded as long as possible, so that
``sum(1..99999999999999999999)`` costs nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import reduce
from typing import NamedTuple

from ares_plugin_calculator.exact import (
    MAX_BITS,
    Exact,
    Number,
    bits,
    exactly,
    fit,
    is_exact,
    limbs,
    magnitude,
    rounded,
    tidy,
)
from ares_plugin_calculator.mistakes import Mistake
from ares_plugin_calculator.powers import sqrt
from ares_plugin_calculator.whole import gcd, lcm

MAX_ITEMS = 20_000


class Range(NamedTuple):
    """Numbers at equal distances, both ends included where the step meets them: ``1..10..3`` is 1, 4, 7, 10."""

    first: Exact
    step: Exact
    length: int

    @property
    def last(self) -> Exact:
        """The last number that the step meets."""
        return self.first + self.step * (self.length - 1)

    def items(self) -> Iterator[Exact]:
        """One after the other."""
        return (tidy(self.first + self.step * index) for index in range(self.length))


Part = int | Fraction | float | Range
Parts = Sequence[Part]


def make_range(first: Number, last: Number, step: Number | None = None) -> Range:
    """first..last..step; without a step by ones, and downwards if the last is the smaller."""
    if not is_exact(first, last, 0 if step is None else step):
        raise Mistake("a range needs exact ends, not a rounded decimal", "use numbers such as 1..10 or 0..1..0.1")
    start, stop = exactly(first), exactly(last)
    if step is None and (start.denominator != 1 or stop.denominator != 1):
        raise Mistake("the ends of a range are whole numbers unless a step is given", "write 1.5..3.5..0.5")
    stride = _stride(start, stop, exactly(1 if step is None else step))
    fit(max(bits(start)[0], bits(stop)[0]) + bits(stride)[1] + bits(start)[1])
    return Range(start, stride, int((stop - start) // stride) + 1)


def _stride(start: Exact, stop: Exact, step: Exact) -> Exact:
    if not step:
        raise Mistake("a step of zero leads nowhere", "give the distance between two numbers: 1..10..3")
    if step < 0 and start < stop:
        raise Mistake("the step leads away from the end", "give a positive step, or swap the ends")
    return step if (step > 0) == (start <= stop) else -step


def count(parts: Parts) -> int:
    """How many values there are."""
    return sum(part.length if isinstance(part, Range) else 1 for part in parts)


def total(parts: Parts) -> Number:
    """The sum."""
    return _as_given(parts, _power_sum(parts, 1))


def sum_of_squares(parts: Parts) -> Number:
    """The sum of squares."""
    return _as_given(parts, _power_sum(parts, 2))


def sum_of_cubes(parts: Parts) -> Number:
    """The sum of cubes."""
    return _as_given(parts, _power_sum(parts, 3))


def _power_sum(parts: Parts, power: int) -> Exact:
    """The sum of powers, exactly; floats count as the binary fractions they hold."""
    _fit_power_sum(parts, power)
    return tidy(sum((_raised(part, power) for part in parts), start=Fraction(0)))


def _raised(part: Part, power: int) -> Fraction:
    return _RANGE_SUMS[power](part) if isinstance(part, Range) else Fraction(exactly(part)) ** power


def _fit_power_sum(parts: Parts, power: int) -> None:
    numbers = [_largest(part) for part in parts]
    fit(power * (max((bits(number)[0] for number in numbers), default=0) + _width(numbers)))


def _width(numbers: list[Exact]) -> int:
    return sum(bits(number)[1] for number in numbers)


def _largest(part: Part) -> Exact:
    if not isinstance(part, Range):
        return exactly(part)
    return exactly(max(map(magnitude, _ends(part)))) * part.length


def _range_sum(part: Range) -> Fraction:
    return Fraction(part.length * (part.first + part.last)) / 2


def _range_squares(part: Range) -> Fraction:
    n, a, d = part.length, part.first, part.step
    indexes, squares = n * (n - 1), Fraction(n * (n - 1) * (2 * n - 1), 6)
    return n * a * a + a * d * indexes + d * d * squares


def _range_cubes(part: Range) -> Fraction:
    n, a, d = part.length, part.first, part.step
    indexes, squares = Fraction(n * (n - 1), 2), Fraction(n * (n - 1) * (2 * n - 1), 6)
    return n * a**3 + 3 * a * a * d * indexes + 3 * a * d * d * squares + d**3 * indexes**2


_RANGE_SUMS = {1: _range_sum, 2: _range_squares, 3: _range_cubes}


def _as_given(parts: Parts, answer: Exact) -> Number:
    """Exact if all values were."""
    exact = all(isinstance(part, Range) or is_exact(part) for part in parts)
    return answer if exact else rounded(answer)


def mean(parts: Parts) -> Number:
    """The arithmetic mean."""
    return _as_given(parts, tidy(Fraction(_power_sum(parts, 1)) / count(parts)))


def variance(parts: Parts) -> Number:
    """The population variance: squared distances from the mean, divided by how many values there are."""
    return _as_given(parts, tidy(_squared_distances(parts) / count(parts)))


def sample_variance(parts: Parts) -> Number:
    """The sample variance: divided by one less than there are."""
    if count(parts) < 2:
        raise Mistake("a sample variance needs at least two values", "give more values")
    return _as_given(parts, tidy(_squared_distances(parts) / (count(parts) - 1)))


def _squared_distances(parts: Parts) -> Fraction:
    _fit_power_sum(parts, 2)
    return Fraction(_power_sum(parts, 2)) - Fraction(_power_sum(parts, 1)) ** 2 / count(parts)


def stddev(parts: Parts) -> Number:
    """The population standard deviation."""
    return sqrt(variance(parts))


def sample_stddev(parts: Parts) -> Number:
    """The sample standard deviation."""
    return sqrt(sample_variance(parts))


def smallest(parts: Parts) -> Number:
    """The minimum."""
    return min(end for part in parts for end in _ends(part))


def largest(parts: Parts) -> Number:
    """The maximum."""
    return max(end for part in parts for end in _ends(part))


def _ends(part: Part) -> tuple[Number, ...]:
    return (part.first, tidy(part.last)) if isinstance(part, Range) else (part,)


def expanded(parts: Parts) -> list[Number]:
    """All values, for questions that have no closed form."""
    if count(parts) > MAX_ITEMS:
        raise Mistake(
            f"there are too many values: at most {MAX_ITEMS:,} are looked at one by one",
            "use a shorter range; sum, mean, variance, min, max and count take ranges of any length",
        )
    return [item for part in parts for item in (part.items() if isinstance(part, Range) else (part,))]


def median(parts: Parts) -> Number:
    """The middle value, or the mean of the two in the middle."""
    if len(parts) == 1 and isinstance(parts[0], Range):
        return tidy(Fraction(parts[0].first + parts[0].last) / 2)
    values = sorted(expanded(parts))
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else mean(values[middle - 1 : middle + 1])


def mode(parts: Parts) -> Number:
    """The most frequent value; refused if several are."""
    ranked = Counter(expanded(parts)).most_common(2)
    if len(ranked) > 1 and ranked[0][1] == ranked[1][1]:
        raise Mistake("no single value is the most frequent", "there is no mode; ask for mean or median")
    return ranked[0][0]


def product(parts: Parts) -> Number:
    """The product; 0 as soon as a range holds 0."""
    if any(_holds_zero(part) for part in parts):
        return 0
    factors = [exactly(value) for value in expanded(parts)]
    fit(sum(max(math.log2(abs(factor.numerator)), math.log2(factor.denominator)) for factor in factors))
    return _as_given(parts, _product(factors))


def _holds_zero(part: Part) -> bool:
    if not isinstance(part, Range):
        return not part
    return min(_ends(part)) <= 0 <= max(_ends(part)) and (part.first / Fraction(part.step)).denominator == 1


def _product(factors: list[Exact]) -> Exact:
    """Halves times halves: products of equal size are the cheapest."""
    if len(factors) < 3:
        return tidy(math.prod(factors))
    middle = len(factors) // 2
    return tidy(_product(factors[:middle]) * _product(factors[middle:]))


def common_divisor(parts: Parts) -> int:
    """The greatest common divisor of all; that of a range is that of its first number and its step."""
    return gcd(*(number for part in parts for number in _divisor_of(part)))


def _divisor_of(part: Part) -> tuple[Number, ...]:
    if not isinstance(part, Range):
        return (part,)
    return (part.first, part.step) if part.length > 1 else (part.first,)


def common_multiple(parts: Parts) -> int:
    """The least common multiple of all."""
    return reduce(lcm, expanded(parts), 1)


def parts_cost(parts: Parts) -> float:
    """Measured: an exact sum of many fractions multiplies every denominator with all before it."""
    width = sum(sum(map(limbs, part)) if isinstance(part, Range) else limbs(part) for part in parts)
    return 2_000 * len(parts) + 1.5 * width * width


def expansion_cost(parts: Parts) -> float:
    """``parts_cost``, and what making and looking at each value takes."""
    return 4 * parts_cost(parts) + sum(_items_cost(part) for part in parts if isinstance(part, Range))


def _items_cost(part: Range) -> float:
    width = limbs(part.first) + limbs(part.step)
    each = 1_500 if part.first.denominator == part.step.denominator == 1 else 6_000
    return min(part.length, MAX_ITEMS) * (each + 1.5 * width * width)


def product_cost(parts: Parts) -> float:
    """``expansion_cost``, and multiplying halves by halves up to the largest product that is allowed."""
    width = min(_total_bits(parts), MAX_BITS) / 30
    return expansion_cost(parts) + 1.5 * width * width


def multiple_cost(parts: Parts) -> float:
    """``expansion_cost``, and a pass over the multiple so far for each value."""
    return expansion_cost(parts) + 3 * min(count(parts), MAX_ITEMS) * (_total_bits(parts) / 30 + 1)


def _total_bits(parts: Parts) -> int:
    """The sizes of all values together, at most."""
    return sum(max(sum(bits(exactly(end))) for end in _ends(part)) * min(count([part]), MAX_ITEMS) for part in parts)
