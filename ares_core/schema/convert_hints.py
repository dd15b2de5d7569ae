"""How a JSON value becomes what a type hint asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Convert = Callable[[Any], Any]


def by_pydantic(hint: Any) -> Convert:
    """Convert with pydantic, which is imported when a value first comes."""
    validate: Convert | None = None

    def convert(value: Any) -> Any:
        nonlocal validate
        if validate is None:
            from pydantic import TypeAdapter

            validate = TypeAdapter(hint).validate_python
        return validate(value)

    return convert


def optional(convert: Convert) -> Convert:
    """Convert what is not ``None``.

    >>> optional(str)(None), optional(str)(5)
    (None, '5')
    """
    return lambda value: None if value is None else convert(value)


def each_item(convert: Convert) -> Convert:
    """Convert the items of a list.

    >>> each_item(str)([1, 2])
    ['1', '2']
    """
    return lambda values: [convert(value) for value in values]


def each_value(convert: Convert) -> Convert:
    """Convert the values of an object.

    >>> each_value(str)({"a": 1})
    {'a': '1'}
    """
    return lambda values: {name: convert(value) for name, value in values.items()}


def each_field(converts: Mapping[str, Convert]) -> Convert:
    """Convert some fields of an object, each in its way.

    >>> each_field({"a": str})({"a": 1, "b": 2})
    {'a': '1', 'b': 2}
    """
    return lambda values: {name: converts[name](value) if name in converts else value for name, value in values.items()}
