from __future__ import annotations

from typing import Any

import ares_plugin_calculator
import pytest
from ares_plugin_calculator.answer import evaluate
from ares_plugin_calculator.mistakes import Mistake
from ares_plugin_calculator.names import FUNCTIONS

REFUSED = {
    "9**9**9": "too large",
    "9**9**9**9": "too large",
    "10**(10**10)": "too large",
    "2**-9**9**9": "too large",
    "(2**60000)**60000": "too large",
    "7**7**7**7 % 2": "too large",
    "factorial(10**7)": "too large",
    "factorial(10**400)": "too large",
    "factorial(100000)": "456,573 digits",
    "factorial(3000)": "it has 9,131 digits",
    "nCr(10**7,5*10**6)": "too large",
    "nPr(10**400,10**400)": "too large",
    "product(1..12000)": "too large",
    "isPrime(2**1024)": "at most 1,024 bits",
    "powmod(3, 2**130000, 2**130000+1)": "too much work",
    "lcm(1..20000)": "too much work",
    "+".join(["isPrime(2**1023+1155)"] * 150): "too much work",
    "median(1..10**9, 5)": "too many values",
    "1e99999": "exponent is too large",
    "(" * 2000 + "1" + ")" * 2000: "nested more than 100 deep",
    "1**" * 1300 + "1": "nested more than 100 deep",
    "abs(" * 800 + "1" + ")" * 800: "nested more than 100 deep",
    "[" * 500: "nested more than 100 deep",
    "1/0": "division by zero (position 2)",
    "0/0": "division by zero",
    "5%0": "division by zero",
    "5 // 0.0": "division by zero",
    "0**-1": "negative power",
    "sqrt(-1)": "no real number",
    "(-8)**(1/3)": "no real number",
    "ln(0)": "above 0",
    "log(5, 1)": "base 1",
    "asin(2)": "outside -1 to 1",
    "tan(pi/2)": "not defined",
    "exp(1000)": "too large for a decimal number",
    "pi*10**400": "too large for a decimal",
    "exp(-1000)": "too small",
    "0.5**10**9": "too small",
    "0.5**10**400": "too small",
    "1.5**-10**400": "too small",
    "1.5**10**400": "too large",
    "1.5**10**9": "too large for a decimal number",
    "1.5**10**30": "too large",
    "": "is empty (position 1)",
    "  ": "is empty",
    "1e-400": "too small",
    "sin(1e20)": "reduced accurately",
    "factorial(-1)": "negative",
    "factorial(2.5)": "whole number",
    "3!!": "(3!)!",
    "5!=120": "5! == 120",
    "isPrime(2.9)": "whole number",
    "nCr(3,10)": "more things are chosen",
    "binomial(10,3,1.5)": "between 0 and 1",
    "mode(1,2)": "no mode",
    "sample_variance(1)": "at least two",
    "stdev(1,2)": "sample_stddev",
    "sum()": "empty",
    "mean([])": "empty",
    "sqrt(1,2)": "takes 1 value, not 2",
    "log(1,2,3)": "takes 1 or 2 values, not 3",
    "sqrt 16": "sqrt(x)",
    "1..2": "range",
    "[1,2]": "list",
    "sum(1.5..3.5)": "unless a step is given",
    "sum(1..5..0)": "step of zero",
    "sum(1..5..-1)": "leads away",
    "sum(range(1,10))": "1..10",
    "1...5": "two",
    "1,00*2": "not grouped in threes",
    "0,5": "3.14",
    "1.234,5": "two separators",
    "1.2.3": "two separators",
    "max(1,000, 2)": "one number or two",
    "1, 2, 3": "outside a call",
    "1 000 * 2": "operator is missing",
    "mean(100\u00a0200)": "operator is missing",
    "(2)3": "operator is missing",
    "6/2(1+2)": "not clear",
    "1/2π": "not clear",
    "1<2<3": "chained",
    "10%%": "two percent signs",
    "3 of 5": "needs a percentage",
    "1+": "'+' (position 2)",
    "2**": "'**' (position 2)",
    "*3": "missing before '*' (position 1)",
    "(1+2": "not closed",
    "1+2)": "closes nothing",
    "max(1,2,)": "missing before ')'",
    "   ": "empty",
    "1+1\n2+2": "more than one line",
    "1+1; 2+2": "one expression",
    "x = 5": "==",
    "2+2=5": "==",
    "$5 + $3": "'$' is a currency sign",
    "€5": "EURO SIGN",
    "5 km + 3 km": "'km' after a number is a unit",
    "5 USD": "'USD'",
    "3 x 4": "write * for times",
    "30°": "radians(30)",
    "ѕqrt(4)": "CYRILLIC SMALL LETTER DZE",
    "sqrт(4)": "CYRILLIC SMALL LETTER TE",
    "1+1\u202e": "RIGHT-TO-LEFT OVERRIDE",
    "1+1等于": "等",
    "sqr(4)": "Did you mean sqrt?",
    "2e": "no digits",
    "∞": "infinity is no number",
    "NaN": "NaN",
    "3+4i": "'i'",
    "# comment": "comments",
    "\x00": r"\x00",
    "math.log(8)": "ln(x)",
    "1__0": "__",
    "().__class__.__bases__[0]": "'.' has no meaning",
    "__import__('os').system('id')": "'_' has no meaning",
    "[x for x in (1,2)]": "'x'",
    "(lambda: 1)()": "':'",
    "sqrt.__globals__": "'.'",
    "getattr(1, 'real')": "'''",
    "max.__call__(1,2)": "'.'",
    "1 .real": "'.'",
    '"%1000000000d"%1': "'\"'",
}


