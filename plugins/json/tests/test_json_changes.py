from __future__ import annotations

import json
from typing import Any

import ares_plugin_json
import pytest
from ares_plugin_json.changing import merge, patched
from ares_plugin_json.comparing import Budget, same
from ares_plugin_json.differences import difference
from hypothesis import given
from hypothesis import strategies as st

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


def equal(left: Any, right: Any) -> bool:
    return same(left, right, Budget(100_000, "", ""))


@pytest.mark.parametrize(
    ("target", "patch", "merged"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ([1, 2], [3], [3]),
        ({"a": 1}, None, None),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"b": {"c": None}}}, {"a": {"b": {}}}),
    ],
)
def test_merge_is_that_of_rfc_7396(call: Any, target: Any, patch: Any, merged: Any) -> None:
    assert call(operation="merge", data=target, other=patch).data["value"] == merged
    assert call(operation="merge", data=json.dumps(target), other=json.dumps(patch)).data["value"] == merged


@pytest.mark.parametrize(
    ("document", "operation", "changed"),
    [
        ({"a": 1}, {"op": "add", "path": "/b", "value": 2}, {"a": 1, "b": 2}),
        ([1, 3], {"op": "add", "path": "/1", "value": 2}, [1, 2, 3]),
        ([1], {"op": "add", "path": "/-", "value": 2}, [1, 2]),
        ([1], {"op": "add", "path": "/1", "value": 2}, [1, 2]),
        ({"a": 1}, {"op": "add", "path": "", "value": []}, []),
        ({"a": 1}, {"op": "remove", "path": "/a"}, {}),
        ({"a": 1}, {"op": "replace", "path": "/a", "value": None}, {"a": None}),
        ({"a": [1, 2]}, {"op": "move", "from": "/a/0", "path": "/a/1"}, {"a": [2, 1]}),
        ({"a": {"b": 1}}, {"op": "copy", "from": "/a", "path": "/a/c"}, {"a": {"b": 1, "c": {"b": 1}}}),
        ({"a": 1}, {"op": "test", "path": "/a", "value": 1.0}, {"a": 1}),
        ({"a": 1}, {"op": "remove", "path": "/a", "comment": "unknown members are passed over"}, {}),
        ({"0": {}}, {"op": "add", "path": "/0/~01", "value": 1}, {"0": {"~1": 1}}),
    ],
)
def test_patch_is_that_of_rfc_6902(call: Any, document: Any, operation: Any, changed: Any) -> None:
    assert call(operation="patch", data=document, patch=[operation]).data["value"] == changed


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        ({"op": "remove", "path": "/b"}, "without the key 'b'"),
        ({"op": "replace", "path": "/a/3", "value": 1}, "length 3"),
        ({"op": "add", "path": "/a/4", "value": 1}, "length 3"),
        ({"op": "add", "path": "/x/y", "value": 1}, "without the key 'x'"),
        ({"op": "add", "path": "/n/y", "value": 1}, "has no parts"),
        ({"op": "remove", "path": ""}, "whole document"),
        ({"op": "test", "path": "/n", "value": True}, "at /n is 1, not true"),
        ({"op": "move", "from": "/a", "path": "/a/0"}, "into itself"),
        ({"op": "addne", "path": "/b", "value": 1}, "op is 'addne'"),
        ({"op": "add", "path": "/b"}, "'value'"),
        ({"op": "copy", "path": "/b"}, "'from'"),
        ({"op": "add", "path": 1, "value": 1}, "path is a number"),
        ({"op": "add", "path": "b", "value": 1}, "begin with '/'"),
        (["add"], "is an array"),
    ],
)
def test_a_patch_that_cannot_be_done_changes_nothing(call: Any, operation: Any, words: str) -> None:
    document = {"a": [1, 2], "n": 1}
    result = call(operation="patch", data=document, patch=[{"op": "add", "path": "/a/-", "value": 3}, operation])
    assert "operation 2 of 2" in result.error.message
    assert "nothing was changed" in result.error.message
    assert words in result.text
    assert document == {"a": [1, 2], "n": 1}


def test_a_patch_may_be_text(call: Any) -> None:
    patch = '[{"op": "add", "path": "/-", "value": 1.50}]'
    assert call(operation="patch", data="[]", patch=patch).data["output"] == "[1.50]"
    assert "array of operations" in call(operation="patch", data="[]", patch='{"op": "remove"}').text


def test_diff_tells_what_changed(call: Any) -> None:
    result = call(operation="diff", data='{"a": [1, 2, 3], "b": 1, "s": 1}', other='{"a": [1, 3], "c": 0.10, "s": 1.0}')
    assert result.data["patch"] == [
        {"op": "remove", "path": "/a/1"},
        {"op": "remove", "path": "/b"},
        {"op": "add", "path": "/c", "value": 0.1},
    ]
    assert "remove /a/1" in result.text


def test_equal_documents_have_no_difference(call: Any) -> None:
    result = call(operation="diff", data='{"a": 1, "b": 1e2}', other='{"b": 100, "a": 1.0}')
    assert (result.data["equal"], result.data["patch"]) == (True, [])
    assert call(operation="diff", data="[1]", other="[true]").data["equal"] is False


@given(DOCUMENTS, DOCUMENTS)
def test_a_difference_as_a_patch_leads_to_the_other_document(left: Any, right: Any) -> None:
    patch = difference(left, right)
    assert equal(patched(left, patch), right)
    assert bool(patch) is not equal(left, right)


@given(DOCUMENTS, DOCUMENTS)
def test_merging_once_more_changes_nothing(target: Any, patch: Any) -> None:
    once = merge(target, patch)
    assert merge(once, patch) == once
