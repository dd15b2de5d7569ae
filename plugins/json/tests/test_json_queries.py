from __future__ import annotations

import random
from typing import Any

import ares_plugin_json
import pytest
from ares_plugin_json.pointers import find, tokens, written
from hypothesis import given
from hypothesis import strategies as st

DOCUMENT = {
    "a/b": 1, "m~n": 2, "x.y": 3, "": 4, "0": 5, "arr": [10, 20], "n": None, "f": False, "it's": 6, "a": {"b": 7},
}  # fmt: skip
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


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/a~1b", 1),
        ("/m~0n", 2),
        ("/x.y", 3),
        ("/", 4),
        ("", DOCUMENT),
        ("/0", 5),
        ("/arr/1", 20),
        ("/n", None),
        ("/f", False),
        ("/it's", 6),
    ],
)
def test_a_pointer_finds_what_it_points_to(call: Any, pointer: str, value: Any) -> None:
    for name in ("pointer", "query"):
        result = call(operation="query", data=DOCUMENT, **{name: pointer})
        assert (result.data["found"], result.data["value"]) == (True, value)


@pytest.mark.parametrize(
    ("pointer", "words"),
    [
        ("/arr/-1", "is no index"),
        ("/arr/-", "is no index"),
        ("/arr/01", "is no index"),
        ("/arr/１", "is no index"),
        ("/arr/2", "length 2"),
        ("/missing", "'arr'"),
        ("/ar", "it has 'arr'"),
        ("/n/x", "is null"),
        ("/it's/x", "is a number"),
        ("/num~/0", "'~' at character 4"),
        ("#/arr", "without '#'"),
        ("arr", "write /arr"),
        ("/" * 10_000, "not found"),
    ],
)
def test_a_pointer_to_nothing_is_told_what_is_there(call: Any, pointer: str, words: str) -> None:
    result = call(operation="query", data=DOCUMENT, pointer=pointer)
    assert not result.success
    assert words in result.text


@pytest.mark.parametrize(
    ("query", "values"),
    [
        ("$.a.b", [7]),
        ("$['x.y']", [3]),
        ("$.arr[-1]", [20]),
        ("$.arr[::-1]", [20, 10]),
        ("$..b", [7]),
        ("$.nothing", []),
        ("$.n", [None]),
        ("$.arr[?@ > 10]", [20]),
        ("$[?@.b == 7].b", [7]),
        ("a.b", [7]),
        ("arr[0]", [10]),
        ('["a/b"]', [1]),
    ],
)
def test_a_json_path_finds_values_in_order(call: Any, query: str, values: list[Any]) -> None:
    result = call(operation="query", data=DOCUMENT, query=query)
    assert (result.data["values"], result.data["count"], result.data["found"]) == (values, len(values), bool(values))


def test_found_values_come_with_normalised_paths(call: Any) -> None:
    result = call(operation="query", data={"it's": [{"b\n": 1}]}, query="$..*")
    assert result.data["paths"] == ["$['it\\'s']", "$['it\\'s'][0]", "$['it\\'s'][0]['b\\n']"]
    assert "$['it\\'s'][0]['b\\n'] = 1" in result.text


def test_a_name_that_is_also_a_path_is_not_guessed_at(call: Any) -> None:
    result = call(operation="query", data={"a.b": 1, "a": {"b": 2}}, query="a.b")
    assert '$["a.b"]' in result.text
    assert "$.a.b" in result.text


def test_numbers_in_filters_are_exact(call: Any) -> None:
    data = "[12345678901234567890, 12345678901234567891, 0.1, 0.10000000000000000001, 1e400, true]"
    for query, found in [
        ("$[?@ == 12345678901234567891]", "[12345678901234567891]"),
        ("$[?@ == 0.1]", "[0.1]"),
        ("$[?@ == 0.10]", "[0.1]"),
        ("$[?@ > 1e399]", "[1e400]"),
        ("$[?@ == 1]", "[]"),
        ("$[?@ == true]", "[true]"),
        ("$[?@ < 1]", "[0.1, 0.10000000000000000001]"),
    ]:
        assert call(operation="query", data=data, query=query).data["output"] == found


@pytest.mark.parametrize(
    ("condition", "values"),
    [
        ("@", [0, False, "", None, "a.b", "a\nb", {"x": [0]}]),
        ("!@.x", [0, False, "", None, "a.b", "a\nb"]),
        ("@.x[?@ == $[0]]", [{"x": [0]}]),
        ("@ == null", [None]),
        ("@.nothing == @.nothing", [0, False, "", None, "a.b", "a\nb", {"x": [0]}]),
        ("@.x == @.nothing", [0, False, "", None, "a.b", "a\nb"]),
        ("match(@, 'a.b')", ["a.b"]),
        ("match(@, 'a')", []),
        ("search(@, '[.]')", ["a.b"]),
        ("length(@) == 1", [{"x": [0]}]),
        ("count(@.*) == 1", [{"x": [0]}]),
        ("value(@..[0]) == 0", [{"x": [0]}]),
        ("@ >= 'a.b'", ["a.b"]),
        ("@ < 1 || @ == ''", [0, ""]),
        ("@ <= false", [False]),
    ],
)
def test_filters_are_those_of_the_standard(call: Any, condition: str, values: list[Any]) -> None:
    data = [0, False, "", None, "a.b", "a\nb", {"x": [0]}]
    assert call(operation="query", data=data, query=f"$[?{condition}]").data["values"] == values


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("$.a.", "is no JSONPath"),
        ("$[?@.a =~ /x/]", "match(@.key"),
        ("$.a ", "white space"),
        ("$[?nosuch(@.a)]", "'nosuch' is not defined"),
        ("$.~a", "at character 2"),
        ("$[01]", "is no JSONPath"),
        ("$[?@.a == 01]", "begins with 0"),
        ("$[?@..a == 1]", "not comparable"),
        ("$[?length(@) ]", "must be compared"),
        ("$" + "[?@" * 70, "brackets"),
    ],
)
def test_a_query_that_is_none_is_refused_with_a_reason(call: Any, query: str, words: str) -> None:
    result = call(operation="query", data=DOCUMENT, query=query)
    assert not result.success
    assert words in result.text


def test_a_pattern_that_is_none_matches_nothing_and_says_so(call: Any) -> None:
    result = call(operation="query", data=["a"], query=r"$[?match(@, '(?=a)')]")
    assert (result.data["count"], "can't be used" in result.text) == (0, True)


def test_a_query_without_a_hit_shows_the_keys(call: Any) -> None:
    assert "'x.y'" in call(operation="query", data=DOCUMENT, query="$.y").text


@given(st.lists(st.text(alphabet="a~/01", max_size=3), max_size=4))
def test_a_pointer_is_read_back_as_it_was_written(parts: list[str]) -> None:
    assert tokens(written(parts)) == parts


@given(DOCUMENTS, st.randoms(use_true_random=False))
def test_every_place_is_found_by_its_pointer(value: Any, choice: random.Random) -> None:
    parts, at = [], value
    while isinstance(at, dict | list) and at:
        key = choice.choice(list(at) if isinstance(at, dict) else range(len(at)))
        parts.append(str(key))
        at = at[key]
    assert find(value, parts) is at
