"""What an author gives as parameters: made legal, or refused in a sentence that names the tool."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from ares_core import Ares, ToolFunc
from ares_core.errors import SchemaError
from ares_core.schema import compile_schema

OBJECT = {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    ("given", "made"),
    [
        (None, OBJECT),
        ({}, OBJECT),
        (True, OBJECT),
        ({"type": "object", "properties": None, "required": None}, OBJECT),
        ({"type": ["object", "null"]}, OBJECT),
        ({"type": "object", "required": ["a"]}, {"type": "object", "required": ["a"], "properties": {}}),
        ({"properties": {"a": {"enum": ("x", "y")}}}, {"type": "object", "properties": {"a": {"enum": ["x", "y"]}}}),
    ],
)
def test_every_way_to_say_an_object_becomes_a_legal_schema(given: Any, made: dict[str, Any]) -> None:
    assert compile_schema(given, tool="t").schema == made


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"type": "string"}, "always an object"),
        ({"type": "array", "items": {}}, "always an object"),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"type": "string"}}}, "always an object"),
        ({"type": 7}, "have the type 7"),
        ({"allOf": [None]}, "null is not"),
        (False, "of type bool"),
        (["a"], "of type list"),
        ('{"type": "object"}', "the text"),
        ({"properties": {"a": {"type": "strin"}}}, "strin"),
        ({"properties": {"a": "string"}}, "/properties/a"),
        ({"properties": {"a": {"pattern": "("}}}, "regex"),
        ({"required": "a"}, "required"),
        ({"properties": {"a": {"minimum": float("nan")}}}, "NaN"),
        ({"properties": {"a": {"default": {1, 2}}}}, "/properties/a/default"),
        ({"properties": {"a": {"$ref": "#/$defs/Missing"}}}, "does not exist"),
        ({"properties": {"a": {"$ref": "#nowhere"}}}, "nowhere"),
        ({"properties": {"a": {"$ref": "#/properties/a"}}}, "without end"),
        ({"anyOf": [{"$ref": "#"}]}, "without end"),
        ({"properties": {str(number): {} for number in range(30_000)}}, "more than"),
        ({"$schema": "http://json-schema.org/draft-03/schema#"}, "draft-03"),
    ],
)
def test_what_is_no_schema_is_refused_in_a_sentence(given: Any, said: str) -> None:
    with pytest.raises(SchemaError) as refusal:
        compile_schema(given, tool="bad_tool")
    assert "tool 'bad_tool'" in str(refusal.value)
    assert said in str(refusal.value)


def test_a_schema_that_is_too_deep_is_refused() -> None:
    schema: dict[str, Any] = {}
    for _ in range(200):
        schema = {"properties": {"a": schema}}
    with pytest.raises(SchemaError, match="128"):
        compile_schema(schema, tool="deep")


def test_the_source_is_never_changed() -> None:
    source = {"properties": {"a": {"type": "integer", "default": [1]}}, "required": None, "type": ["object"]}
    kept = copy.deepcopy(source)
    checker = compile_schema(source, tool="t")
    checker.fill({})
    checker.correct({"a": "x"})
    checker.schema["properties"]["a"]["type"] = "string"
    assert source == kept


def test_an_old_draft_keeps_what_stands_beside_the_root_reference() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$ref": "#/definitions/A",
        "definitions": {"A": {"required": ["a"]}},
    }
    checker = compile_schema(schema, tool="t")
    assert not checker.is_valid({})
    assert not checker.is_valid([])
    assert checker.is_valid({"a": 1})


@pytest.mark.parametrize("engine", ["fast", "reference"])
def test_pointers_with_escapes_are_followed(engine: Any) -> None:
    schema = {"properties": {"v": {"$ref": "#/$defs/a~1b~0c%25d"}}, "$defs": {"a/b~c%d": {"type": "integer"}}}
    (issue,) = compile_schema(schema, tool="t", engine=engine).issues({"v": "x"})
    assert (issue.pointer, issue.expected) == ("/v", "integer")


@pytest.mark.parametrize("engine", ["fast", "reference"])
@pytest.mark.parametrize("name", ["用户", "two words", "Page<Item>", "a^b|c", "[x]"])
def test_a_reference_may_name_its_target_as_it_is_written(name: str, engine: Any) -> None:
    given = {"properties": {"v": {"$ref": f"#/$defs/{name}"}}, "$defs": {name: {"type": "integer"}}}
    checker = compile_schema(given, tool="t", engine=engine)
    assert checker.correct({"v": "7"}).arguments == {"v": 7}
    assert not checker.is_valid({"v": "x"})
    assert given["properties"]["v"]["$ref"] == f"#/$defs/{name}"


def test_a_property_may_be_called_ref() -> None:
    assert compile_schema({"properties": {"$ref": {"type": "string"}}}, tool="t").is_valid({"$ref": "http://x"})


def test_embedded_ids_are_local() -> None:
    schema = {
        "$id": "https://example.invalid/root.json",
        "properties": {"a": {"$ref": "part.json"}},
        "$defs": {"part": {"$id": "part.json", "type": "integer"}},
    }
    checker = compile_schema(schema, tool="t")
    assert checker.is_valid({"a": 1})
    assert not checker.is_valid({"a": "x"})


def test_a_model_may_be_given_as_parameters() -> None:
    from pydantic import BaseModel

    class Query(BaseModel):
        text: str

    assert compile_schema(Query, tool="t").schema["required"] == ["text"]


def test_one_bad_tool_never_removes_the_others(ares: Ares) -> None:
    with pytest.raises(SchemaError, match="bad"):
        ares.register(ToolFunc(name="bad", description="", parameters={"type": "string"}, fn=lambda: 1))
    ares.register(ToolFunc(name="good", description="", parameters={}, fn=lambda: 1))
    assert ares.call_sync("good", {}).data == 1


def test_secrets_are_found_wherever_they_stand() -> None:
    schema = {
        "properties": {
            "token": {"type": "string", "writeOnly": True},
            "logins": {"type": "array", "items": {"$ref": "#/$defs/login"}},
            "extra": {"additionalProperties": {"format": "password"}},
            "name": {"type": "string"},
        },
        "$defs": {"login": {"properties": {"user": {}, "a/b": {"format": "password"}}}},
    }
    assert set(compile_schema(schema, tool="t").secrets) == {"/token", "/logins/*/a~1b", "/extra/*"}
