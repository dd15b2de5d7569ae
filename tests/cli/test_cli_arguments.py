"""``key=value`` on the command line: the tool's own schema says what a value is."""

from __future__ import annotations

from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ares_core.cli.arguments import read_arguments

SCHEMA: dict[str, Any] = {
    "properties": {
        "text": {"type": "string"},
        "n": {"type": "integer"},
        "x": {"type": "number"},
        "on": {"type": "boolean"},
        "maybe": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "name": {"type": ["string", "null"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "numbers": {"anyOf": [{"type": "array", "items": {"type": "number"}}, {"type": "string"}]},
        "options": {"$ref": "#/$defs/options"},
        "level": {"enum": [1, 2, 3]},
        "any": {},
        "a.b": {"type": "integer"},
    },
    "required": ["text"],
    "$defs": {
        "options": {"type": "object", "properties": {"deep": {"$ref": "#/$defs/options"}, "n": {"type": "integer"}}}
    },
}
VALUES = [
    ("text=null", "null"), ("text=true", "true"), ("text=007", "007"), ("text=a=b", "a=b"), ("text=-5", "-5"),
    ("text=", ""), ("text=[1]", "[1]"), ("text=x:=1", "x:=1"), ("text:=\"5\"", "5"),
    ("n=007", 7), ("n=-5", -5), ("n=1e3", 1000), ("n=1.5", 1.5), ("n=five", "five"), ("n=9" + "0" * 50, 9 * 10**50),
    ("x=1e3", 1000.0), ("x=.5", 0.5), ("x=3", 3), ("x=1e999", "1e999"), ("x=nan", "nan"),
    ("on=TRUE", True), ("on=false", False), ("on=maybe", "maybe"),
    ("maybe=null", None), ("maybe=4", 4), ("name=null", "null"),
    ("tags=a", ["a"]), ("tags=[\"a\", \"b\"]", ["a", "b"]), ("numbers=[1, 2]", [1, 2]), ("numbers=1, 2", "1, 2"),
    ("options={\"n\": 1}", {"n": 1}), ("options={'n': 1}", "{'n': 1}"), ("level=2", 2),
    ("any=5", 5), ("any=null", None), ("any=x", "x"), ("any=[1]", [1]), ("any=.5", 0.5), ("any=[1.10]", [1.1]),
]  # fmt: skip
LOST = ["0.12345678901234567890", '{"a": 1, "a": 2}', '[{"a": 1e400}]', '{"a": 0.1234567890123456789}', '["\\ud83d"]']


@pytest.mark.parametrize(("text", "value"), VALUES, ids=[text[:20] for text, _ in VALUES])
def test_a_value_is_read_by_its_schema(text: str, value: Any) -> None:
    (found,) = read_arguments([text], SCHEMA).values()
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("text", LOST)
def test_what_reading_would_lose_a_part_of_stays_text(text: str) -> None:
    assert read_arguments([f"any={text}"], SCHEMA) == {"any": text}


def test_an_exact_value_with_a_key_given_twice_is_wrong_usage() -> None:
    with pytest.raises(click.UsageError, match="the key 'a' is given twice"):
        read_arguments(['any:={"a": 1, "a": 2}'], SCHEMA)


@given(st.text())
def test_text_stays_as_it_stands(text: str) -> None:
    assert read_arguments([f"text={text}"], SCHEMA) == {"text": text}


@given(st.integers())
def test_a_whole_number_keeps_every_digit(number: int) -> None:
    assert read_arguments([f"n={number}"], SCHEMA) == {"n": number}


def test_a_repeated_key_makes_a_list() -> None:
    assert read_arguments(["tags=a", "tags=b", "numbers=1", "numbers=2"], SCHEMA) == {
        "tags": ["a", "b"], "numbers": [1, 2],
    }  # fmt: skip


def test_dots_reach_into_objects() -> None:
    given = ["options.n=1", "options.deep.n=2", "a.b=3", "unknown.n=4"]
    assert read_arguments(given, SCHEMA) == {
        "options": {"n": 1, "deep": {"n": 2}}, "a.b": 3, "unknown.n": 4,
    }  # fmt: skip


def test_a_bare_value_belongs_to_the_one_required_argument() -> None:
    assert read_arguments(["-2**2"], SCHEMA) == {"text": "-2**2"}


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (["n=1", "n=2"], "takes one value"),
        (["options=x", "options.n=1"], "has a value of its own"),
        (["options.n=1", "options={}"], "as a whole and in parts"),
        (["text:=oops"], "no JSON"),
        (["=5"], "no name"),
        (["options..n=5"], "names no argument"),
    ],
    ids=["twice", "into_a_value", "whole_and_parts", "no_json", "no_name", "empty_part"],
)
def test_what_contradicts_itself_is_wrong_usage(texts: list[str], says: str) -> None:
    with pytest.raises(click.UsageError, match=says):
        read_arguments(texts, SCHEMA)


def test_a_bare_value_for_several_arguments_names_them() -> None:
    with pytest.raises(click.UsageError, match="it takes a, b"):
        read_arguments(["5"], {"properties": {"a": {}, "b": {}}})


def test_a_schema_that_refers_to_itself_ends() -> None:
    schema = {"properties": {"a": {"$ref": "#/properties/a"}, "b": {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}}}
    assert read_arguments(["a=1"], schema) == {"a": 1}
