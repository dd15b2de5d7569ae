"""For authors of plugins: a pytest fixture, a check of what every plugin should stand, and recorded tool results.

Installing ``ares-core`` makes this module a pytest plugin, so the fixtures ``ares`` and ``ares_home`` are there without
an import::

    def test_adds(ares):
        ares.add("ares_plugin_mine")
        assert ares.call_sync("add", {"a": 2, "b": "3"}).data == 5
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ares_core.app import Ares
    from ares_core.testing.faults import Faults
    from ares_core.testing.recorder import Recorder

__all__ = ["Faults", "Recorder", "ares", "ares_home", "check_plugin", "plugin_problems"]

FOLDERS = ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "APPDATA", "LOCALAPPDATA")
"""Variables that say where configuration and state lie."""


@pytest.fixture
def ares_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands for the user's home: no variable ``ARES_…`` is set, and nothing of the user's is read."""
    for name in [name for name in os.environ if name.startswith("ARES_")]:
        monkeypatch.delenv(name)
    home = tmp_path / "ares-home"
    home.mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    for name in FOLDERS:
        monkeypatch.setenv(name, str(home / name.lower()))
    return home


@pytest.fixture
def ares(ares_home: Path) -> Iterator[Ares]:
    """An ``Ares`` without plugins, which finds none by itself; closed after the test.

    ``ares.add("ares_plugin_mine")`` loads one plugin, ``ares.register(function)`` takes in a tool.
    """
    from ares_core import Ares

    with Ares(plugins=[]) as fresh:
        yield fresh


def check_plugin(plugin: str | ModuleType | Any) -> None:
    """Fail with everything that is wrong with a plugin, given by name or as a module; see ``plugin_problems``."""
    __tracebackhide__ = True
    problems = plugin_problems(plugin)
    if problems:
        from ares_core.counts import counted

        raise AssertionError(
            "\n".join([f"{counted(len(problems), 'problem')}:", *(f"- {problem}" for problem in problems)])
        )


def plugin_problems(plugin: str | ModuleType | Any) -> list[str]:
    """Give a sentence for everything that is wrong with a plugin; none if it stands what every plugin should.

    - it can be imported, in a fraction of a second, and of the core imports only the top level
    - its hooks are known, plain functions, and annotated as the hooks say
    - its tools have legal names, descriptions also of every argument, schemas, and say what effects they have
    - the examples of its tools fit the schemas; those that only read and stay inside are run
    - its ``format_result`` raises neither for what the examples gave nor for a failure
    """
    from ares_core.testing.checks import problems_of

    return list(problems_of(plugin))


def __getattr__(name: str) -> Any:
    """Import the recorder and the faults when they are asked for: this module is part of every start of pytest."""
    if name == "Recorder":
        from ares_core.testing.recorder import Recorder

        return Recorder
    if name == "Faults":
        from ares_core.testing.faults import Faults

        return Faults
    raise AttributeError(f"module 'ares_core.testing' has no attribute {name!r}")
