"""Writing a value that a snippet gave in plain JSON, within bounds: it may be shared a million times or hold itself."""

from __future__ import annotations

import math
from typing import Any

MOST = 100_000
"""Characters and items of a value that are given."""
DEEPEST = 32
MOST_BITS = 14_000
"""Of a whole number; Python writes up to 4,300 digits."""
ELLIPSIS = "…"


def plain(value: Any) -> tuple[Any, bool]:
    """Give a value in plain JSON, and whether something was left out.

    >>> plain({"a": (1, 2.5), 3: {4}})
    ({'a': [1, 2.5], '3': [4]}, False)
    """
    writer = _Writer()
    return writer.write(value, 0), writer.is_cut


class _Writer:
    """What may still be written."""

    def __init__(self) -> None:
        self.room = MOST
        self.is_cut = False

    def write(self, value: Any, depth: int) -> Any:
        """Write one value, or the mark of what is left out."""
        self.room -= 1
        if self.room < 0 or depth > DEEPEST:
            return self.cut()
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int):
            bits = value.bit_length()
            return int(value) if bits <= MOST_BITS else self.text(f"a whole number of {bits:,} bits")
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else str(value)
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return self.pairs(value, depth)
        if isinstance(value, list | tuple | set | frozenset):
            return self.items(value, depth)
        return self.other(value, depth)

    def text(self, text: str) -> str:
        """Write a text as far as there is room."""
        kept = text[: max(0, self.room)]
        self.room -= len(kept)
        return kept if len(kept) == len(text) else kept + self.cut()

    def items(self, values: Any, depth: int) -> list[Any]:
        """Write items as far as there is room."""
        written: list[Any] = []
        for value in values:
            written.append(self.write(value, depth + 1))
            if self.room <= 0:
                self.is_cut = self.is_cut or len(written) < len(values)
                break
        return written

    def pairs(self, values: dict[Any, Any], depth: int) -> dict[str, Any]:
        """Write pairs as far as there is room; a key becomes a text."""
        written: dict[str, Any] = {}
        for key, value in values.items():
            name = self.write(key, depth + 1)
            written[name if isinstance(name, str) else str(name)] = self.write(value, depth + 1)
            if self.room <= 0:
                self.is_cut = self.is_cut or len(written) < len(values)
                break
        return written

    def other(self, value: Any, depth: int) -> Any:
        """Write what JSON has no form for: times and decimals as texts, an object as its attributes, else its kind."""
        attributes = getattr(value, "attributes", None)
        if isinstance(attributes, dict):
            return self.pairs(attributes, depth)
        if type(value).__module__ in ("datetime", "decimal", "pathlib"):
            return self.text(str(value))
        if isinstance(value, bytes):
            return self.text(repr(value[: max(0, self.room)]))
        return self.text(f"<{type(value).__name__}>")

    def cut(self) -> str:
        """Note that something is left out."""
        self.is_cut = True
        return ELLIPSIS


__all__ = ["plain"]
