from __future__ import annotations

import math
from typing import Any

import ares_plugin_calculator
import pytest

CORPUS: dict[str, dict[str, Any]] = {
    "functions": {
        "sqrt(16)+3**2": 13,
        "sqrt(10**400)": 10**200,
        "sqrt(2e601)": math.sqrt(20) * 1e300,
        "sqrt(2)^2": 2,
        "16**0.5": 4,
        "8**(1/3)": 2,
        "27^(2/3)": 9,
        "(1/4)^0.5": 0.5,
        "cbrt(-27)": -3,
        "root(10**400, 200)": 100,
        "isqrt(17)": 4,
        "hypot(3,4)": 5,
        "abs(-5)": 5,
        "pow(2,10)": 1024,
        "sin(pi/2)+cos(0)": 2,
        "sin(pi)": 0,
        "sin(pi/6)": 0.5,
        "sin(1)": math.sin(1),
        "cos(pi/3)": 0.5,
        "tan(pi/4)": 1,
        "atan2(1,1)*4": math.pi,
        "asin(1)*2": math.pi,
        "sinh(0)": 0,
        "degrees(pi)": 180,
        "sin(radians(30))": 0.5,
        "exp(0)": 1,
        "exp(1)": math.e,
        "ln(e)": 1,
        "ln(1.00000000000000000001)": 1e-20,
        "log(1000)": 3,
        "log(10**23)": 23,
        "log(0.001)": -3,
        "log(8,2)": 3,
        "log2(2**1000)": 1000,
        "log10(10**5000)": 5000,
        "round(2.5)": 3,
        "round(-2.5)": -3,
        "round(2.675, 2)": 2.68,
        "round(1234, -2)": 1200,
        "round(pi, 4)": 3.1416,
        "floor(-2.5)": -3,
        "ceil(2.1)": 3,
        "trunc(-2.7)": -2,
        "SQRT(4)": 2,
    },
    "whole numbers": {
        "factorial(30)": 265252859812191058636308480000000,
        "factorial(25)": 15511210043330985984000000,
        "factorial(5.0)": 120,
        "5!": 120,
        "0!": 1,
        "(3!)!": 720,
        "5! == 120": True,
        "nCr(10,3)": 120,
        "nCr(5,5)": 1,
        "nPr(10,3)": 720,
        "nCr(10**30,2)": 10**30 * (10**30 - 1) // 2,
        "gcd(12,18)": 6,
        "gcd(48,72)+lcm(48,72)": 168,
        "gcd(-12,18,27)": 3,
        "gcd(0,0)": 0,
        "lcm(0,5)": 0,
        "lcm(1..20)": 232792560,
        "isPrime(17)": True,
        "is_prime(1)": False,
        "isPrime(-7)": False,
        "isPrime(2**521-1)": True,
        "isPrime(2**523-1)": False,
        "isPrime(3825123056546413051)": False,
        "isPrime(3317044064679887385961981)": False,
        "powmod(7, 10**100, 13)": pow(7, 10**100, 13),
        "digits(factorial(3000))": 9131,
        "factorial(10000) % 10007": math.factorial(10000) % 10007,
        "2**1000": 2**1000,
    },
    "many values": {
        "variance(1..5)": 2,
        "variance(1,2,3,4,5)": 2,
        "pvariance([1,2,3,4,5])": 2,
        "sample_variance(1,2,3,4,5)": 2.5,
        "variance(2,4,4,4,5,5,7,9)": 4,
        "stddev(1..10)": 2.8722813232690143,
        "sample_stddev(2,4,4,4,5,5,7,9)": math.sqrt(32 / 7),
        "mean([1,2,3],4)": 2.5,
        "average(1000, 2000)": 1500,
        "mean(sqrt(2), sqrt(2))": math.sqrt(2),
        "median(5,1,9)": 5,
        "median(4,1,3,2)": 2.5,
        "median(1..10**30)": 5e29,
        "mode(1,1,2)": 1,
        "min(3)": 3,
        "max(1,5,3,4)": 5,
        "max(1..10, 20)": 20,
        "min([3,1,2])": 1,
        "count(1..10)": 10,
        "sum(1..1000000)": 500000500000,
        "sum(1..99999999999999999999)": 4999999999999999999950000000000000000000,
        "sum(10..1)": 55,
        "sum(-5..5)": 0,
        "sum(1..10..3)": 22,
        "sum(2..100..2)": 2550,
        "sum(5..1..-2)": 9,
        "sum(0..1..0.1)": 5.5,
        "sum_of_squares(1..10)": 385,
        "sum_of_cubes(1..10)": 3025,
        "product(1..10)": 3628800,
        "product(-3..3)": 0,
        "product(-2.5..2.5..1)": -(math.prod([2.5, 1.5, 0.5]) ** 2),
    },
    "probability": {
        "binomial(10,3,0.5)": 0.1171875,
        "binomial(5,5,1)": 1,
        "binomial(100000,50000,0.5)": math.comb(100000, 50000) / 2**100000,
        "normalPdf(0,0,1)": 0.3989422804014327,
        "poissonPdf(2,3)": 4.5 * math.exp(-3),
        "poissonPdf(1000,1000)": 0.012614611348721499,
    },
}
CASES = [
    pytest.param(text, value, id=f"{kind}: {text!a}") for kind, rows in CORPUS.items() for text, value in rows.items()
]


@pytest.fixture
def calculate(ares: Any) -> Any:
    ares.add(ares_plugin_calculator)
    return lambda expression: ares.call_sync("calculator", {"expression": expression})


@pytest.mark.parametrize(("expression", "value"), CASES)
def test_a_function_has_the_value_of_its_definition(calculate: Any, expression: str, value: Any) -> None:
    result = calculate(expression)
    assert result.success, result.text
    assert result.data["expression"] == expression
    assert result.data["result"] == pytest.approx(value, rel=1e-12, abs=0)
    assert type(result.data["result"]) is type(value)
