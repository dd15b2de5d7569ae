from __future__ import annotations

import csv
import io
import json
from typing import Any

import ares_plugin_data
import pytest
from ares_plugin_data.flattening import cut, escape, flatten, unflatten
from ares_plugin_data.tables import csv_to_json, json_to_csv
from hypothesis import given
from hypothesis import strategies as st

from ares_core.testing import check_plugin

KEYS = st.text(alphabet="a.\\0" + "1/[", max_size=4)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda below: st.lists(below, max_size=3) | st.dictionaries(KEYS, below, max_size=3),
    max_leaves=15,
)
CELLS = st.text(alphabet='a",;\n\r\t =é', max_size=6)


@pytest.fixture
def call(ares: Any) -> Any:
    ares.add(ares_plugin_data)
    return lambda **arguments: ares.call_sync("data_transform", arguments)


def test_the_plugin_stands_what_every_plugin_should() -> None:
    check_plugin("ares_plugin_data")


def test_csv_becomes_objects_in_the_order_of_rows_and_columns(call: Any) -> None:
    result = call(operation="csv_to_json", data='name,said\r\nAda,"one\ntwo"\r\n"B ""b""",007\r\n')
    assert result.data["output"] == [{"name": "Ada", "said": "one\ntwo"}, {"name": 'B "b"', "said": "007"}]
    assert (result.data["row_count"], result.data["columns"]) == (2, ["name", "said"])
    assert result.text.startswith("2 rows, 2 columns:")


def test_csv_without_a_header_becomes_arrays(call: Any) -> None:
    assert call(operation="csv_to_json", data="1,2\n3\n", has_header=False).data["output"] == [["1", "2"], ["3"]]


@pytest.mark.parametrize(("delimiter", "mark"), [(";", ";"), ("tab", "\t"), ("\\t", "\t"), ("|", "|"), ("auto", ";")])
def test_other_delimiters(call: Any, delimiter: str, mark: str) -> None:
    result = call(operation="csv_to_json", data=f"a{mark}b\n1{mark}x,y\n", delimiter=delimiter)
    assert result.data["output"] == [{"a": "1", "b": "x,y"}]


def test_a_table_of_one_column_is_told_what_it_looks_like(call: Any) -> None:
    assert "';'" in call(operation="csv_to_json", data="a;b\n1;2\n").text
    assert "notes" not in call(operation="csv_to_json", data="a\n1\n").data


def test_a_byte_order_mark_and_blank_lines_are_passed_over(call: Any) -> None:
    assert call(operation="csv_to_json", data="\ufeffa,b\n\n1,2\n\n").data["output"] == [{"a": "1", "b": "2"}]


def test_a_short_row_has_nulls_and_is_reported(call: Any) -> None:
    result = call(operation="csv_to_json", data="a,b\n1\n")
    assert result.data["output"] == [{"a": "1", "b": None}]
    assert "line 2" in result.data["notes"][0]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("a,b\n1,2,3\n", "line 2 has 3 cells"),
        ("a,b,a\n1,2,3\n", "same name 'a'"),
        ('a,b\n"1,2\n', "no closing quote"),
        ('a,b\n"1"x,2\n', "line 2: a closing quote is followed by more text"),
        ("", "the text is empty"),
        ("\n\n", "the text is empty"),
        (["a"], "as text"),
        ("a\n" + "x" * 140_000, "131,072 characters"),
    ],
)
def test_csv_that_would_lose_something_is_refused_with_its_line(call: Any, data: Any, words: str) -> None:
    result = call(operation="csv_to_json", data=data)
    assert (result.success, result.data) == (False, None)
    assert words in result.text


def test_json_becomes_csv_with_columns_in_the_order_they_are_first_seen(call: Any) -> None:
    data = '[{"b": 1.50, "a": "x,y"}, {"c": null, "a": "two\\nlines"}, {"a": true, "b": 12345678901234567890}]'
    output = call(operation="json_to_csv", data=data).data["output"]
    assert output == 'b,a,c\r\n1.50,"x,y",\r\n,"two\nlines",\r\n12345678901234567890,true,\r\n'


def test_arrays_and_single_objects_become_csv_too(call: Any) -> None:
    assert call(operation="json_to_csv", data=[[1, "a"], [2]]).data["output"] == "1,a\r\n2\r\n"
    assert call(operation="json_to_csv", data={"a": 1}, delimiter=";").data["output"] == "a\r\n1\r\n"
    assert call(operation="json_to_csv", data=[{"a": 1}], has_header=False).data["output"] == "1\r\n"


