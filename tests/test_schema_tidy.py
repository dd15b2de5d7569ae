"""Spellings that are no JSON Schema and leave no doubt: no tool is lost for them, whatever generator wrote them."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from ares_core.schema import compile_schema
from ares_core.schema.tidy import published, tidied


def object_of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ({"a": {"type": "string", "description": None, "enum": None}}, {"a": {"type": "string"}}),
        ({"a": {"type": "array", "items": None}}, {"a": {"type": "array"}}),
        ({"a": None}, {"a": {}}),
        ({"a": {"type": "object", "properties": []}}, {"a": {"type": "object", "properties": {}}}),
        ({"a": {"type": "INTEGER"}}, {"a": {"type": "integer"}}),
        ({"a": {"type": "string", "nullable": True}}, {"a": {"type": ["string", "null"]}}),
        (
            {"a": {"type": "string", "nullable": True, "enum": ["x"]}},
            {"a": {"type": ["string", "null"], "enum": ["x", None]}},
        ),
        ({"a": {"items": [{}], "additionalItems": False}}, {"a": {"prefixItems": [{}], "items": False}}),
        ({"a": {"minimum": 1, "exclusiveMinimum": True}}, {"a": {"exclusiveMinimum": 1}}),
        ({"a": {"maximum": 1, "exclusiveMaximum": False}}, {"a": {"maximum": 1}}),
        ({"a": {"default": None, "const": None}}, {"a": {"default": None, "const": None}}),
    ],
)
def test_a_spelling_that_leaves_no_doubt_becomes_legal(given: dict[str, Any], made: dict[str, Any]) -> None:
    assert tidied(object_of(**given))["properties"] == made
    compile_schema(object_of(**given), tool="t")


def test_required_right_in_a_property_counts_for_the_object() -> None:
    checker = compile_schema(object_of(a={"type": "string", "required": True}, b={"required": False}), tool="t")
    assert checker.schema["required"] == ["a"]
    assert not checker.is_valid({"b": 1})
    assert checker.is_valid({"a": "x"})


def test_a_name_that_is_required_twice_is_required_once() -> None:
    assert tidied({**object_of(a={}), "required": ["a", "a"]})["required"] == ["a"]


def test_properties_may_have_the_names_of_keywords() -> None:
    schema = object_of(required={"type": "boolean"}, items=[], nullable={"type": "string"})
    assert tidied(schema)["properties"]["required"] == {"type": "boolean"}


def test_a_schema_without_such_spellings_is_the_very_same_and_no_source_is_changed() -> None:
    sound = {**object_of(a={"type": "array", "items": {"anyOf": [{"type": "string"}]}}), "required": ["a"]}
    assert tidied(sound) is sound
    odd = object_of(a={"type": "STRING", "default": None}, b=None)
    kept = copy.deepcopy(odd)
    tidied(odd)
    assert odd == kept


def test_a_null_is_kept_where_openapi_allows_it() -> None:
    checker = compile_schema(object_of(a={"type": "string", "nullable": True}), tool="t")
    assert checker.correct({"a": None}).arguments == {"a": None}
    assert checker.is_valid({"a": None})


def test_what_goes_out_is_the_newest_draft_and_says_of_arrays_that_they_have_items() -> None:
    draft = "http://json-schema.org/draft-07/schema#"
    schema = {"$schema": draft, **object_of(a={"type": "array"}, b={"type": ["array", "null"], "items": True})}
    assert published(schema) == object_of(a={"type": "array", "items": {}}, b={"type": ["array", "null"], "items": {}})
    pair = published({"$schema": draft, **object_of(a={"type": "array", "items": [{"type": "string"}]})})
    assert pair["properties"]["a"] == {"type": "array", "prefixItems": [{"type": "string"}], "items": {}}


def test_parameters_that_are_none_are_left_alone() -> None:
    assert published(None) is None
