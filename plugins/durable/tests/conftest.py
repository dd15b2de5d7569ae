"""What is no test here: programs that the tests start and kill; and an Ares with a tool, and a database of its own."""

from __future__ import annotations

import asyncio
import importlib.util
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ares_core import Ares, Effects, tool

collect_ignore = ["crashing.py", "sharing.py"]


@tool(effects=Effects(read_only=True))
def double(n: int) -> int:
    """Give twice a number."""
    return 2 * n


@pytest.fixture
def ares() -> Iterator[Ares]:
    with Ares(plugins=["durable"]) as ares:
        ares.register(double)
        yield ares


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/durable.db"


def most_at_once(happened: list[str]) -> int:
    """Count how many calls were at work at one time."""
    working = most = 0
    for what in happened:
        working += {"begin": 1, "end": -1}.get(what, 0)
        most = max(most, working)
    return most


@pytest.fixture
def imported(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Import a program of this folder as if it had been started with some words."""

    def load(program: Path, *words: object) -> Any:
        monkeypatch.setattr(sys, "argv", [str(program), *map(str, words)])
        spec = importlib.util.spec_from_file_location(program.stem, program)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, program.stem, module)
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture
def share(tmp_path: Path, imported: Any) -> Callable[[str], tuple[list[int], int, int, int]]:
    """Have two processes, this one and another, make ten calls each, three at once, and six of which five a day may be.

    Gives how many each got right; how many calls were made, how many at one time, and how many of those that are rare.
    """
    program = Path(__file__).parent / "sharing.py"

    def run(url: str) -> tuple[list[int], int, int, int]:
        command = [sys.executable, str(program), url, str(tmp_path), "1"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
            right = asyncio.run(imported(program, url, tmp_path, 0).main())
            said = [right, int(other.communicate(timeout=300)[0])]
        happened = (tmp_path / "happened").read_text().split()
        return said, happened.count("end"), most_at_once(happened), happened.count("rare")

    return run
