from __future__ import annotations

import json
import math
from typing import Any

import ares_plugin_calculator
import pytest
from ares_plugin_calculator.answer import evaluate
from ares_plugin_calculator.mistakes import Mistake

CORPUS: dict[str, dict[str, Any]] = {
    "arithmetic": {
        "1+1": 2,
        "100*(100+1)/2": 5050,
        "((10+20)*5-50)/2": 50,
        "7/2": 3.5,
        "6/3": 2,
        "1/3": 1 / 3,
        "1/3*3": 1,
        "1/3 + 1/6": 0.5,
        "7//2": 3,
        "-7//2": -4,
        "5 // -2": -3,
        "7%3": 1,
        "-7%3": 2,
        "7 mod 3": 1,
        "5 mod -3": -1,
        "17.5 % 5": 2.5,
        "-7.5 // 2": -4,
        "10 div 3": 3,
        "pi % 1": math.pi - 3,
        "9223372036854775807+1": 2**63,
        "9999999999*9999999999": 9999999999**2,
    },
    "exact decimals": {
        "0.1+0.2": 0.3,
        "1.1+2.2": 3.3,
        "0.466*10^3": 466,
        "0.1*3": 0.3,
        "1e-400*1e400": 1,
        "1e308*10": 10**309,
        "5.0": 5,
        "-0.0": 0,
        "0.1+0.2 == 0.3": True,
    },
    "precedence": {
        "-2**2": -4,
        "(-2)**2": 4,
        "-12^2": -144,
        "2**3**2": 512,
        "2^3^2": 512,
        "2**-1": 0.5,
        "-2^-2": -0.25,
        "2**-2**2": 0.0625,
        "2^-1*3": 1.5,
        "--3": 3,
        "+-+3": -3,
        "2--3": 5,
        "5- -3": 8,
        "2 + + 3": 5,
        "2^3!": 64,
        "-3!": -6,
        "0**0": 1,
        "1+2 < 2*2": True,
        "(1<2)+1": 2,
    },
    "percent": {
        "22+10%": 24.2,
        "100-20%": 80,
        "22+(10%)": 22.1,
        "100*(1+5%)": 105,
        "50%+50%": 1,
        "10% of 100": 10,
        "10% off 100": 90,
        "10% on 100": 110,
        "15 percent of 240": 36,
        "10% of 50% of 200": 10,
        "50%": 0.5,
        "(5+5)%": 0.1,
        "-10%": -0.1,
        "200*5%": 10,
        "5%*200": 10,
        "10%3": 1,
        "10 % 3": 1,
        "10 % -3": -2,
        "10%-3": -2.9,
    },
    "numbers as people write them": {
        "1,000,000*2": 2000000,
        "12,345 * 67": 827115,
        "(1,234)": 1234,
        "1,234.5+0.5": 1235,
        "1_000*2": 2000,
        "1'000*2": 2000,
        "1\u202f000*2": 2000,
        "max(1,234)": 234,
        "max(1, 234)": 234,
        "mean(1,2,3)": 2,
        "007": 7,
        ".5": 0.5,
        "5.": 5,
        "1.5e3": 1500,
        "1E-2": 0.01,
        "0x1F + 0b11 + 0o17": 49,
    },
    "characters as people type them": {
        "１２３＋４５６": 579,
        "6×7": 42,
        "84÷2": 42,
        "5−3": 2,
        "3·4": 12,
        "（1＋2）＊3": 9,
        "3²+4²": 25,
        "2⁻¹": 0.5,
        "2¹⁰": 1024,
        "√16": 4,
        "∛27+√4": 5,
        "2√9": 6,
        "2π": 2 * math.pi,
        "2(3+4)": 14,
        "(1+2)(3+4)": 21,
        "½+¼": 0.75,
        "2½": 2.5,
        "٣+٤": 7,
        "٣٫٥": 3.5,
        "१२+३": 15,
        "𝟏𝟐+𝟑": 15,
        "1\u00a0+\u00a02": 3,
        "1\u200b+1": 2,
        "２＾１０": 1024,
        "10！": 3628800,
        "1e５": 100000,
        "ｓｑｒｔ（４）": 2,
        "log₂(8)": 3,
        "3 ≤ 4": True,
        "sum(1…4)": 10,
    },
    "what stands around an expression": {
        "2+2=": 4,
        "=2+2": 4,
        "2+2 = ?": 4,
        "5!=": 120,
        "`2+2`": 4,
        '"2+2"': 4,
        "“2+2”": 4,
        "```python\n2+2\n```": 4,
        "  2+2\n": 4,
        "(1+\n2)": 3,
        "math.sqrt(4)": 2,
        "Math.PI": math.pi,
    },
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
def test_an_expression_has_the_value_that_people_expect(calculate: Any, expression: str, value: Any) -> None:
    result = calculate(expression)
    assert result.success, result.text
    assert result.data["expression"] == expression
    assert result.data["result"] == pytest.approx(value, rel=1e-12, abs=0)
    assert type(result.data["result"]) is type(value)


def test_the_text_reads_as_an_equation(calculate: Any) -> None:
    assert calculate("1+1").text == "1+1 = 2"
    assert calculate("`2+2=?`").text == "2+2 = 4"
    assert calculate("isPrime(17)").text == "isPrime(17) = true"


def test_the_text_states_the_rule_that_was_chosen(calculate: Any) -> None:
    assert "of the value on its left" in calculate("22+10%").text
    assert "population" in calculate("variance(1..5)").text
    assert "base 10" in calculate("log(100)").text
    assert calculate("sample_variance(1..5)").text == "sample_variance(1..5) = 2.5"


def test_digits_that_a_float_loses_are_told(calculate: Any) -> None:
    assert "exactly 1000000000000000.01" in calculate("1e15+0.01").text
    assert "exactly -0.1234567890123456789" in calculate("-0.1234567890123456789").text
    assert calculate("1/3").text == "1/3 = 0.3333333333333333"


def test_a_number_instead_of_a_text_is_understood(calculate: Any) -> None:
    assert calculate(42).data == {"expression": "42", "result": 42}


def test_the_largest_answer_can_be_written_as_json(calculate: Any) -> None:
    largest = calculate("10^4300-1")
    assert json.loads(json.dumps(largest.data))["result"] == 10**4300 - 1
    assert "4,301 digits" in calculate("10^4300").text


def test_a_lower_limit_of_python_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.get_int_max_str_digits", lambda: 640)
    with pytest.raises(Mistake, match="640 can be returned"):
        evaluate("10^640")


def test_kinds_of_arithmetic_are_found_by_capability(ares: Any) -> None:
    ares.add(ares_plugin_calculator)
    declared = {capability.name: capability for capability in ares_plugin_calculator.declare_capabilities()}
    assert ares.registry.get("calculator").capabilities == tuple(declared)
    assert all("Arithmetic" in found.implies for name, found in declared.items() if name != "Arithmetic")
    assert declared["Statistics"].inputs == ("Expression", "Values")
