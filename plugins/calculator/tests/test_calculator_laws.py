from __future__ import annotations

import json
import math
import re
from fractions import Fraction

import pytest
from ares_plugin_calculator.answer import evaluate
from ares_plugin_calculator.mistakes import Mistake
from ares_plugin_calculator.names import FUNCTIONS
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize("number", [2**89 - 1, 2**107 - 1, 2**127 - 1, 10**24 + 7, 2**1023 + 1155])
def test_large_primes_are_recognised(number: int) -> None:
    assert evaluate(f"isPrime({number})").result is True


@given(st.integers(0, 5000))
def test_primes_are_what_trial_division_finds(number: int) -> None:
    prime = number > 1 and all(number % divisor for divisor in range(2, math.isqrt(number) + 1))
    assert evaluate(f"isPrime({number})").result is prime


@given(st.integers(10**13, 10**40), st.integers(10**13, 10**40))
def test_a_product_is_never_prime(left: int, right: int) -> None:
    assert evaluate(f"isPrime({left * right})").result is False


@given(st.integers(-60, 60), st.integers(-60, 60), st.integers(1, 9))
def test_closed_forms_agree_with_adding_up(first: int, last: int, step: int) -> None:
    items = list(range(first, last + 1, step)) if first <= last else list(range(first, last - 1, -step))
    parts = f"{first}..{last}..{step}"
    listed = ", ".join(map(str, items))
    for name in ("sum", "sum_of_squares", "sum_of_cubes", "mean", "median", "min", "max", "count", "variance", "gcd"):
        assert evaluate(f"{name}({parts})") == evaluate(f"{name}({listed})"), name
    assert evaluate(f"product({parts}) == {math.prod(items)}").result is True


@given(st.integers(10**3, 10**15), st.integers(-40, 40))
def test_a_power_of_a_fraction_too_long_to_be_exact_is_rounded_and_not_refused(many: int, times: int) -> None:
    expected = math.exp(times * many * math.log1p(1 / many))
    assert math.isclose(evaluate(f"(1+1/{many})**({many}*{times})").result, expected, rel_tol=1e-9)


NUMBERS = st.one_of(
    st.integers(0, 10**6).map(str), st.decimals(0, 1000, places=3, allow_nan=False).map(lambda value: f"{value:f}")
)


def _combined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    operation = st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "//", "%"]), inner)
    return st.one_of(
        operation.map(lambda parts: f"({parts[0]}) {parts[1]} ({parts[2]})"),
        operation.map(lambda parts: f"({' '.join(parts)})"),
        inner.map(lambda text: f"-({text})"),
        st.tuples(inner, st.integers(-3, 3)).map(lambda pair: f"({pair[0]})**{pair[1]}"),
    )


EXPRESSIONS = st.recursive(NUMBERS, _combined, max_leaves=8)


def _by_python(expression: str) -> Fraction:
    """The same expression on Python's fractions: every literal made one, nothing else changed."""
    exact = "".join(f"Fraction('{piece}')" if piece[0].isdigit() else piece for piece in _pieces(expression))
    return Fraction(eval(exact, {"Fraction": Fraction}))


def _pieces(expression: str) -> list[str]:
    return re.findall(r"\*\*-?\d+|\d[\d.]*|\D", expression)


@given(EXPRESSIONS)
def test_arithmetic_agrees_with_python_s_fractions(expression: str) -> None:
    try:
        wanted = _by_python(expression)
    except ZeroDivisionError:
        with pytest.raises(Mistake, match=r"division by zero|negative power"):
            evaluate(expression)
        return
    result = evaluate(expression).result
    assert result == (wanted.numerator if wanted.denominator == 1 else wanted.numerator / wanted.denominator)


PIECES = [
    *"0123456789+-*/%^!()[],. ", "..", "**", "//", "==", "²", "½", "π", "√", "e", "1e", "99", " of ", " mod ", "\n",
    "\u200b", "ѕ", "\ud800", "$", "'", "1e300", "2^131000", "9^41000", "(1/3^40000)", "1..9",
    *(f"{name}(" for name in FUNCTIONS),
]  # fmt: skip


@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=30).map("".join)))
def test_nothing_but_a_mistake_ever_comes_out(expression: str) -> None:
    try:
        result = evaluate(expression).result
    except Mistake as mistake:
        assert mistake.told(expression).encode()
        assert 0 <= (mistake.position or 0) <= len(expression)
        return
    assert type(result) in (int, float, bool)
    assert math.isfinite(result)
    assert json.dumps(result)
