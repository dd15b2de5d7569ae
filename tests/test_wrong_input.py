"""Wrong input: every refusal names what was wrong, where, what was expected, and that nothing was executed."""

from __future__ import annotations

from typing import Any

import pytest

from ares_core import (
    Ares,
    RegistrationError,
    Tool,
)


def _code(ares: Ares, name: str, arguments: Any = None, session: str | None = None) -> str | None:
    result = ares.call_sync(name, arguments, session=session)
    assert result.success is (result.error is None)
    assert result.error is None or "Not executed" in result.text
    return result.error.code if result.error else None


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"a": 2}, None),
        ('{"a": 2}', None),
        ('"{\\"a\\": 2}"', None),
        (b'{"a": 2}', None),
        ("", "invalid_arguments"),
        (None, "invalid_arguments"),
        ("null", "invalid_arguments"),
        ([], "invalid_arguments"),
        ([2], "invalid_arguments"),
        ("[2]", "invalid_arguments"),
        ("{'a': 2}", None),
        ('{"a": 2,}', None),
        ('{"a": 2', "truncated_arguments"),
        ('{"a": "2', "truncated_arguments"),
        ("{a: }", "malformed_arguments"),
        ({"a": "2"}, None),
        ({"a": 2.0}, None),
        ({"a": "two"}, "invalid_arguments"),
        ({"a": True}, "invalid_arguments"),
        ({"a": float("nan")}, "invalid_arguments"),
        ({"a": 2, "zzz": 1}, "invalid_arguments"),
        ({1: 2}, "invalid_arguments"),
        ({"a": object()}, "invalid_arguments"),
        (object(), "invalid_arguments"),
    ],
)
def test_arguments_as_they_come(arguments: Any, code: str | None, ares: Ares) -> None:
    ran: list[int] = []

    def double(a: int) -> int:
        """Double."""
        ran.append(a)
        return 2 * a

    ares.register(double)
    assert _code(ares, "double", arguments) == code
    assert ran == ([2] if code is None else [])


def test_a_refusal_says_what_was_wrong_where_what_was_expected_and_what_to_do(ares: Ares) -> None:
    def book(room: int, nights: int, kind: str) -> None:
        """Book a room."""

    ares.register(book)
    result = ares.call_sync("book", {"room": "many", "nights": []})
    assert result.error is not None
    by_place = {issue.pointer: issue for issue in result.error.issues}
    assert set(by_place) == {"/room", "/nights", "/kind"} or {"/room", "/nights"} < set(by_place)
    assert (by_place["/room"].keyword, "integer" in by_place["/room"].expected) == ("type", True)
    for words in ("'book'", "/room", "/nights", "kind", "integer", "call again", "Schema: ", "Not executed"):
        assert words in result.text


ITEM = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}


NESTED: dict[str, Any] = {"type": "object", "properties": {"items": {"type": "array", "items": ITEM}}}


TREE: dict[str, Any] = {
    "$ref": "#/$defs/Node",
    "$defs": {
        "Node": {
            "type": "object",
            "properties": {
                "value": {"type": "integer"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
            },
            "required": ["value"],
        }
    },
}


@pytest.mark.parametrize(
    ("schema", "arguments", "places"),
    [
        (NESTED, {"items": [{"id": 1}, {"id": "x"}, {}, {"id": "4"}]}, {"/items/1/id", "/items/2"}),
        (TREE, {"value": 1, "children": [{"value": "2", "children": []}, {"children": []}]}, {"/children/1"}),
        (TREE, {"value": 1, "children": [{"value": 1.5}]}, {"/children/0/value"}),
    ],
    ids=["nested", "recursive", "recursive value"],
)
def test_every_issue_is_reported_where_it_is(schema: Any, arguments: Any, places: set[str], ares: Ares) -> None:
    ares.register(Tool("t", "", schema, lambda arguments, context: None))
    result = ares.call_sync("t", arguments)
    assert result.error is not None
    assert {issue.pointer.removesuffix("/id").removesuffix("/value") for issue in result.error.issues} == {
        place.removesuffix("/id").removesuffix("/value") for place in places
    }


def test_a_key_that_is_given_twice_is_never_half_read(ares: Ares) -> None:
    seen: list[Any] = []
    ares.register(Tool("t", "", {}, lambda arguments, context: seen.append(dict(arguments))))
    result = ares.call_sync("t", '{"path": "safe", "path": "other"}')
    assert result.success is False or result.edits
    assert len(seen) == result.success


def test_a_schema_that_refers_to_itself_in_a_circle_is_refused_or_takes_anything_but_comes_to_an_end(
    ares: Ares,
) -> None:
    circle = {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}
    with pytest.raises(RegistrationError):
        ares.register(Tool("t", "", circle, lambda arguments, context: None))


def test_arguments_of_the_caller_are_not_changed(ares: Ares) -> None:
    def tags(tags: list[str], limit: int = 5) -> None:
        """Change the list that it is given."""
        tags.append("changed")

    ares.register(tags)
    given = {"tags": ["a"]}
    assert ares.call_sync("tags", given).success
    assert given == {"tags": ["a"]}
