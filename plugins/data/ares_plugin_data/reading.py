"""Reading JSON strictly and within bounds, for the tools that take it as text."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from ares_core import ToolError

DEEPEST = 100
MOST_VALUES = 200_000
MOST_DIGITS = 4_300
WORDS = {
    "Expecting value": "a value is missing or unknown",
    "Extra data": "there is more after the end of the value",
    "Expecting property name enclosed in double quotes": "a key in double quotes is missing",
    "Expecting ',' delimiter": "a comma or a closing bracket is missing",
    "Expecting ':' delimiter": "a colon is missing after the key",
    "Unterminated string starting at": "a text has no closing quote; it begins",
}


class NoJSON(Exception):
    """The text is no JSON; ``place`` is the line and column, both from 1, if they are known."""

    def __init__(self, message: str, place: tuple[int, int] | None = None) -> None:
        super().__init__(message if place is None else f"{message} at line {place[0]}, column {place[1]}")
        self.place = place


class Written(float):
    """A float that was written in a way of its own, such as ``1.50``."""

    __slots__ = ("text",)
    text: str


def read(given: Any, what: str = "data") -> Any:
    """Read JSON text, or take a value as it is."""
    try:
        return read_text(given) if isinstance(given, str) else checked(given)
    except NoJSON as error:
        raise ToolError(
            f"{what} is no JSON: {error}; nothing was done", hint="correct it, and send it again", blame="input"
        ) from None


def read_text(text: str) -> Any:
    """Read JSON text; raises ``NoJSON`` with the place of the fault.

    >>> read_text('{"a": [1, 2.50]}')["a"][1].text
    '2.50'
    """
    bare = text.removeprefix("\ufeff")
    if not bare.strip():
        raise NoJSON("the text is empty")
    if bare.count(",") > 10 * MOST_VALUES:
        raise too_much(f"the text has more than {MOST_VALUES:,} values")
    try:
        value = json.loads(bare, parse_float=_float, parse_int=_integer, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise _fault(error) from None
    except RecursionError:
        raise too_much(f"it is nested too deeply, more than {DEEPEST} levels") from None
    return checked(value)


def key_given_twice(text: str) -> str | None:
    """Give the first key that one object of a JSON text has twice.

    >>> key_given_twice('{"a": 1, "b": [{"c": 1, "c": 1}]}')
    'c'
    """
    found: list[str] = []

    def look(pairs: list[tuple[str, Any]]) -> None:
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                found.append(key)
            seen.add(key)

    json.loads(text.removeprefix("\ufeff"), object_pairs_hook=look, parse_int=str, parse_float=str)
    return found[0] if found else None


def _fault(error: json.JSONDecodeError) -> NoJSON:
    """Say what is wrong and where; of a comma before a bracket what Python says up to 3.12."""
    said, at, text = error.msg, error.pos, error.doc
    if said.startswith("Illegal trailing comma"):
        at += len(text[at:]) - len(text[at + 1 :].lstrip())
        said = "Expecting value" if text[at] == "]" else "Expecting property name enclosed in double quotes"
    place = (text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))
    return NoJSON(WORDS.get(said, said[:1].lower() + said[1:]), place)


def checked(value: Any) -> Any:
    """Give a value back if it is neither too large nor nested too deeply."""
    size, depth, level = 0, 0, [value]
    while level:
        size += len(level)
        if size > MOST_VALUES:
            raise too_much(f"it has more than {MOST_VALUES:,} values")
        containers = [part for part in level if type(part) is dict or type(part) is list]
        depth += bool(containers)
        if depth > DEEPEST:
            raise too_much(f"it is nested too deeply, more than {DEEPEST} levels")
        level = [item for part in containers for item in (part.values() if type(part) is dict else part)]
    return value


def kind_of(value: Any) -> str:
    """Name the kind of a value as JSON has it."""
    names: dict[type, str] = {dict: "object", list: "array", str: "string", bool: "boolean"}
    return "null" if value is None else names.get(type(value), "number")


def too_much(message: str) -> ToolError:
    """Make the error for what is beyond a bound."""
    return ToolError(f"{message}; nothing was done", hint="give a part of it", blame="input")


def _float(text: str) -> float | Decimal:
    """Read a number: as a float if that is the same number, as an exact decimal otherwise."""
    _check_length(text)
    value = float(text)
    if repr(value) == text:
        return value
    exact = Decimal(text) if len(text.lower().rpartition("e")[2]) <= 16 else Decimal("NaN")
    if exact.is_nan():
        raise too_much(f"the exponent of {text[:40]} is too large")
    if Decimal(repr(value)) != exact:
        return exact
    written = Written(value)
    written.text = text
    return written


def _integer(text: str) -> int:
    _check_length(text)
    return int(text)


def _check_length(text: str) -> None:
    if len(text) > MOST_DIGITS:
        raise too_much(f"a number has {len(text):,} characters, more than {MOST_DIGITS:,}")


def _constant(name: str) -> Any:
    raise NoJSON(f"{name} is no JSON value")
