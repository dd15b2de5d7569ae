from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import ares_plugin_json
import pytest
from ares_plugin_json.reading import read_text
from ares_plugin_json.writing import write
from hypothesis import given
from hypothesis import strategies as st

from ares_core.testing import check_plugin

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=5)
)
DOCUMENTS = st.recursive(
    SCALARS,
    lambda below: (
        st.lists(below, max_size=4) | st.dictionaries(st.sampled_from(["a", "b", "/", "~", ""]), below, max_size=4)
    ),
    max_leaves=20,
)


@pytest.fixture
def call(ares: Any) -> Any:
    ares.add(ares_plugin_json)
    return lambda **arguments: ares.call_sync("json_tools", arguments)


def test_the_plugin_stands_what_every_plugin_should() -> None:
    check_plugin("ares_plugin_json")


def test_pretty_keeps_the_order_and_the_letters(call: Any) -> None:
    result = call(operation="pretty", data='{"z":1,"a":"汉","e":[],"o":{}}')
    assert result.text == '{\n  "z": 1,\n  "a": "汉",\n  "e": [],\n  "o": {}\n}'
    assert call(operation="pretty", data="[1]", indent=4).data["output"] == "[\n    1\n]"


@pytest.mark.parametrize("operation", ["pretty", "prettify", "format"])
def test_a_value_may_be_given_instead_of_text(call: Any, operation: str) -> None:
    assert '"value": 42' in call(operation=operation, data={"name": "test", "value": 42}).text


@pytest.mark.parametrize("data", [None, False, 0, [], {}, 1.5])
def test_every_kind_of_value_is_a_document(call: Any, data: Any) -> None:
    assert call(operation="parse", data=data).data["value"] == data


@pytest.mark.parametrize(
    "number", ["1e400", "12345678901234567890", "0.1000", "-0", "1E5", "3.14159265358979323846264338", "1e-999", "-0.0"]
)
def test_every_digit_of_a_number_survives(call: Any, number: str) -> None:
    data = f"[{number}]"
    assert call(operation="parse", data=data).data["output"] == data
    assert call(operation="pretty", data=data, indent=0).data["output"] == f"[\n{number}\n]"
    assert call(operation="query", data=data, query="$[0]").data["output"] == data
    assert call(operation="query", data=data, pointer="/0").text.startswith(number)
    assert call(operation="merge", data="1", other=data).data["output"] == data
    assert number in call(operation="diff", data="[7]", other=data).data["output"]


def test_the_data_has_numbers_and_says_where_it_could_not(call: Any) -> None:
    result = call(operation="parse", data='{"a": 0.1000, "b": [1e400], "c": 12345678901234567890}')
    assert result.data["value"] == {"a": 0.1, "b": ["1e400"], "c": 12345678901234567890}
    assert result.data["numbers_as_text"] == ["/b/0"]
    assert "/b/0" in result.text


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("[1,]", (1, 4), "before ']'"),
        ("{} {}", (1, 4), "after the end"),
        ('{"a": 1\n"b": 2}', (2, 1), "comma"),
        ("{'a': 1}", (1, 2), "double quotes"),
        ("[NaN]", (1, 2), "NaN is no JSON value"),
        ('["NaN", -Infinity]', (1, 9), "-Infinity is no JSON value"),
        ("[True]", (1, 2), "unknown"),
        ('"a', (1, 1), "no closing quote"),
        ('"a\tb"', (1, 3), "control character"),
        ("[1, 2", (1, 6), "where the text ends"),
        ("", (1, 1), "empty"),
        (" \n ", (1, 1), "empty"),
        ("[01]", (1, 3), "comma"),
        ("[1 // x\n]", (1, 4), "//"),
        ("hello", (1, 1), "unknown"),
    ],
)
def test_a_fault_is_told_with_its_line_and_column(call: Any, text: str, place: tuple[int, int], words: str) -> None:
    result = call(operation="validate", data=text)
    assert result.success
    assert (result.data["valid"], result.data["line"], result.data["column"]) == (False, *place)
    assert words in result.data["error"]
    assert words in result.text
    parsed = call(operation="parse", data=text)
    assert (parsed.success, parsed.error.blame) == (False, "input")
    assert words in parsed.error.message


@pytest.mark.parametrize("text", ['"x"', "1", "null", "\ufeff{}", ' {"a":[{}]} \n', '"\\ud83d\\ude00"'])
def test_valid_text_is_valid(call: Any, text: str) -> None:
    result = call(operation="validate", data=text)
    assert result.data["valid"] is True
    assert result.text.startswith("Valid JSON")


