"""Schemas that a hostile server could send: refused by name, or served in no more time than others."""

from __future__ import annotations

import time
from typing import Any

import pytest

from ares_core import Ares, Effects, SchemaError, Tool


def doubling(keyword: str, steps: int) -> dict[str, Any]:
    """References that lead to the next ones twice, on one and the same value."""
    parts = {f"s{step}": {keyword: [{"$ref": f"#/$defs/s{step - 1}"}] * 2} for step in range(1, steps + 1)}
    return {"$defs": {"s0": {"type": "integer"}, **parts}, "properties": {"x": {"$ref": f"#/$defs/s{steps}"}}}


def widening(steps: int) -> dict[str, Any]:
    """Objects with ten required properties, each of which is the next such object."""
    names = [f"p{number}" for number in range(10)]
    parts = {
        f"s{step}": {
            "type": "object", "required": names, "properties": {name: {"$ref": f"#/$defs/s{step - 1}"} for name in names}
        }
        for step in range(1, steps + 1)
    }  # fmt: skip
    return {
        "$defs": {"s0": {"type": "integer"}, **parts}, "properties": {"x": {"$ref": f"#/$defs/s{steps}"}},
        "required": ["x"],
    }  # fmt: skip


def offered(ares: Ares, schema: Any) -> None:
    ares.register(Tool("t", "", schema, lambda arguments, context: "ran", effects=Effects(open_world=False)))


@pytest.mark.parametrize("keyword", ["anyOf", "allOf", "oneOf"])
def test_references_that_double_with_each_step_are_refused_with_the_tool(ares: Ares, keyword: str) -> None:
    with pytest.raises(SchemaError, match="tool 't'.* one value to more than 5,000 subschemas"):
        offered(ares, doubling(keyword, 40))
    offered(ares, doubling(keyword, 4))
    assert ares.call_sync("t", {"x": 1}).success is (keyword != "oneOf")


def test_dependent_schemas_count_as_alternatives_too(ares: Ares) -> None:
    schema = doubling("allOf", 40)
    schema["$defs"]["s20"] = {"dependentSchemas": {name: {"$ref": "#/$defs/s19"} for name in "ab"}}
    with pytest.raises(SchemaError, match="one value"):
        offered(ares, schema)


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"x": {"type": "string", "minLength": 10**9}}, "required": ["x"]},
        {"properties": {"x": {"type": "string", "minLength": 1e300}}, "required": ["x"]},
        {"properties": {"x": {"type": "array", "minItems": 10**9}}, "required": ["x"]},
        {"properties": {"x": {"type": "integer", "multipleOf": 5e-324}}, "required": ["x"]},
        {"required": [f"r{number}" for number in range(5_000)]},
        widening(11),
    ],
    ids=["long text", "longer text", "long list", "tiny step", "many names", "wide objects"],
)
def test_no_example_is_made_of_a_schema_that_asks_for_a_huge_one(ares: Ares, schema: Any) -> None:
    offered(ares, schema)
    began = time.monotonic()
    for given in ({"y": 1}, {"y": 2}, {"y": 3}):
        result = ares.call_sync("t", given, session="s")
        assert result.error is not None
        assert result.error.code == "invalid_arguments"
    assert time.monotonic() - began < 5
