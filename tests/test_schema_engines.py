"""The two engines say the same, fetch nothing and take bounded time."""

from __future__ import annotations

import random
import socket
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ares_core.errors import SchemaError
from ares_core.schema import compile_schema

NAMES = ["a", "b", "c", "", "a/b", "~"]
KINDS = ["string", "integer", "number", "boolean", "null", "array", "object"]
SCALARS = [None, True, False, 0, 1, -3, 5, 0.5, 1.0, 0.07, 0.3, "", "a", "ab", "5", "true", "null", "٣", "a\n"]
DEFINITIONS = {"x": {"type": "integer"}, "y": False, "z": {"minimum": 2, "minLength": 2}}


class Maker:
    """Makes schemas and values that have something to do with each other."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def value(self, depth: int = 3) -> Any:
        kind = self.chance.random()
        if depth == 0 or kind < 0.4:
            return self.chance.choice(SCALARS)
        if kind < 0.6:
            return [self.value(depth - 1) for _ in range(self.chance.randint(0, 3))]
        return {self.chance.choice(NAMES): self.value(depth - 1) for _ in range(self.chance.randint(0, 4))}

    def schema(self, depth: int = 3) -> Any:
        if depth == 0 or self.chance.random() < 0.1:
            return self.chance.choice([True, False, {}, {"type": self.chance.choice(KINDS)}])
        chosen = self.chance.sample(list(KEYWORDS), self.chance.randint(1, 3))
        return {keyword: KEYWORDS[keyword](self, depth - 1) for keyword in chosen}

    def root(self) -> dict[str, Any]:
        properties = {name: self.schema() for name in self.chance.sample(NAMES, 2)}
        return {"type": "object", "properties": properties, "$defs": DEFINITIONS}


def one(maker: Maker, depth: int) -> Any:
    return maker.schema(depth)


def two(maker: Maker, depth: int) -> Any:
    return [maker.schema(depth), maker.schema(depth)]


def count(maker: Maker, depth: int) -> Any:
    return maker.chance.randint(0, 3)


def among(*options: Any) -> Any:
    return lambda maker, depth: maker.chance.choice(options)


KEYWORDS: dict[str, Any] = {
    "type": lambda maker, depth: maker.chance.sample(KINDS, maker.chance.randint(1, 2)),
    "enum": lambda maker, depth: maker.chance.sample(SCALARS, 2),
    "const": among(*SCALARS), "minimum": count, "exclusiveMaximum": count, "multipleOf": among(2, 0.01),
    "minLength": count, "maxLength": count, "pattern": among("^a", r"\d", "a$", "^(a+)+$"), "minItems": count,
    "maxItems": count, "uniqueItems": among(True), "items": one, "prefixItems": two, "contains": one,
    "minContains": count, "properties": lambda maker, depth: {name: maker.schema(depth) for name in ("a", "")},
    "required": among(["a"], ["", "b"], ["a/b"]), "additionalProperties": one, "minProperties": count,
    "patternProperties": lambda maker, depth: {maker.chance.choice(["^a", "b"]): maker.schema(depth)},
    "maxProperties": count, "propertyNames": among({"maxLength": 1}, {"pattern": "^a"}, False),
    "dependentRequired": among({"a": ["c"]}), "dependentSchemas": lambda maker, depth: {"b": maker.schema(depth)},
    "allOf": two, "anyOf": two, "oneOf": two, "not": one, "if": one, "then": one, "else": one,
    "$ref": among("#/$defs/x", "#/$defs/y", "#/$defs/z"),
}  # fmt: skip


@given(st.integers(0, 10**9))
def test_both_engines_give_one_verdict_and_the_same_issues(seed: int) -> None:
    maker = Maker(random.Random(seed))
    schema = maker.root()
    fast, slow = compile_schema(schema, tool="t"), compile_schema(schema, tool="t", engine="reference")
    for value in ({name: maker.value() for name in NAMES[:4]} for _ in range(4)):
        assert fast.is_valid(value) == slow.is_valid(value)
        said = [{(issue.pointer, issue.keyword) for issue in checker.issues(value)} for checker in (fast, slow)]
        assert said[0] == said[1]
        assert bool(said[0]) is not fast.is_valid(value)


PLAIN = [
    {"type": "string", "minLength": 2, "maxLength": 3}, {"type": "string", "enum": ["a", "ab", "true"]}, False,
    {"type": "integer", "minimum": 1, "maximum": 4}, {"type": "number", "maximum": 2, "title": "n"}, {"minimum": 1},
    {"type": "boolean"}, {"type": "array", "items": {"type": "integer"}, "minItems": 1}, {"type": ["string", "null"]},
    {"enum": ["a", "5"], "minLength": 2}, {"type": "object", "properties": {"a": {"type": "string"}}},
]  # fmt: skip


@settings(max_examples=50)
@given(
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from(PLAIN), max_size=4),
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from([*SCALARS, [], [1], ["a", 2], {}, {"a": 1}]), max_size=4),
    st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
    st.sampled_from([{}, {"additionalProperties": False}, {"additionalProperties": True}]),
)
def test_flat_arguments_are_explained_alike_by_both_engines(
    properties: dict[str, Any], value: dict[str, Any], required: list[str], rest: dict[str, Any]
) -> None:
    schema = {"type": "object", "properties": properties, "required": required, **rest}
    fast, slow = (compile_schema(schema, tool="t", engine=engine) for engine in ("fast", "reference"))
    assert fast.issues(value) == slow.issues(value)


@pytest.mark.parametrize("engine", ["fast", "reference"])
def test_what_is_required_but_not_allowed_is_no_missing_argument(engine: Any) -> None:
    schema = {"properties": {"a": False}, "required": ["b"], "additionalProperties": False}
    issues = compile_schema({"type": "object", **schema}, tool="t", engine=engine).issues({"a": None, "b": None})
    assert [(issue.pointer, issue.keyword) for issue in issues] == [("/a", "false"), ("/b", "additionalProperties")]


@given(st.integers(0, 10**9))
def test_what_is_corrected_without_issues_is_valid(seed: int) -> None:
    maker = Maker(random.Random(seed))
    checker = compile_schema(maker.root(), tool="t")
    given_value = {name: maker.value() for name in NAMES[:4]}
    kept = repr(given_value)
    corrected = checker.correct(given_value)
    assert checker.is_valid(corrected.arguments) is not bool(corrected.issues)
    assert repr(given_value) == kept


@pytest.mark.parametrize("engine", ["fast", "reference"])
@pytest.mark.parametrize(("number", "fits"), [(0.07, True), (19.99, True), (0.075, False), (10**30, True), (1.0, True)])
def test_a_multiple_is_exact(engine: Any, number: float, *, fits: bool) -> None:
    schema = {"properties": {"price": {"multipleOf": 0.01}}}
    assert compile_schema(schema, tool="shop", engine=engine).is_valid({"price": number}) is fits


@pytest.mark.parametrize("engine", ["fast", "reference"])
@pytest.mark.parametrize("arguments", [{"n": True}, {"e": 1}, {"c": False}, {"n": 1.5}])
def test_a_boolean_is_no_number(engine: Any, arguments: dict[str, Any]) -> None:
    schema = {"properties": {"n": {"type": "integer"}, "e": {"enum": [True]}, "c": {"const": 0}}}
    assert not compile_schema(schema, tool="t", engine=engine).is_valid(arguments)


@pytest.mark.parametrize("engine", ["fast", "reference"])
@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|aa)+$", r"^(a|aa)+\1$", r"(a*)*\1b"])
def test_a_pattern_can_not_take_for_ever(engine: Any, pattern: str) -> None:
    checker = compile_schema({"properties": {"x": {"type": "string", "pattern": pattern}}}, tool="t", engine=engine)
    start = time.process_time()
    assert not checker.is_valid({"x": "a" * 5_000 + "!"})
    assert time.process_time() - start < 15


def test_a_pattern_may_look_ahead() -> None:
    checker = compile_schema({"properties": {"x": {"pattern": "^(?=.*[0-9]).{3,}$"}}}, tool="t")
    assert checker.is_valid({"x": "ab1"})
    assert not checker.is_valid({"x": "abc"})


@pytest.mark.parametrize("engine", ["fast", "reference"])
@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"b": {"$ref": "https://schemas.example.invalid/x.json"}}},
        {"properties": {"b": {"$dynamicRef": "https://schemas.example.invalid/x.json#node"}}},
        {"$id": "https://schemas.example.invalid/root.json", "properties": {"b": {"$ref": "other.json"}}},
        {"$schema": "https://schemas.example.invalid/meta", "properties": {}},
        {"properties": {"b": {"$ref": "file:///etc/hostname"}}},
    ],
)
def test_nothing_is_fetched(engine: Any, schema: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(*_: Any) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", connect)
    with pytest.raises(SchemaError, match=r"tool 'remote'"):
        compile_schema(schema, tool="remote", engine=engine)


@pytest.mark.parametrize("engine", ["fast", "reference"])
def test_the_schema_names_its_draft(engine: Any) -> None:
    properties = {"pair": {"prefixItems": [{"type": "string"}]}, "few": {"$ref": "#/definitions/n", "maximum": 3}}
    schema = {"type": "object", "properties": properties, "definitions": {"n": {"type": "integer"}}}
    given = {"pair": [1], "few": 4}
    assert not compile_schema(schema, tool="t", engine=engine).is_valid(given)
    old = {**schema, "$schema": "http://json-schema.org/draft-07/schema#"}
    assert compile_schema(old, tool="t", engine=engine).is_valid(given)


@pytest.mark.parametrize("engine", ["fast", "reference"])
@pytest.mark.parametrize("draft", [{}, {"$schema": "http://json-schema.org/draft-07/schema#"}])
def test_a_list_of_items_is_understood_in_every_draft(engine: Any, draft: dict[str, str]) -> None:
    pair = {"items": [{"type": "string"}, {"type": "integer"}], "additionalItems": False}
    checker = compile_schema({**draft, "type": "object", "properties": {"pair": pair}}, tool="t", engine=engine)
    assert checker.is_valid({"pair": ["a", 1]})
    assert not checker.is_valid({"pair": [1, "a"]})
    assert not checker.is_valid({"pair": ["a", 1, 2]})


def test_format_is_a_note_and_no_check() -> None:
    for engine in ("fast", "reference"):
        for draft in ("https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"):
            schema = {"$schema": draft, "properties": {"mail": {"format": "email"}}}
            assert compile_schema(schema, tool="t", engine=engine).is_valid({"mail": "no mail"})
