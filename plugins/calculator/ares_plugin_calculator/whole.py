"""Number theory and counting: whole numbers in, whole numbers out, sizes worked out before the answer."""

from __future__ import annotations

import math
from fractions import Fraction

from ares_plugin_calculator.exact import MAX_BITS, Exact, Number, exactly, fit, limbs, magnitude, tidy
from ares_plugin_calculator.mistakes import Mistake

MAX_PRIME_BITS = 1_024
MAX_PLACES = 4_300
PROVEN_PRIME = 3_317_044_064_679_887_385_961_981
"""Below this the first 13 prime bases leave no doubt (Sorenson and Webster, 2015)."""
_SMALL_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)


def whole(value: Number) -> int:
    """A value that must be a whole number."""
    exact = exactly(value)
    if exact.denominator != 1:
        raise Mistake("a whole number is needed here", "round it first, with floor(x) or round(x)")
    return int(exact)


def natural(value: Number) -> int:
    """A value that must be a whole number from 0 up."""
    number = whole(value)
    if number < 0:
        raise Mistake("a negative number is not allowed here", "give a whole number from 0 up")
    return number


def factorial(value: Number) -> int:
    """The product of 1 to n."""
    number = natural(value)
    fit(math.lgamma(number + 1) / math.log(2) if number.bit_length() < 900 else math.inf)
    return math.factorial(number)


def permutations(total: Number, chosen: Number) -> int:
    """In how many orders r of n things can stand."""
    n, r = _chosen(total, chosen)
    fit(permutation_bits(n, r))
    return math.perm(n, r)


def combinations(total: Number, chosen: Number) -> int:
    """In how many ways r of n things can be chosen."""
    n, r = _chosen(total, chosen)
    fit(combination_bits(n, r))
    return math.comb(n, r)


def _chosen(total: Number, chosen: Number) -> tuple[int, int]:
    n, r = natural(total), natural(chosen)
    if r > n:
        raise Mistake("more things are chosen than there are", "the first number is the larger: nCr(10, 3)")
    return n, r


def permutation_bits(n: int, r: int) -> float:
    """At most how many bits the product of the r numbers up to n has."""
    if r > MAX_BITS:
        return math.inf
    simple = r * math.log2(n) if n else 0
    return simple if n > 1 << 40 else min(simple, (math.lgamma(n + 1) - math.lgamma(n - r + 1)) / math.log(2) + 1)


def combination_bits(n: int, r: int) -> float:
    """At most how many bits n choose r has: it is below (n·e/r)^r."""
    fewer = min(r, n - r)
    if fewer > MAX_BITS:
        return math.inf
    return fewer * (math.log2(n) - math.log2(fewer) + math.log2(math.e)) if fewer else 1


def combination_cost(total: Number, chosen: Number) -> float:
    """Measured: each of r factors passes over the result, which is then divided."""
    n, r = _chosen(total, chosen)
    return _passes_over(min(r, n - r), combination_bits(n, r))


def permutation_cost(total: Number, chosen: Number) -> float:
    """Measured: each of r factors passes over the result."""
    n, r = _chosen(total, chosen)
    return _passes_over(r, permutation_bits(n, r))


def _passes_over(times: int, size: float) -> float:
    fit(size)
    width = size / 30 + 2
    return times * width / 2 + width * width


def gcd(*values: Number) -> int:
    """The greatest common divisor."""
    return math.gcd(*map(whole, values))


def lcm(*values: Number) -> int:
    """The least common multiple; 0 if any of them is 0."""
    numbers = [whole(value) for value in values]
    fit(sum(number.bit_length() for number in numbers))
    return math.lcm(*numbers)


def power_modulo(base: Number, exponent: Number, modulus: Number) -> int:
    """The remainder of a power, without the large power in between."""
    divisor = whole(modulus)
    if not divisor:
        raise Mistake("division by zero", "give a modulus other than zero")
    remainder: int = pow(whole(base), natural(exponent), divisor)
    return remainder


def power_modulo_cost(base: Number, exponent: Number, modulus: Number) -> float:
    """Measured: two multiplications and divisions for each bit of the exponent."""
    width = limbs(exactly(modulus))
    return exactly(exponent).numerator.bit_length() * (200 + 3 * width * width) + limbs(exactly(base)) * width * 2


def digits(value: Number) -> int:
    """How many decimal digits a whole number has."""
    number = abs(whole(value))
    if number < 10:
        return 1
    guess = int(number.bit_length() * math.log10(2))
    return guess + int(number >= 10**guess)


