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
            "type": "object", "required": names,
            "properties": {name: {"$ref": f"#/$defs/s{step - 1}"} for name in names},
        }
        for step in range(1, steps + 1)
    }  # fmt: skip
    return {
        "$defs": {"s0": {"type": "integer"}, **parts}, "properties": {"x": {"$ref": f"#/$defs/s{steps}"}},
        "required": ["x"],
    }  # fmt: skip


def nested(name: str, levels: int, value: Any, **beside: Any) -> Any:
    for _ in range(levels):
        value = {name: value, **beside}
    return value


def offered(ares: Ares, schema: Any) -> None:
    ares.register(Tool("t", "", schema, lambda arguments, context: "ran", effects=Effects(open_world=False)))


@pytest.mark.parametrize("keyword", ["anyOf", "allOf", "oneOf"])
def test_references_that_double_with_each_step_are_refused_with_the_tool(ares: Ares, keyword: str) -> None:
    with pytest.raises(SchemaError, match=r"tool 't'.* one value to more than 5,000 subschemas"):
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
    began = time.process_time()
    for given in ({"y": 1}, {"y": 2}, {"y": 3}):
        result = ares.call_sync("t", given, session="s")
        assert result.error is not None
        assert result.error.code == "invalid_arguments"
    assert time.process_time() - began < 15


TEXTS = {
    "properties": {"texts": {"type": "array", "items": {"type": "string"}, "minItems": 2}, "n": {"type": "integer"}}
}
CHOICES = {"properties": {"texts": {"items": {"anyOf": [{"type": "string"}, {"type": "object"}, {"type": "null"}]}}}}


@pytest.mark.parametrize(
    ("schema", "given", "pointer"),
    [
        (TEXTS, {"texts": [[]] * 200_000, "n": 1}, "/texts/0"),
        (TEXTS, {"texts": ["a"] * 200_000, "n": "x"}, "/n"),
        (TEXTS, {"texts": ["a"] * 150_000 + [[]] * 50_000}, ""),
        (TEXTS, {"texts": {str(number): 1 for number in range(200_000)}}, "/texts"),
        (TEXTS, {"texts": str([[]] * 200_000)}, "/texts/0"),
        (CHOICES, {"texts": list(range(200_000))}, ""),
    ],
)
def test_what_is_wrong_in_huge_arguments_is_told_from_their_beginning(
    ares: Ares, schema: Any, given: Any, pointer: str
) -> None:
    offered(ares, schema)
    began = time.process_time()
    result = ares.call_sync("t", given)
    assert time.process_time() - began < 15
    assert result.error is not None
    assert result.error.code == "invalid_arguments"
    assert result.error.issues[0].pointer == pointer


def test_huge_arguments_are_repaired_whole_or_not_at_all(ares: Ares) -> None:
    seen: list[Any] = []
    ares.register(Tool("t", "", TEXTS, lambda arguments, context: seen.append(arguments)))
    assert ares.call_sync("t", {"texts": str(["a"] * 20_000).replace("'", '"'), "n": "5"}).success
    assert ares.call_sync("t", {"texts": ["a"] * 20_000, "n": "5"}).success
    assert [(len(each["texts"]), each["n"]) for each in seen] == [(20_000, 5)] * 2


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
@pytest.mark.parametrize("name", ["a", ""], ids=["named", "oddly_named"])
def test_alternatives_that_refer_to_themselves_twice_double_no_work(ares: Ares, keyword: str, name: str) -> None:
    node = [
        {"type": "object", "properties": {name: {"$ref": "#/$defs/node"}}, "required": [wanted]} for wanted in "xy"
    ]  # fmt: skip
    offered(
        ares,
        {"$defs": {"node": {keyword: [*node, {"type": "integer"}]}}, "properties": {"v": {"$ref": "#/$defs/node"}}},
    )
    shallow, deep = {name: "leaf"}, nested(name, 100, "leaf", x=1)
    assert "/v: expected one of 3 forms" in ares.call_sync("t", {"v": shallow}).text
    result = ares.call_sync("t", {"v": deep})
    assert "nested less deeply" in result.text
    assert "Not executed." in result.text
    assert ares.call_sync("t", {"v": nested(name, 100, 1, x=1)}).success