def test_nested_values_and_formulas_are_pointed_out(call: Any) -> None:
    result = call(operation="json_to_csv", data=[{"a": {"b": [1]}, "f": "=1+1", "n": -1}])
    assert result.data["output"] == 'a,f,n\r\n"{""b"": [1]}",=1+1,-1\r\n'
    assert "1 text begins with =" in result.text
    assert "as JSON" in result.text


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], "an empty array"),
        ("5", "number"),
        ([1, 2], "its items are numbers"),
        ([{"a": 1}, [1]], "item 1 is array, item 0 object"),
        ("[{", "is no JSON"),
    ],
)
def test_json_that_is_no_table_is_refused(call: Any, data: Any, words: str) -> None:
    assert words in call(operation="json_to_csv", data=data).error.message


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), min_size=1, max_size=5))
def test_csv_there_and_back_is_the_same(rows: list[list[str]]) -> None:
    written = json_to_csv({"data": rows})["output"]
    assert csv_to_json({"data": written, "has_header": False})["output"] == rows
    assert list(csv.reader(io.StringIO(written, newline=""))) == rows


def test_flatten_writes_paths(call: Any) -> None:
    result = call(operation="flatten", data={"a": {"b": [1, {}, []]}, "x.y": {"0": 1, "": None}, "e": {}})
    assert result.data["output"] == {
        "a.b.0": 1, "a.b.1": {}, "a.b.2": [], "x\\.y.\\0": 1, "x\\.y.": None, "e": {},
    }  # fmt: skip
    assert result.data["count"] == 6


def test_flatten_with_another_separator_and_the_old_name(call: Any) -> None:
    assert call(operation="flatten_json", data='{"a": {"b.c": 1}}', separator="/").data["output"] == {"a/b.c": 1}
    assert call(operation="unflatten_json", data={"a->b": 1}, separator="->").data["output"] == {"a": {"b": 1}}


@given(VALUES, st.sampled_from([".", "/", "->", "_", "..", " "]))
def test_flattening_there_and_back_is_the_same(value: Any, separator: str) -> None:
    if isinstance(value, dict | list):
        flat = flatten({"data": value, "separator": separator})["output"]
        back = unflatten({"data": flat, "separator": separator})["output"]
        assert back == value
        assert json.dumps(back) == json.dumps(value)


@given(st.lists(KEYS, min_size=1, max_size=4))
def test_a_path_is_cut_where_it_was_joined(keys: list[str]) -> None:
    assert cut(".".join(escape(key, ".") for key in keys), ".") == keys


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"a.1": 1}, "indexes are left out at /a"),
        ({"a.0": 1, "a.b": 2}, "mixed at /a"),
        ({"0": 1, "x": 2}, "mixed at the top"),
        ({"a": 1, "a.b": 2}, "leads into a value"),
        ({"a.b": 1, "a": 2}, "the same place"),
        ({"a.999999999": 1}, "left out"),
        ([1], "an object with paths"),
        ({".".join("a" * 101): 1}, "too deep"),
    ],
)
def test_paths_that_contradict_each_other_are_refused(call: Any, data: Any, words: str) -> None:
    assert words in call(operation="unflatten", data=data).error.message


@pytest.mark.parametrize("separator", ["1", "\\", "a2", "\n"])
def test_a_separator_that_cannot_separate_is_refused(call: Any, separator: str) -> None:
    assert "can't separate" in call(operation="flatten", data={"a": {"b": 1}}, separator=separator).error.message


@pytest.mark.parametrize("delimiter", ["ab", '"', "\n", "\x00"])
def test_a_delimiter_that_is_none_is_refused(call: Any, delimiter: str) -> None:
    assert "delimiter" in call(operation="csv_to_json", data="a,b", delimiter=delimiter).error.message


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"operation": "flatten"},
        {"data": "a"},
        {"operation": "transmogrify", "data": "a"},
        {"operation": "csv_to_json", "data": "a", "delimiter": ""},
        {"operation": "csv_to_json", "data": "a", "has_header": "perhaps"},
        {"operation": "flatten", "data": {}, "separator": "......"},
        {"operation": "flatten", "data": {}, "depth": 2},
        {"operation": "csv_to_json", "data": "a," * 1_000_001},
    ],
)
def test_arguments_that_do_not_fit_are_refused_before_anything_runs(call: Any, arguments: dict[str, Any]) -> None:
    result = call(**arguments)
    assert result.error.code == "invalid_arguments"
    assert "Not executed" in result.text


def test_an_operation_names_what_it_does_not_take(call: Any) -> None:
    assert "flatten takes no 'delimiter'" in call(operation="flatten", data={}, delimiter=";").error.message
    assert "flattened, not string" in call(operation="flatten", data='"a"').error.message


def test_wide_commas_are_named_where_there_is_one_column_only(call: Any) -> None:
    result = call(operation="csv_to_json", data="名，数\n甲，1\n")
    assert "'，' were its delimiter" in result.text
    assert call(operation="csv_to_json", data="名，数\n甲，1\n", delimiter="，").data["columns"] == ["名", "数"]
