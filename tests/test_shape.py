"""The shape of the tree: sizes that can be read, floors that hold, nothing left lying about."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted(path for folder in ("ares_core", "plugins", "tests") for path in (ROOT / folder).rglob("*.py"))
SHIPPED = [path for path in SOURCES if "tests" not in path.relative_to(ROOT).parts]
UNFINISHED = re.compile(
    r"\b(TODO|FIXME|XXX|raise NotImplementedError)\b|"
    r"#\s*(type:\s*ignore|noqa(?!: [A-Z]+[0-9]+ - \w)|pragma:\s*no cover)"
)


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""


def test_no_file_is_longer_than_320_lines() -> None:
    assert [name(path) for path in SOURCES if path.read_text("utf-8").count("\n") > 320] == []


def test_no_function_is_longer_than_45_lines() -> None:
    assert [f"{name(path)}: {f.name}" for path in SOURCES for f in functions(path) if body_lines(f) > 45] == []


def test_nothing_is_left_unfinished_or_silenced() -> None:
    found = [
        f"{name(path)}:{number}"
        for path in SHIPPED
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if UNFINISHED.search(line)
    ]
    assert found == []


def test_the_core_imports_no_plugin() -> None:
    core = [path for path in SHIPPED if path.is_relative_to(ROOT / "ares_core")]
    assert [name(path) for path in core if any(module.startswith("ares_plugin_") for module in imports(path))] == []


@pytest.mark.parametrize("folder", sorted((ROOT / "plugins").iterdir()), ids=lambda folder: folder.name)
def test_a_plugin_imports_the_top_of_the_core_and_no_other_plugin(folder: Path) -> None:
    own = "ares_plugin_" + folder.name.replace("-", "_")
    for path in folder.rglob("*.py"):
        allowed = {"ares_core", "ares_core.testing"} if "tests" in path.parts else {"ares_core"}
        for module in imports(path):
            if module.split(".")[0] == "ares_core":
                assert module in allowed, f"{name(path)} imports {module}"
            if module.startswith("ares_plugin_"):
                assert module.split(".")[0] == own, f"{name(path)} imports {module}"
