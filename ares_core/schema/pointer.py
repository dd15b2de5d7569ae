"""JSON Pointers (RFC 6901): where a value or a subschema stands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def escape(token: str) -> str:
    """Write one token of a pointer.

    >>> escape("a/b~c")
    'a~1b~0c'
    """
    return token.replace("~", "~0").replace("/", "~1") if "~" in token or "/" in token else token


def pointer(path: Iterable[str | int]) -> str:
    """Write a path as a pointer.

    >>> pointer(["items", 0, "a/b"])
    '/items/0/a~1b'
    """
    text = ""
    for token in path:
        text += f"/{token}" if type(token) is int else f"/{escape(str(token))}"
    return text


def tokens(fragment: str) -> list[str]:
    """Read the pointer in a ``$ref`` such as ``#/$defs/a~1b``.

    >>> tokens("#/$defs/a~1b%25")
    ['$defs', 'a/b%']
    """
    text = fragment.removeprefix("#")
    if "%" in text:
        from urllib.parse import unquote

        text = unquote(text)
    return [token.replace("~1", "/").replace("~0", "~") for token in text.split("/")[1:]]


def at(document: Any, path: Iterable[str | int]) -> Any:
    """Follow a path; ``LookupError`` when it leads nowhere.

    >>> at({"a": [10, 20]}, ["a", "1"])
    20
    """
    for token in path:
        if isinstance(document, list):
            document = document[int(token)] if str(token).isdecimal() else _nowhere(token)
        elif isinstance(document, dict):
            document = document[token]
        else:
            _nowhere(token)
    return document


def _nowhere(token: str | int) -> Any:
    raise LookupError(token)
