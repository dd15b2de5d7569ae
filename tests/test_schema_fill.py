"""Defaults are filled in at any depth, and only where they are right."""

from __future__ import annotations

from typing import Any

import pytest

from ares_core import Ares, ToolFunc
from ares_core.calls import ArgumentEdit
from ares_core.schema import compile_schema


def filled(schema: dict[str, Any], arguments: dict[str, Any]) -> Any:
    return compile_schema(schema, tool="t").fill(arguments)[0]


def test_a_default_is_filled_in_and_recorded() -> None:
    checker = compile_schema({"properties": {"limit": {"type": "integer", "default": 10}}}, tool="t")
    given: dict[str, Any] = {}
    value, edits = checker.fill(given)
    assert value == {"limit": 10}
    assert edits == (ArgumentEdit("/limit", None, 10, "default"),)
    assert given == {}


def test_what_was_given_stays() -> None:
    assert filled({"properties": {"limit": {"default": 10}}}, {"limit": None}) == {"limit": None}


@pytest.mark.parametrize(
    ("schema", "arguments", "value"),
    [
        ({"properties": {"o": {"properties": {"deep": {"default": 1}}}}}, {"o": {}}, {"o": {"deep": 1}}),
        ({"properties": {"l": {"items": {"properties": {"k": {"default": 2}}}}}}, {"l": [{}, {"k": 1}]},
         {"l": [{"k": 2}, {"k": 1}]}),
        ({"properties": {"m": {"additionalProperties": {"properties": {"k": {"default": 3}}}}}}, {"m": {"x": {}}},
         {"m": {"x": {"k": 3}}}),
        ({"allOf": [{"properties": {"a": {"default": 4}}}], "properties": {"b": {}}}, {}, {"a": 4}),
        ({"properties": {"r": {"$ref": "#/$defs/r"}}, "$defs": {"r": {"default": 5}}}, {}, {"r": 5}),
        ({"properties": {"n": {"anyOf": [{"properties": {"k": {"default": 6}}}, {"type": "null"}]}}}, {"n": {}},
         {"n": {"k": 6}}),
        ({"properties": {"o": {"default": {}, "properties": {"k": {"default": 7}}}}}, {}, {"o": {"k": 7}}),
    ],
)  # fmt: skip
def test_defaults_are_filled_at_any_depth(schema: Any, arguments: Any, value: Any) -> None:
    assert filled(schema, arguments) == value


def test_a_recursive_schema_is_filled_as_deep_as_the_arguments_go() -> None:
    schema = {"properties": {"n": {"default": 0}, "kids": {"items": {"$ref": "#"}}}}
    assert filled(schema, {"kids": [{"kids": [{}]}]}) == {"n": 0, "kids": [{"n": 0, "kids": [{"n": 0}]}]}


@pytest.mark.parametrize(
    "part",
    [{"type": "string", "default": None}, {"type": "integer", "minimum": 1, "default": 0}, {"enum": [1], "default": 2}],
)
def test_a_default_that_breaks_its_own_schema_is_left_out(part: dict[str, Any]) -> None:
    assert filled({"properties": {"x": part}}, {}) == {}


def test_a_default_is_never_shared_between_calls() -> None:
    checker = compile_schema({"properties": {"x": {"default": [1]}}}, tool="t")
    checker.fill({})[0]["x"].append(2)
    assert checker.fill({})[0] == {"x": [1]}


def test_a_required_property_with_a_default_may_be_left_out(ares: Ares) -> None:
    schema = {"properties": {"n": {"type": "integer", "default": 3}}, "required": ["n"]}
    ares.register(ToolFunc(name="count", description="", parameters=schema, fn=lambda n: n))
    assert ares.call_sync("count", {}).data == 3


@pytest.mark.parametrize(
    ("schema", "given", "value"),
    [
        ({"type": "integer"}, 3.0, 3),
        ({"type": "array", "items": {"type": "integer"}}, [1.0, 2], [1, 2]),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, 3.0, 3),
        ({"type": "number"}, 3.0, 3.0),
        ({"type": ["integer", "number"]}, 3.0, 3.0),
    ],
)
def test_a_whole_number_written_with_a_point_is_an_integer(schema: Any, given: Any, value: Any) -> None:
    assert repr(filled({"properties": {"x": schema}}, {"x": given})) == repr({"x": value})


def test_the_text_null_is_left_out_where_only_a_date_can_stand() -> None:
    schema = {"properties": {"since": {"type": "string", "format": "date"}, "title": {"type": "string"}}}
    assert filled(schema, {"since": "null", "title": "null"}) == {"title": "null"}


def test_a_schema_without_defaults_costs_nothing() -> None:
    checker = compile_schema({"properties": {"x": {"type": "string"}}}, tool="t")
    arguments = {"x": "a"}
    assert checker.fill(arguments) == (arguments, ())
    assert checker.fill(arguments)[0] is arguments
    assert not checker.has_defaults
