"""A refusal says where, what was expected, what was there, and what to do about it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ares_core.calls import Issue
from ares_core.schema import compile_schema


def issue_of(schema: dict[str, Any], arguments: Any) -> Issue:
    (issue,) = compile_schema(schema, tool="t").issues(arguments)
    return issue


def prop(**schema: Any) -> dict[str, Any]:
    return {"properties": {"x": schema}}


def test_a_missing_property_is_named_by_its_own_pointer() -> None:
    schema = {"properties": {"content": {"type": "string", "description": "What to write."}}, "required": ["content"]}
    issue = issue_of(schema, {"text": "hello"})
    assert (issue.pointer, issue.keyword, issue.expected, issue.got) == ("/content", "required", "string", "nothing")
    assert 'What to write; there is no argument "text"' in issue.hint
    assert '"text"' in issue.hint


def test_an_unknown_property_is_named_with_what_is_allowed_and_what_is_near() -> None:
    schema = {"properties": {"path": {}, "reason": {}}, "additionalProperties": False}
    issue = issue_of(schema, {"resaon": "because"})
    assert (issue.pointer, issue.keyword) == ("/resaon", "additionalProperties")
    assert "path, reason" in issue.hint
    assert "did you mean reason?" in issue.hint


def test_unevaluated_properties_are_named_too() -> None:
    schema = {"allOf": [{"properties": {"id": {}}}], "properties": {"name": {}}, "unevaluatedProperties": False}
    issue = issue_of(schema, {"id": 7, "zzz": 1})
    assert issue.pointer == "/zzz"
    assert "id" in issue.hint
    assert "name" in issue.hint


@pytest.mark.parametrize(
    ("schema", "value", "expected", "got"),
    [
        ({"type": "integer"}, "five", "integer", '"five" (string)'),
        ({"type": ["integer", "null"]}, "five", "integer or null", '"five" (string)'),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "five", "integer or null", '"five" (string)'),
        ({"enum": ["asc", "desc"]}, "up", 'one of "asc" or "desc"', '"up" (string)'),
        ({"enum": []}, 1, "one of no options at all: the schema itself is at fault", "1 (integer)"),
        ({"const": 3}, 4, "exactly 3", "4 (integer)"),
        ({"minimum": 0}, -1, "at least 0", "-1 (integer)"),
        ({"maximum": 12}, 99, "at most 12", "99 (integer)"),
        ({"exclusiveMinimum": 0}, 0, "more than 0", "0 (integer)"),
        ({"exclusiveMaximum": 1}, 1.5, "less than 1", "1.5 (number)"),
        ({"multipleOf": 5}, 7, "a multiple of 5", "7 (integer)"),
        ({"minLength": 1}, "", "text of at least 1 character", '"" (string)'),
        ({"maxLength": 2}, "abc", "text of at most 2 characters", '"abc" (string)'),
        ({"pattern": "^a+$"}, "b", "text that matches ^a+$", '"b" (string)'),
        ({"minItems": 1}, [], "at least 1 item", "[] (array)"),
        ({"maxItems": 1}, [1, 2], "at most 1 item", "[1, 2] (array)"),
        ({"uniqueItems": True}, [1, 1], "no item twice", "[1, 1] (array)"),
        ({"minProperties": 1}, {}, "at least 1 property", "{} (object)"),
        ({"not": {"type": "null"}}, None, 'a value that does not fit {"type": "null"}', "null"),
    ],
)
def test_each_keyword_has_its_words(schema: dict[str, Any], value: Any, expected: str, got: str) -> None:
    issue = issue_of(prop(**schema), {"x": value})
    assert (issue.pointer, issue.expected, issue.got) == ("/x", expected, got)


def test_a_wrong_type_comes_with_an_example() -> None:
    assert issue_of(prop(type="array", items={"type": "string"}), {"x": {}}).hint == 'such as ["text"]'


def test_an_option_that_is_near_is_suggested() -> None:
    assert "did you mean" in issue_of(prop(enum=["ascending", "descending"]), {"x": "descend"}).hint


def test_a_choice_of_one_object_tells_the_issue_inside() -> None:
    schema = prop(anyOf=[{"type": "object", "required": ["id"], "properties": {"id": {}}}, {"type": "null"}])
    assert issue_of(schema, {"x": {}}).pointer == "/x/id"


def test_a_choice_told_apart_by_a_constant_tells_the_issue_of_that_form() -> None:
    circle = {"properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}, "required": ["kind", "r"]}
    square = {"properties": {"kind": {"const": "square"}, "a": {"type": "number"}}, "required": ["kind", "a"]}
    assert issue_of(prop(oneOf=[circle, square]), {"x": {"kind": "square"}}).pointer == "/x/a"


def test_all_issues_are_told_in_order_and_at_most_fifty() -> None:
    schema = prop(type="array", items={"type": "integer"})
    issues = compile_schema(schema, tool="t").issues({"x": ["a"] * 500})
    assert len(issues) == 50
    pointers = [issue.pointer for issue in compile_schema(schema, tool="t").issues({"x": ["a", "b"]})]
    assert pointers == ["/x/0", "/x/1"]


def test_pointers_are_escaped_and_keep_empty_names() -> None:
    schema = {"properties": {"a/b": {"properties": {"~": {"type": "string"}}}, "": {"type": "string"}}}
    issues = compile_schema(schema, tool="t").issues({"a/b": {"~": 1}, "": 2})
    assert [issue.pointer for issue in issues] == ["/", "/a~1b/~0"]


def test_a_long_value_is_shortened() -> None:
    issue = issue_of(prop(type="integer"), {"x": "y" * 100_000})
    assert len(issue.got) < 100
    issue = issue_of(prop(type="integer"), {"x": {str(number): ["z" * 50] * 50 for number in range(1_000)}})
    assert len(issue.got) < 100


def test_a_secret_is_not_repeated() -> None:
    schema = prop(type="string", format="password", minLength=20)
    assert "hunter2" not in str(issue_of(schema, {"x": "hunter2"}))
    inside = prop(type="array", items={"properties": {"key": {"writeOnly": True}}}, maxItems=0)
    assert "hunter2" not in str(issue_of(inside, {"x": [{"key": "hunter2"}]}))
    telling = {"properties": {"api_key": {"type": "string"}}, "additionalProperties": False}
    assert "hunter2" not in str(issue_of(telling, {"api_key": ["hunter2"]}))
    assert "hunter2" not in str(issue_of(telling, {"password": "hunter2"}))


def test_a_recursive_schema_is_followed_to_the_fault() -> None:
    node = {"properties": {"value": {"type": "integer"}, "children": {"items": {"$ref": "#/$defs/node"}}}}
    schema = {"$ref": "#/$defs/node", "$defs": {"node": {"type": "object", "required": ["value"], **node}}}
    issue = issue_of(schema, {"value": 1, "children": [{"value": 2, "children": []}, {"children": []}]})
    assert (issue.pointer, issue.keyword, issue.expected) == ("/children/1/value", "required", "integer")


def test_the_excerpt_is_about_the_properties_concerned() -> None:
    checker = compile_schema(
        {"properties": {"a": {"$ref": "#/$defs/n"}, "b": {"type": "string"}}, "required": ["a"],
         "$defs": {"n": {"type": "integer"}}},
        tool="t",
    )  # fmt: skip
    part = checker.excerpt(checker.issues({"a": "x", "b": "y"}))
    assert part == {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


def test_the_excerpt_is_bounded() -> None:
    wide = {"properties": {f"p{number}": {"enum": ["x" * 100] * 1} for number in range(500)}}
    checker = compile_schema({"properties": {"big": wide}}, tool="t")
    assert len(json.dumps(checker.excerpt(checker.issues({"big": {"p0": 1}})))) < 3_000


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"type": "integer", "minimum": 5}}, "required": ["a"]},
        {"properties": {"a": {"type": "number", "exclusiveMaximum": 0}}, "required": ["a"]},
        {"properties": {"a": {"type": "integer", "multipleOf": 7, "minimum": 3}}, "required": ["a"]},
        {"properties": {"a": {"type": "string", "minLength": 9, "maxLength": 9}}, "required": ["a"]},
        {"properties": {"a": {"type": "string", "pattern": "^[A-Z]{3}$"}}, "required": ["a"]},
        {"properties": {"a": {"type": "string", "format": "date"}}, "required": ["a"]},
        {"properties": {"a": {"type": "array", "items": {"enum": [7]}, "minItems": 2}}, "required": ["a"]},
        {"properties": {"a": {"$ref": "#/$defs/a"}}, "required": ["a"], "$defs": {"a": {"const": [None]}}},
        {"properties": {"a": {"anyOf": [{"type": "null"}, {"type": "boolean"}]}}, "required": ["a"]},
        {"properties": {"a": {"allOf": [{"type": "object"}, {"properties": {"b": {"type": "null"}}}]}}},
        {"properties": {"a": {"type": "string", "examples": ["Oslo"], "minLength": 4}}, "required": ["a"]},
    ],
)
def test_an_example_fits_its_schema(schema: dict[str, Any]) -> None:
    checker = compile_schema(schema, tool="t")
    example = checker.example()
    assert example is not None
    assert checker.is_valid(example)
    assert "required" not in schema or "a" in example


def test_no_example_is_better_than_a_wrong_one() -> None:
    impossible = {"properties": {"a": {"type": "string", "pattern": "^q{7}[0-9]{5}$"}}, "required": ["a"]}
    assert compile_schema(impossible, tool="t").example() is None
