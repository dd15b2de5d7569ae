"""Arguments given as Python objects: plain JSON, or refused with every reason."""

from __future__ import annotations

import json
from collections import OrderedDict
from enum import Enum, IntEnum
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ares_core.schema import NotJSON, normalise


class Colour(Enum):
    RED = "red"


class Level(IntEnum):
    LOW = 1


class Text(str):
    __slots__ = ()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(json_values)
def test_plain_json_is_copied_as_it_is(value: Any) -> None:
    copied = normalise(value)
    assert repr(copied) == repr(value)
    if isinstance(value, (list, dict)):
        assert copied is not value


def test_what_stands_for_plain_values_becomes_plain() -> None:
    value = normalise({Colour.RED: (1, Level.LOW), "m": MappingProxyType({"o": OrderedDict(k=Text("t"))}), "b": True})
    assert value == {"red": [1, 1], "m": {"o": {"k": "t"}}, "b": True}
    assert json.dumps(value) == '{"red": [1, 1], "m": {"o": {"k": "t"}}, "b": true}'
    assert [type(item) for item in value["red"]] == [int, int]
    assert type(value["m"]["o"]["k"]) is str


@pytest.mark.parametrize(
    ("value", "pointer", "got"),
    [
        ({"a": [float("nan")]}, "/a/0", "NaN"),
        ({"a": float("-inf")}, "/a", "-Infinity"),
        ({"a": {1, 2}}, "/a", "a value of type set"),
        ({"a/b": b"x"}, "/a~1b", "a value of type bytes"),
        ({1: "x"}, "", "a value of type int"),
        ({"a": "\ud800"}, "/a", "text with a lone surrogate"),
        ({"\ud800": 1}, "", "text with a lone surrogate"),
        ({"a": 10**5000}, "/a", "a number of more than 4,300 digits"),
        ({"a": object}, "/a", "a value of type type"),
    ],
)
def test_what_json_can_not_hold_is_refused_where_it_stands(value: Any, pointer: str, got: str) -> None:
    with pytest.raises(NotJSON) as refusal:
        normalise(value)
    (issue,) = refusal.value.issues
    assert (issue.pointer, issue.got) == (pointer, got)


def test_every_reason_is_given() -> None:
    with pytest.raises(NotJSON) as refusal:
        normalise({"a": {1}, "b": [b""], "c": {"d": 1j}})
    assert [issue.pointer for issue in refusal.value.issues] == ["/a", "/b/0", "/c/d"]


def test_a_circular_value_is_refused() -> None:
    circle: list[Any] = []
    circle.append({"again": circle})
    with pytest.raises(NotJSON, match="circular"):
        normalise(circle)


def test_depth_is_bounded() -> None:
    deep: Any = 1
    for _ in range(128):
        deep = [deep]
    assert normalise(deep) == deep
    with pytest.raises(NotJSON, match="at most 128 levels"):
        normalise([deep])


def test_a_value_that_is_shared_over_and_over_is_refused_in_bounded_time() -> None:
    shared: Any = []
    for _ in range(100):
        shared = [shared, shared]
    with pytest.raises(NotJSON, match="values"):
        normalise(shared)
