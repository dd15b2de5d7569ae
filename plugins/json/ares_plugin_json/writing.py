"""Writing JSON: numbers as they were read, texts as they are, keys in their order."""

from __future__ import annotations

import re
from collections.abc import Callable
from json.encoder import encode_basestring
from typing import Any

from ares_plugin_json.numbers import Number

LONE = re.compile("[\ud800-\udfff]")


def write(value: Any, indent: int | None = None) -> str:
    r"""Write a value on one line, or with one value to a line and so many blanks for each level.

    >>> write({"a": [1, Number("0.10")], "b": {}})
    '{"a": [1, 0.10], "b": {}}'
    >>> print(write({"a": [True]}, 2))
    {
      "a": [
        true
      ]
    }
    """
    pieces: list[str] = []
    _write(value, indent, "\n", pieces.append)
    text = "".join(pieces)
    return text if text.isascii() else LONE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def _write(value: Any, indent: int | None, newline: str, out: Callable[[str], None]) -> None:
    kind = type(value)
    if kind is dict or kind is list:
        _write_parts(value, indent, newline, out)
    else:
        out(scalar(value))


def _write_parts(value: Any, indent: int | None, newline: str, out: Callable[[str], None]) -> None:
    is_object = type(value) is dict
    first, last = "{}" if is_object else "[]"
    if not value:
        out(first + last)
        return
    below = newline if indent is None else newline + " " * indent
    between = ", " if indent is None else f",{below}"
    out(first if indent is None else first + below)
    separator = ""
    for item in value.items() if is_object else value:
        out(separator)
        if is_object:
            key, part = item
            out(f"{encode_basestring(key)}: ")
        else:
            part = item
        _write(part, indent, below, out)
        separator = between
    out(last if indent is None else newline + last)


def scalar(value: Any) -> str:
    """Write what has no parts."""
    kind = type(value)
    if kind is str:
        return str(encode_basestring(value))
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    return value.text if isinstance(value, Number) else repr(value)