@pytest.fixture
def calculate(ares: Any) -> Any:
    ares.add(ares_plugin_calculator)
    return lambda expression: ares.call_sync("calculator", {"expression": expression})


@pytest.mark.parametrize(("expression", "words"), REFUSED.items(), ids=[ascii(text)[:40] for text in REFUSED])
def test_what_has_no_answer_is_refused_with_reason_and_advice(calculate: Any, expression: str, words: str) -> None:
    result = calculate(expression)
    assert not result.success
    assert words.lower() in result.text.lower()
    assert result.error.blame == "input"


def test_an_expression_over_the_limit_is_refused_unread(calculate: Any) -> None:
    text = "+".join(["1"] * 4000)
    assert calculate(text).error.code == "invalid_arguments"
    with pytest.raises(Mistake, match="too long: 7,999 characters"):
        evaluate(text)


def test_an_error_shows_expression_position_reason_and_one_hint(calculate: Any) -> None:
    text = 'Can\'t calculate "10+1/0": division by zero (position 5). Divide by a number other than zero.'
    assert calculate("10+1/0").error.message == text


def test_a_long_expression_is_shown_around_the_mistake_only(calculate: Any) -> None:
    result = calculate("+".join(["1"] * 1000) + "+1/0")
    assert "1+1/0" in result.error.message
    assert len(result.error.message) < 250


def test_a_surprise_inside_is_still_an_error_of_the_tool_s_own(calculate: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ares_plugin_calculator.answer.tokenize", lambda text: 1 / 0)
    assert "ZeroDivisionError" in calculate("1+1").error.message


SCALAR = {function.name: function for function in FUNCTIONS.values() if not function.many}
MANY = sorted({function.name for function in FUNCTIONS.values() if function.many})


@pytest.mark.parametrize("function", SCALAR.values(), ids=SCALAR)
def test_a_function_tells_its_usage_when_called_with_too_many_values(function: Any) -> None:
    with pytest.raises(Mistake, match="takes") as refused:
        evaluate(f"{function.name}({', '.join('1' * (function.most + 1))})")
    assert function.usage in refused.value.hint


@pytest.mark.parametrize("name", MANY)
def test_a_function_of_many_values_refuses_to_be_called_with_none(name: str) -> None:
    for nothing in ("", "[]"):
        with pytest.raises(Mistake, match="empty"):
            evaluate(f"{name}({nothing})")
