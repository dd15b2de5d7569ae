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
