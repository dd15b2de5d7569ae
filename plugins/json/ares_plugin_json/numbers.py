"""Numbers that keep the text they were written in."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, Self

from ares_core import ToolError

MOST_DIGITS = 4_300
"""Characters of one number: Python writes no longer whole numbers."""


class Number(Decimal):
    """A number that a float does not hold, or would write in another way: ``1e400``, ``0.1000``.

    >>> Number("0.1000").text, Number("0.1000") == Decimal("0.1")
    ('0.1000', True)
    """

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Self:
        """Read the number and keep its text."""
        number = super().__new__(cls, text)
        number.text = text
        return number


def read_float(text: str) -> float | Number:
    """Read a number with a point or an exponent: a float if it is written back in the same way."""
    _check_length(text)
    value = float(text)
    if repr(value) == text:
        return value
    try:
        return Number(text)
    except InvalidOperation:
        raise _unusable(f"the exponent of {text[:40]} is too large") from None


def read_integer(text: str) -> int | Number:
    """Read a whole number of any size, up to a limit; minus zero keeps its sign."""
    _check_length(text)
    return int(text) if text != "-0" else Number(text)


def is_number(value: Any) -> bool:
    """Whether a value is a number, in any of the forms that one has here."""
    return type(value) in (int, float, Number)


def comparable(value: float | Number) -> int | Decimal:
    """Give a number as it is written, so that 0.1 is a tenth, not the nearest binary fraction."""
    return Decimal(repr(value)) if isinstance(value, float) else value


def as_data(value: Any, odd: list[str], path: str = "") -> Any:
    """Copy a value with every ``Number`` as a float if that is the same number, as text otherwise.

    The places of the latter are added to ``odd``, as JSON Pointers.
    """
    if isinstance(value, Number):
        return _data_of(value, odd, path)
    if isinstance(value, Mapping):
        return {key: as_data(item, odd, f"{path}/{escape(key)}") for key, item in value.items()}
    if isinstance(value, list):
        return [as_data(item, odd, f"{path}/{index}") for index, item in enumerate(value)]
    return value


def escape(key: str) -> str:
    """Write a key as a part of a JSON Pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def _data_of(number: Number, odd: list[str], path: str) -> float | int | str:
    as_float = float(number)
    if Decimal(repr(as_float)) == number:
        return as_float
    odd.append(path)
    return number.text


def _check_length(text: str) -> None:
    if len(text) > MOST_DIGITS:
        raise _unusable(f"a number has {len(text):,} characters, more than {MOST_DIGITS:,}")


def _unusable(message: str) -> ToolError:
    return ToolError(f"{message}; nothing was done", hint="write it as a text", blame="input")
