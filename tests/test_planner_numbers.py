from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ares_core import find_numbers, read_number

READ = {
    "7": 7,
    "1,000,000": 1_000_000,
    "1 000 000": 1_000_000,
    "1.5e3": 1500,
    "5k": 5000,
    "0.50": Decimal("0.5"),
    ".5": Decimal("0.5"),
    "10 million": 10_000_000,
    "1.5 billion": 1_500_000_000,
    "5 hundred thousand": 500_000,
    "2 dozen": 24,
    "$80": 80,
    "seven": 7,
    "twenty-five": 25,
    "twenty five": 25,
    "two hundred and five": 205,
    "one million": 1_000_000,
    "a hundred": 100,
    "two hundred and five thousand": 205_000,
    "half a million": 500_000,
    "fifteen hundred": 1500,
    "two point five million": 2_500_000,
    "one and a half": Fraction(3, 2),
    "5 and a half": Fraction(11, 2),
    "3万5千": 35_000,
    "一又三分之二": Fraction(5, 3),
    "1亿2千万": 120_000_000,
    "12万3千4百": 123_400,
    "one third": Fraction(1, 3),
    "three quarters": Fraction(3, 4),
    "half": Fraction(1, 2),
    "１２３": 123,
    "二十五": 25,
    "十": 10,
    "两百": 200,
    "一百零五": 105,
    "一百五": 150,
    "两万五": 25_000,
    "一百万": 1_000_000,
    "百万": 1_000_000,
    "一亿两千万": 120_000_000,
    "十二点五": Decimal("12.5"),
    "二〇二四": 2024,
    "廿五": 25,
    "壹佰贰拾叁": 123,
    "三分之二": Fraction(2, 3),
    "100万": 1_000_000,
    "1.5亿": 150_000_000,
    "3千": 3000,
    "兩萬": 20_000,
}


@pytest.mark.parametrize(("text", "value"), READ.items())
def test_a_number_is_read_exactly_and_to_its_end(text: str, value: object) -> None:
    found = find_numbers(text)
    assert [(number.value, number.start, number.end) for number in found] == [(value, 0, len(text))]


@pytest.mark.parametrize(
    "text", ["15%", "15 %", "15 percent", "15 per cent", "fifteen percent", "百分之十五", "１５％"]
)
def test_a_percentage_says_so_and_keeps_its_figure(text: str) -> None:
    assert [(number.value, number.percent) for number in find_numbers(text)] == [(15, True)]


@pytest.mark.parametrize(
    "text",
    [
        "2024-05-17",
        "5/17/2018",
        "2024年5月17日",
        "10:30",
        "2.7.1",
        "192.168.0.1",
        "+1 415 555 2671",
        "415-555-2671",
        "007",
        "900150983cd24fb0d6963f7d28e17f72",
        "sha256",
        "report2.pdf",
        "5th",
        "https://a.example/42",
        "'42'",
        "thousand",
        "a lot",
        "一起",
        "十分感谢",
        "第三",
        "周一",
        "万一下雨",
        "计算一下",
        "千万不要",
    ],
)
def test_a_code_a_date_or_an_idiom_is_no_number(text: str) -> None:
    assert find_numbers(text) == []


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1,2,3,4,5", [1, 2, 3, 4, 5]),
        ("1,000 and 2,000", [1000, 2000]),
        ("2 4 4 4 5", [2, 4, 4, 4, 5]),
        ("100 200 300", [100, 200, 300]),
        ("one two three", [1, 2, 3]),
        ("12,5", [12, 5]),
        ("3和4", [3, 4]),
        ("一万一千", [11000]),
        ("from １ to 一百万", [1, 1_000_000]),
    ],
)
def test_a_list_is_not_taken_for_one_number(text: str, values: list[int]) -> None:
    assert [number.value for number in find_numbers(text)] == values


@given(st.integers(0, 10**60))
def test_grouping_by_commas_changes_nothing(value: int) -> None:
    assert [number.value for number in find_numbers(f"about {value:,} or so")] == [value]


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=0, max_value=10**40, places=12))
def test_decimals_keep_every_digit(value: Decimal) -> None:
    (number,) = find_numbers(f"{value:f}")
    assert number.value == value
    assert Decimal(number.text) == value


@given(st.text(max_size=60))
def test_places_lie_in_the_text_and_never_overlap(text: str) -> None:
    end = 0
    for number in find_numbers(text):
        assert end <= number.start < number.end <= len(text)
        end = number.end


@pytest.mark.parametrize("text", ["9" * 401, "1e401", "1e-401", "9" * 10_000])
def test_a_number_that_is_too_long_is_not_read(text: str) -> None:
    assert find_numbers(text) == []


def test_a_number_is_read_only_where_it_begins() -> None:
    assert read_number("to ten") is None
    number = read_number("up to ten thousand", 6)
    assert number is not None
    assert (number.value, number.start, number.end) == (10_000, 6, 18)


def test_a_fraction_has_no_fraction_above_its_line() -> None:
    assert [number.text for number in find_numbers("三分之二分之一")] == ["2/3", "1"]
