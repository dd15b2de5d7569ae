"""Text on its way into a database, which takes only whole characters."""

from __future__ import annotations


def storable(text: str) -> str:
    r"""Write halves of characters (lone surrogates) as escapes.

    >>> storable("a" + chr(0xD800))
    'a\\ud800'
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