def test_a_byte_order_mark_is_passed_over_and_told(call: Any) -> None:
    assert "byte order mark" in call(operation="validate", data="\ufeff{}").text


def test_keys_that_come_twice_are_reported_with_their_place(call: Any) -> None:
    result = call(operation="validate", data='{"a": 1, "b": [{"c/d": 1, "c/d": 2}], "a": 3}')
    assert {"pointer": "/b/0/c~1d", "key": "c/d"} in result.data["duplicates"]
    assert {"pointer": "/a", "key": "a"} in result.data["duplicates"]
    parsed = call(operation="parse", data='{"a": 1, "a": 2}')
    assert parsed.data["value"] == {"a": 2}
    assert "more than once" in parsed.text


@pytest.mark.parametrize("operation", ["validate", "parse", "pretty"])
@pytest.mark.parametrize(
    "text", ["[" * 100_000 + "]" * 100_000, '{"a":' * 5_000 + "1" + "}" * 5_000, "[" * 101 + "]" * 101]
)
def test_what_is_nested_too_deeply_is_refused(call: Any, operation: str, text: str) -> None:
    assert "nested too deeply" in call(operation=operation, data=text).error.message


def test_a_hundred_levels_are_fine(call: Any) -> None:
    assert call(operation="parse", data="[" * 100 + "]" * 100).success


@given(DOCUMENTS)
def test_writing_and_reading_gives_the_same(value: Any) -> None:
    for indent in (None, 0, 3):
        assert read_text(write(value, indent)).value == value
        assert json.loads(write(value, indent)) == value


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_every_decimal_is_read_exactly(number: Decimal) -> None:
    text = format(number, "e")
    assert write(read_text(text).value) == text


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"operation": "parse"},
        {"data": "{}"},
        {"operation": "explode", "data": "{}"},
        {"operation": "pretty", "data": "{}", "indent": 9},
        {"operation": "query", "data": "{}", "query": {}},
        {"operation": "query", "data": "{}", "query": "$" * 1_001},
        {"operation": "patch", "data": "{}", "patch": "x" * 2_000_001},
        {"operation": "parse", "data": "[" + "1," * 1_000_000 + "1]"},
        {"operation": "parse", "data": "{}", "strict": True},
    ],
)
def test_arguments_that_do_not_fit_are_refused_before_anything_runs(call: Any, arguments: dict[str, Any]) -> None:
    result = call(**arguments)
    assert result.error.code == "invalid_arguments"
    assert "Not executed" in result.text


@pytest.mark.parametrize("other", ["data", "text", "document"])
def test_the_document_and_the_path_have_other_names(call: Any, other: str) -> None:
    document = {"a": {"键": 7}}
    for path in ("/a/键", "$.a['键']"):
        assert "7" in call(operation="get", path=path, **{other: document}).text
    assert call(operation="get", path="", **{other: document}).data["value"] == document
    assert call(operation="validate", **{other: "[1,]"}).data["valid"] is False


@pytest.mark.parametrize("twice", [{"text": "[]"}, {"pointer": "/a", "path": "/b"}, {"path": "$.a", "query": "$.b"}])
def test_two_names_for_one_thing_are_refused(call: Any, twice: dict[str, Any]) -> None:
    assert "given twice" in call(operation="get", data="{}", **twice).error.message


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"operation": "query", "data": "{}"}, "needs query or pointer"),
        ({"operation": "query", "data": "{}", "query": "$", "pointer": ""}, "only one of"),
        ({"operation": "patch", "data": "{}"}, "needs patch"),
        ({"operation": "merge", "data": "{}"}, "needs other"),
        ({"operation": "diff", "data": "{}"}, "needs other"),
        ({"operation": "parse", "data": "{}", "query": "$"}, "takes no 'query'"),
        ({"operation": "diff", "data": "{}", "other": "{"}, "other is no JSON"),
        ({"operation": "parse", "data": "1" * 5_000}, "5,000 characters"),
        ({"operation": "parse", "data": "1e99999999999999999999"}, "exponent"),
    ],
)
def test_what_an_operation_lacks_or_does_not_take_is_named(call: Any, arguments: dict[str, Any], words: str) -> None:
    result = call(**arguments)
    assert (result.success, result.data) == (False, None)
    assert words in result.error.message
