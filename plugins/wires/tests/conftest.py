"""What the tests of all formats share: an Ares with this plugin alone, and two tools."""

from __future__ import annotations

from collections.abc import Iterator

import ares_plugin_wires
import pytest

from ares_core import Ares, Effects, tool

QUIET = Effects(read_only=True, open_world=False)


@pytest.fixture(scope="module")
def wires() -> Iterator[Ares]:
    with Ares(plugins=[ares_plugin_wires]) as ares:
        ares.register(add)
        ares.register(fail)
        yield ares


@tool(effects=QUIET)
def add(a: int, b: int = 1) -> int:
    """Add two whole numbers."""
    return a + b


@tool(effects=QUIET)
def fail() -> None:
    """Fail."""
    raise RuntimeError
