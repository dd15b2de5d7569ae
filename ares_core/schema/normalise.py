"""Arguments given as Python objects become plain JSON values, or are refused with every reason."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from math import isfinite
from typing import Any

from ares_core.calls import Issue
from ares_core.errors import AresError
from ares_core.schema.pointer import pointer

DEPTH = 128
"""How deep arguments may be nested: the engines are safe far beyond it."""
VALUES = 1_000_000
LARGEST = 10**4300
SMALL = 1 << 60
ISSUES = 50


class NotJSON(AresError):
    """Arguments that are no JSON; ``issues`` says where and why."""

    def __init__(self, issues: tuple[Issue, ...]) -> None:
        super().__init__(f"the arguments are no JSON: {'; '.join(map(str, issues))}")
        self.issues = issues


def normalise(value: Any) -> Any:
    """Copy a value as plain JSON: tuples become lists, enums and subclasses of text and numbers plain values.

    Raises ``NotJSON`` for what JSON can't hold: other objects, keys that are no text, NaN and infinities,
    lone surrogates, circular values, more than 128 levels.

    >>> normalise({"point": (1, 2)})
    {'point': [1, 2]}
    """
    try:
        return _clone(value, DEPTH, [VALUES])
    except _Refused:
        raise NotJSON(_Search().found(value)) from None


class _Refused(Exception):
    pass


def _clone(value: Any, left: int, budget: list[int]) -> Any:
    kind = type(value)
    if kind is dict:
        _spend(len(value), left, budget)
        copy = {}
        for key, item in value.items():
            name = key if type(key) is str and key.isascii() else _text(key)
            kind = type(item)
            if kind is str and item.isascii() or kind is int and -SMALL < item < SMALL or kind is bool:
                copy[name] = item
            else:
                copy[name] = _clone(item, left - 1, budget)
        return copy
    if kind is list:
        _spend(len(value), left, budget)
        items = []
        for item in value:
            kind = type(item)
            if (
                kind is str
                and item.isascii()
                or kind is int
                and -SMALL < item < SMALL
                or kind is float
                and item - item == 0
            ):
                items.append(item)
            else:
                items.append(_clone(item, left - 1, budget))
        return items
    return _scalar(value, left, budget)


def _scalar(value: Any, left: int, budget: list[int]) -> Any:
    kind = type(value)
    if kind is str:
        return value if value.isascii() else _text(value)
    if kind is int:
        return value if -LARGEST < value < LARGEST else _refuse()
    if kind is float:
        return value if isfinite(value) else _refuse()
    if value is None or kind is bool:
        return value
    return _clone(_plain(value), left, budget)


def _spend(count: int, left: int, budget: list[int]) -> None:
    budget[0] -= count + 1
    if left <= 0 or budget[0] < 0:
        _refuse()


def _refuse() -> Any:
    raise _Refused


def _text(value: Any) -> str:
    """Give plain, encodable text."""
    if isinstance(value, Enum):
        value = value.value
    if not isinstance(value, str):
        _refuse()
    text = str.__str__(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        _refuse()
    return text


def _plain(value: Any) -> Any:
    """Give the built-in value that an enum, a subclass or a mapping stands for."""
    if isinstance(value, Enum):
        return value.value if not isinstance(value.value, Enum) else _refuse()
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, (list, tuple)):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else _refuse()


class _Search:
    """Walks a value that was refused and collects why, within a budget."""

    def __init__(self) -> None:
        self.issues: list[Issue] = []
        self.left = VALUES // 10

    def look(self, value: Any, path: list[str | int], above: frozenset[int]) -> None:
        self.left -= 1
        if len(self.issues) >= ISSUES or self.left < 0:
            return
        if not isinstance(value, (Mapping, list, tuple)):
            self._scalar(value, path)
        elif id(value) in above:
            self._add(path, "a value that doesn't contain itself", "a circular value")
        elif len(path) >= DEPTH:
            self._add(path, f"at most {DEPTH} levels", "more")
        elif isinstance(value, Mapping):
            self._mapping(value, path, above | {id(value)})
        else:
            for index, item in enumerate(value):
                self.look(item, [*path, index], above | {id(value)})

    def _mapping(self, value: Mapping[Any, Any], path: list[str | int], above: frozenset[int]) -> None:
        for key, item in value.items():
            try:
                name = _text(key)
            except _Refused:
                self._add(path, "text for a key", _describe(key))
            else:
                self.look(item, [*path, name], above)

    def _scalar(self, value: Any, path: list[str | int]) -> None:
        try:
            _scalar(value, 1, [VALUES])
        except _Refused:
            self._add(path, "a JSON value", _describe(value))

    def _add(self, path: list[str | int], expected: str, got: str) -> None:
        self.issues.append(Issue(pointer(path), "json", expected, got))

    def found(self, value: Any) -> tuple[Issue, ...]:
        self.look(value, [], frozenset())
        return tuple(self.issues) or (Issue("", "json", f"at most {VALUES:,} values", "more"),)


def _describe(value: Any) -> str:
    if isinstance(value, Enum):
        return f"the enum member {type(value).__name__}.{value.name}"
    if isinstance(value, str):
        return "text with a lone surrogate"
    if isinstance(value, float):
        return f"{value!r}".replace("nan", "NaN").replace("inf", "Infinity")
    if type(value) is int and not -LARGEST < value < LARGEST:
        return "a number of more than 4,300 digits"
    return f"a value of type {type(value).__name__}"
