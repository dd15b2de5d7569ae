"""Probabilities of the binomial, Poisson and normal distributions.

Beyond the sizes where fractions are exact, the saddle-point form of Loader, "Fast and Accurate Computation of
Binomial Probabilities" (2000): it loses no digits where factorials and powers nearly cancel.
"""

from __future__ import annotations

import math
from fractions import Fraction

from ares_plugin_calculator.exact import (
    Number,
    bits,
    divide,
    exactly,
    is_exact,
    multiply,
    real,
    rounded,
    subtract,
    tidy,
)
from ares_plugin_calculator.mistakes import Mistake, too_large, too_small
from ares_plugin_calculator.powers import power
from ares_plugin_calculator.whole import factorial, natural

EXACT_BITS = 8_192
MAX_TRIALS = 1e15


def binomial(trials: Number, successes: Number, chance: Number) -> Number:
    """The probability of exactly k successes in n trials that each succeed with chance p."""
    n, k = natural(trials), natural(successes)
    if k > n:
        raise Mistake("there can't be more successes than trials", "write binomial(n, k, p) with k from 0 to n")
    if not 0 <= chance <= 1:
        raise Mistake("a probability lies between 0 and 1", "write binomial(10, 3, 0.5)")
    if chance in (0, 1):
        return int(k == n * int(chance))
    if is_exact(chance) and n * bits(exactly(chance))[1] < EXACT_BITS and n < EXACT_BITS:
        p = Fraction(exactly(chance))
        return tidy(math.comb(n, k) * p**k * (1 - p) ** (n - k))
    return _positive(_binomial(_within(n), k, rounded(chance), rounded(1 - exactly(chance))))


def poisson(events: Number, rate: Number) -> float:
    """The probability of exactly k events where lambda are expected."""
    k = natural(events)
    if rate <= 0:
        raise Mistake("the expected number of events is above 0", "write poissonPdf(k, lambda)")
    if is_exact(rate) and k * bits(exactly(rate))[0] < 900 and rate < 700:
        return rounded(multiply(divide(power(rate, k), factorial(k)), math.exp(-rate)))
    return _positive(real(_poisson, _within(k), rate))


def normal(value: Number, mean: Number, deviation: Number) -> float:
    """The density of the normal distribution at x."""
    if deviation <= 0:
        raise Mistake("the standard deviation is above 0", "write normalPdf(x, mu, sigma)")
    distance = divide(subtract(value, mean), deviation)
    return _positive(real(lambda z, s: math.exp(-z * z / 2) / (s * math.sqrt(math.tau)), distance, deviation))


def _within(number: int) -> int:
    if number > MAX_TRIALS:
        raise too_large("the number of trials or events")
    return number


def _positive(probability: float) -> float:
    if not probability:
        raise too_small()
    return probability


def _binomial(n: int, k: int, p: float, q: float) -> float:
    if k in (0, n):
        return math.exp(n * (math.log1p(-q) if k else math.log1p(-p)))
    exponent = _stirling_error(n) - _stirling_error(k) - _stirling_error(n - k)
    exponent -= _deviance(k, n * p) + _deviance(n - k, n * q)
    return math.exp(exponent) * math.sqrt(n / (math.tau * k * (n - k)))


def _poisson(k: float, rate: float) -> float:
    if k == 0:
        return math.exp(-rate)
    return math.exp(-_stirling_error(k) - _deviance(k, rate)) / math.sqrt(math.tau * k)


def _stirling_error(n: float) -> float:
    """What Stirling's formula for log n! lacks."""
    if n < 16:
        return math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - math.log(math.tau) / 2
    square = n * n
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) / n


def _deviance(count: float, expected: float) -> float:
    """count·log(count/expected) + expected - count, without cancellation where the two are close."""
    if abs(count - expected) >= 0.1 * (count + expected):
        return count * math.log(count / expected) + expected - count
    share = (count - expected) / (count + expected)
    total, term, square = (count - expected) * share, 2 * count * share, share * share
    for index in range(1, 1000):
        term *= square
        grown = total + term / (2 * index + 1)
        if grown == total:
            return total
        total = grown
    return total