def is_prime(value: Number) -> bool:
    """Whether a whole number is prime: proven below 3.3e24, beyond by a test without known exception."""
    number = whole(value)
    if number < 2:
        return False
    if number.bit_length() > MAX_PRIME_BITS:
        raise Mistake(
            "the number is too large to be tested", f"give one of at most {MAX_PRIME_BITS:,} bits (308 digits)"
        )
    divisor = next((prime for prime in _SMALL_PRIMES if number % prime == 0), None)
    if divisor is not None:
        return number == divisor
    if number < PROVEN_PRIME:
        return all(_passes(number, base) for base in _SMALL_PRIMES)
    return _passes(number, 2) and _passes_lucas(number)


def is_prime_cost(value: Number) -> float:
    """Measured: a few modular powers, cubic in the size."""
    width = limbs(exactly(value))
    return 60_000 + 1_000 * min(width, 100) ** 2 + 250 * min(width, 100) ** 3


def _passes(number: int, base: int) -> bool:
    """The strong probable-prime test of Miller and Rabin."""
    halvings = (number - 1 & 1 - number).bit_length() - 1
    power = pow(base, number - 1 >> halvings, number)
    if power in (1, number - 1):
        return True
    for _ in range(halvings - 1):
        power = power * power % number
        if power == number - 1:
            return True
    return False


def _passes_lucas(number: int) -> bool:
    """The strong Lucas test with Selfridge's parameters: with base 2 before it, the test of Baillie and PSW."""
    if math.isqrt(number) ** 2 == number:
        return False
    discriminant = _discriminant(number)
    if not discriminant:
        return False
    halvings = (number + 1 & -number - 1).bit_length() - 1
    u, v, q = _lucas(number, discriminant, number + 1 >> halvings)
    if u == 0 or v == 0:
        return True
    for _ in range(halvings - 1):
        v, q = (v * v - 2 * q) % number, q * q % number
        if v == 0:
            return True
    return False


def _discriminant(number: int) -> int:
    """The first of 5, -7, 9, -11 … whose Jacobi symbol is -1; 0 if a factor turns up instead."""
    candidate = 5
    while True:
        symbol = _jacobi(candidate, number)
        if symbol == -1:
            return candidate
        if symbol == 0 and abs(candidate) % number:
            return 0
        candidate = -candidate - 2 if candidate > 0 else -candidate + 2


def _jacobi(top: int, bottom: int) -> int:
    top %= bottom
    sign = 1
    while top:
        while top % 2 == 0:
            top //= 2
            sign = -sign if bottom % 8 in (3, 5) else sign
        top, bottom = bottom, top
        sign = -sign if top % 4 == bottom % 4 == 3 else sign
        top %= bottom
    return sign if bottom == 1 else 0


def _lucas(number: int, discriminant: int, index: int) -> tuple[int, int, int]:
    """The Lucas numbers U and V of an index, modulo the number, and Q to that power; P is 1."""
    q_start = (1 - discriminant) // 4
    u, v, q = 1, 1, q_start
    for bit in bin(index)[3:]:
        u, v, q = u * v % number, (v * v - 2 * q) % number, q * q % number
        if bit == "1":
            u, v = _half(u + v, number), _half(discriminant * u + v, number)
            q = q * q_start % number
    return u, v, q


def _half(value: int, number: int) -> int:
    return (value + number if value % 2 else value) // 2 % number


def round_half_away(value: Number, places: Number = 0) -> Exact:
    """Round to so many decimal places; a half goes away from zero: 2.5 to 3, -2.5 to -3."""
    count = whole(places)
    if abs(count) > MAX_PLACES:
        raise Mistake(f"at most {MAX_PLACES:,} decimal places can be rounded to", "write round(x, 2) to keep two")
    scale = Fraction(10) ** count
    nearest = math.floor(exactly(magnitude(value)) * scale + Fraction(1, 2))
    return tidy((nearest if value >= 0 else -nearest) / scale)


def floor(value: Number) -> int:
    """Rounded down."""
    return math.floor(exactly(value))


def ceil(value: Number) -> int:
    """Rounded up."""
    return math.ceil(exactly(value))


def trunc(value: Number) -> int:
    """Without its decimals."""
    return math.trunc(exactly(value))


def sign(value: Number) -> int:
    """-1, 0 or 1."""
    return (value > 0) - (value < 0)
