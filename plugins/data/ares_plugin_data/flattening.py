r"""Nested JSON as one object with paths for keys, and back; nothing is lost on the way.

The parts of a path stand between separators. An index of an array is written in figures; a key that looks like one has
a backslash in front, and so has a separator or backslash inside a key. Empty objects and arrays stay as values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ares_core import ToolError
from ares_plugin_data.reading import DEEPEST, MOST_VALUES, kind_of, read, too_much

INDEX = re.compile(r"0|[1-9][0-9]*")
LONGEST_PATH = 100_000
LARGEST = 4_000_000
"""Characters of all paths together."""
Part = str | int


def flatten(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Give one object for an object or array."""
    value, separator = read(arguments["data"]), _separator(arguments)
    if not isinstance(value, dict | list):
        raise _refusal(f"only an object or an array can be flattened, not {kind_of(value)}", "put it into an object")
    if not value:
        return {"count": 0, "output": value}
    flat: dict[str, Any] = {}
    room = LARGEST
    for path, leaf in _leaves(value, "", separator):
        room -= len(path)
        if room < 0:
            raise too_much(f"the paths would have more than {LARGEST:,} characters")
        flat[path] = leaf
    return {"count": len(flat), "output": flat}


def _leaves(value: Any, above: str, separator: str) -> Iterator[tuple[str, Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        path = above + (str(key) if isinstance(key, int) else escape(key, separator))
        if len(path) > LONGEST_PATH:
            raise too_much(f"a path would have more than {LONGEST_PATH:,} characters")
        if isinstance(item, dict | list) and item:
            yield from _leaves(item, path + separator, separator)
        else:
            yield path, item


def escape(key: str, separator: str) -> str:
    r"""Write a key as a part of a path.

    >>> escape("a.b", "."), escape("7", ".")
    ('a\\.b', '\\7')
    """
    if INDEX.fullmatch(key):
        return f"\\{key}"
    marks = {"\\", separator[0]}
    return "".join(f"\\{letter}" if letter in marks else letter for letter in key)


def unflatten(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Give back what was flattened."""
    flat, separator = read(arguments["data"]), _separator(arguments)
    if flat == []:
        return {"count": 0, "output": []}
    if not isinstance(flat, dict):
        raise _refusal(f"unflatten takes an object with paths for keys, not {kind_of(flat)}", "use flatten to make one")
    root, left = _Branch(), MOST_VALUES
    for path, leaf in flat.items():
        parts = cut(path, separator)
        left -= len(parts)
        if len(parts) > DEEPEST or left < 0:
            raise too_much(f"the path {path[:40]!r} leads too deep, or there are too many")
        _put(root, parts, leaf, path)
    return {"count": len(flat), "output": _built(root, "")}


class _Branch(dict[Part, Any]):
    """What will be an object or an array, when all of its parts are known."""


def cut(path: str, separator: str) -> list[Part]:
    r"""Cut a path into keys and indexes.

    >>> cut("a\\.b.0.\\7", ".")
    ['a.b', 0, '7']
    """
    mark = re.escape(separator)
    pieces = re.compile(rf"\\(.)|({mark})|[^\\{re.escape(separator[0])}]+|.", re.DOTALL)
    parts: list[Part] = []
    letters: list[str] = []
    is_key = False
    for piece in pieces.finditer(path):
        if piece[2]:
            parts.append(_part("".join(letters), is_key))
            letters, is_key = [], False
        else:
            is_key = is_key or piece[1] is not None
            letters.append(piece[1] or piece[0])
    return [*parts, _part("".join(letters), is_key)]


def _part(text: str, is_key: bool) -> Part:
    return int(text) if not is_key and len(text) <= 9 and INDEX.fullmatch(text) else text


def _put(root: _Branch, parts: list[Part], leaf: Any, path: str) -> None:
    branch = root
    for part in parts[:-1]:
        below = branch.setdefault(part, _Branch())
        if not isinstance(below, _Branch):
            raise _refusal(f"{path[:80]!r} leads into a value that another path gives", "keep one of them")
        branch = below
    if parts[-1] in branch:
        raise _refusal(f"{path[:80]!r} and another path lead to the same place", "keep one of them")
    branch[parts[-1]] = leaf


def _built(branch: _Branch, path: str) -> Any:
    """Make an array of what has indexes only, an object of what has keys only."""
    built = {
        part: _built(item, f"{path}/{part}") if isinstance(item, _Branch) else item for part, item in branch.items()
    }
    indexes = [part for part in built if isinstance(part, int)]
    if not indexes:
        return built
    if len(indexes) < len(built) or max(indexes) >= len(indexes):
        where = f"at {path[:80]}" if path else "at the top"
        what = "keys and indexes are mixed" if len(indexes) < len(built) else "indexes are left out"
        raise _refusal(
            f"{what} {where}",
            f"an array has all indexes from 0 on; a key made of figures is written with a backslash: \\{indexes[0]}",
        )
    return [built[index] for index in range(len(built))]


def _separator(arguments: Mapping[str, Any]) -> str:
    separator = str(arguments.get("separator", "."))
    if any(letter.isdigit() or letter == "\\" or not letter.isprintable() for letter in separator):
        raise _refusal(
            f"{separator!r} can't separate: figures stand for indexes, a backslash for itself", "use '.' or '/'"
        )
    return separator


def _refusal(message: str, hint: str) -> ToolError:
    return ToolError(f"{message}; nothing was converted", hint=hint, blame="input")
