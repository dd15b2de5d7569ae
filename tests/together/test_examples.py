"""Every example of the documentation runs, and shows what it says."""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ares_core import Ares

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("README*.md"), *ROOT.glob("plugins/*/README.md")])
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$(?:\n\n```output\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)
SAME = doctest.OutputChecker().check_output
LOOSELY = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
WITH_EXAMPLES = [page for page in PAGES if BLOCK.search(page.read_text("utf-8"))]


@pytest.fixture
def opened() -> Iterator[list[Ares]]:
    """What a page opens and a reader would close by ending Python: it is closed here."""
    found: list[Ares] = []
    yield found
    for ares in found:
        ares.close()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home and a working folder of their own."""
    for variable in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.chdir(tmp_path)


def run_python(code: str, names: dict[str, Any], where: str) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, where, "exec", dont_inherit=True), names)
    return printed.getvalue()


def run_ares(arguments: list[str]) -> str:
    command = [sys.executable, "-m", "ares_core", *arguments]
    env = os.environ | {"COLUMNS": "120"}
    run = subprocess.run(command, check=False, capture_output=True, text=True, timeout=240, env=env)
    return run.stdout + run.stderr


def run_console(text: str) -> str:
    """Run each line that begins with $, and give the block as it should look."""
    shown = []
    for line in (line for line in text.splitlines() if line.startswith("$ ")):
        program, *arguments = shlex.split(line[2:], comments=True)
        assert program == "ares", f"only ares can be run in a console block: {line}"
        shown.append(f"{line}\n{run_ares(arguments)}")
    return "".join(shown)


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of_a_page_run_in_order(page: Path, opened: list[Ares]) -> None:
    names: dict[str, Any] = {"__name__": "__example__"}
    text = page.read_text("utf-8")
    for block in BLOCK.finditer(text):
        language, code, output = block.groups()
        where = f"{page.relative_to(ROOT)}:{text.count(chr(10), 0, block.start()) + 1}"
        got = run_python(code, names, where) if language == "python" else run_console(code)
        opened += [value for value in names.values() if isinstance(value, Ares)]
        want = output if language == "python" else code
        if want is not None:
            assert SAME(want, got, LOOSELY), f"{where} shows\n{want}\nbut gives\n{got}"
