"""The two engines say the same, fetch nothing and take bounded time."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ares_core.schema import compile_schema

NAMES = ["a", "b", "c", "", "a/b", "~"]
scalars = st.none() | st.booleans() | st.integers(-3, 5) | st.sampled_from([0.5, 1.0, 0.07, 0.3, -2.5]) | st.sampled_from(
    ["", "a", "b", "ab", "5", "true", "null", "٣", "a\n"]
)  # fmt: skip
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)
)
KINDS = ["string", "integer", "number", "boolean", "null", "array", "object"]


def keywords(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    by_name = st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    count = st.integers(0, 3)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(KINDS) | st.lists(st.sampled_from(KINDS), min_size=1, max_size=2, unique=True),
            "enum": st.lists(scalars, min_size=1, max_size=3),
            "const": scalars,
            "minimum": st.integers(-2, 3), "exclusiveMaximum": st.integers(-2, 3), "multipleOf": st.sampled_from([2, 0.01]),
            "minLength": count, "maxLength": count, "pattern": st.sampled_from(["^a", r"\d", "a$", "^(a+)+$"]),
            "minItems": count, "maxItems": count, "uniqueItems": st.booleans(), "items": inner,
            "prefixItems": st.lists(inner, min_size=1, max_size=2), "contains": inner,
            "properties": by_name, "required": st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
            "patternProperties": st.dictionaries(st.sampled_from(["^a", "b"]), inner, max_size=1),
            "additionalProperties": inner, "minProperties": count, "maxProperties": count,
            "propertyNames": st.fixed_dictionaries({"maxLength": count}),
            "dependentRequired": st.dictionaries(st.sampled_from(NAMES), st.just(["c"]), max_size=1),
            "allOf": st.lists(inner, min_size=1, max_size=2), "anyOf": st.lists(inner, min_size=1, max_size=2),
            "oneOf": st.lists(inner, min_size=1, max_size=2), "not": inner, "if": inner, "then": inner, "else": inner,
            "$ref": st.sampled_from(["#/$defs/x", "#/$defs/y"]),
        },
    )  # fmt: skip


subschemas = st.recursive(st.booleans() | keywords(st.booleans()), keywords, max_leaves=6)
schemas = st.fixed_dictionaries(
    {
        "type": st.just("object"),
        "properties": st.dictionaries(st.sampled_from(NAMES), subschemas, min_size=1, max_size=3),
        "$defs": st.fixed_dictionaries({"x": keywords(st.booleans()).filter(lambda x: "$ref" not in x), "y": st.booleans()}),
    }
)


@settings(deadline=None)
@given(schemas, st.dictionaries(st.sampled_from(NAMES), values, max_size=4))
def test_both_engines_give_one_verdict_and_the_same_issues(schema: dict[str, Any], value: dict[str, Any]) -> None:
    fast = compile_schema(schema, tool="t")
    reference = compile_schema(schema, tool="t", engine="reference")
    assert fast.is_valid(value) == reference.is_valid(value)
    said = [{(issue.pointer, issue.keyword) for issue in checker.issues(value)} for checker in (fast, reference)]
    assert said[0] == said[1]
    assert bool(said[0]) is not fast.is_valid(value)
