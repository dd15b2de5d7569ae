"""JSON Pointer, RFC 6901, with an answer that says what is there when nothing is found."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NoReturn

from ares_core import ToolError
from ares_plugin_json.numbers import escape

INDEX = re.compile(r"0|[1-9][0-9]{0,15}")
BAD_ESCAPE = re.compile(r"~(?![01])")


def tokens(pointer: str) -> list[str]:
    """Cut a pointer into its parts.

    >>> tokens("/a~1b/0/m~0n")
    ['a/b', '0', 'm~n']
    """
    if pointer and not pointer.startswith("/"):
        advice = "write it without '#'" if pointer.startswith("#") else f"write /{pointer[:80]}"
        raise _refusal(
            f"the pointer {pointer[:80]!r} doesn't begin with '/'", f'{advice}, or "" for the whole document'
        )
    bad = BAD_ESCAPE.search(pointer)
    if bad:
        raise _refusal(
            f"the pointer {pointer[:80]!r} has a '~' at character {bad.start()} that is followed by neither 0 nor 1",
            "write ~0 for '~' and ~1 for '/'",
        )
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def written(parts: Iterable[str]) -> str:
    """Write parts as a pointer."""
    return "".join(f"/{escape(part)}" for part in parts)


def find(root: Any, parts: list[str]) -> Any:
    """Give what a pointer leads to; a ``ToolError`` says how far it led and what is there."""
    value = root
    for depth, part in enumerate(parts):
        where = written(parts[:depth])
        if type(value) is dict:
            value = value[part] if part in value else _no_key(value, part, where)
        elif type(value) is list:
            value = value[index_of(value, part, where)]
        else:
            raise _refusal(
                f"not found: {_named(where)} is {kind_of(value)}, which has no part {part[:80]!r}",
                "shorten the pointer",
            )
    return value


def index_of(array: list[Any], part: str, where: str, *, past_end: bool = False) -> int:
    """Read an index; ``past_end`` allows the place behind the last item, also as ``-``."""
    if past_end and part == "-":
        return len(array)
    if not INDEX.fullmatch(part):
        advice = f"the last item is {len(array) - 1}" if array else "the array is empty"
        raise _refusal(
            f"{part[:80]!r} is no index of {_named(where)}, which is an array", f"indexes are 0, 1, 2, …; {advice}"
        )
    if int(part) >= len(array) + past_end:
        count = f"{len(array)} item{'' if len(array) == 1 else 's'}"
        raise _refusal(
            f"not found: index {part} is past the end of {_named(where)}, an array of length {len(array)}",
            f"it has {count}; they are counted from 0",
        )
    return int(part)


def kind_of(value: Any) -> str:
    """Name the kind of a value."""
    names: dict[type, str] = {dict: "an object", list: "an array", str: "a text", bool: "a truth value"}
    return "null" if value is None else names.get(type(value), "a number")


def nearby(keys: Iterable[str], wanted: str) -> str:
    """List keys, those like the wanted one first."""
    from difflib import get_close_matches
    from itertools import islice

    some = [key for key in islice(keys, 200) if len(key) <= 60]
    near = get_close_matches(wanted[:60], some, 3, 0.6)
    shown = [*near, *(key for key in some if key not in near)][:10]
    return ", ".join(map(repr, shown)) + (", …" if len(some) > len(shown) else "")


def _no_key(value: dict[str, Any], part: str, where: str) -> NoReturn:
    has = f"it has {nearby(value, part)}" if value else "it is empty"
    raise _refusal(f"not found: {_named(where)} is an object without the key {part[:80]!r}", has)


def _named(where: str) -> str:
    return f"the value at {where[:80]}" if where else "the document"


def _refusal(message: str, hint: str) -> ToolError:
    return ToolError(f"{message}; nothing was read or changed", hint=hint, blame="input")
