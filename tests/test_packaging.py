"""Every distribution of the tree has one shape, and the core is light to import."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import ares_core

ROOT = Path(__file__).parents[1]
CORE: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
FOLDERS = sorted(path.parent for path in (ROOT / "plugins").glob("*/pyproject.toml"))
each_plugin = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
HEAVY = (
    "pydantic", "jsonschema", "jsonschema_rs", "json_repair", "click", "yaml", "sqlite3", "importlib.metadata",
    "importlib_metadata", "docstring_parser", "tomllib", "difflib",
)  # fmt: skip


def metadata(folder: Path) -> dict[str, Any]:
    return tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))


def test_every_folder_below_plugins_is_a_plugin() -> None:
    folders = {path for path in (ROOT / "plugins").iterdir() if path.is_dir()}
    assert {path for path in folders if any(path.rglob("*.py"))} == set(FOLDERS)


@each_plugin
def test_one_name_in_five_places(folder: Path) -> None:
    project, module = metadata(folder)["project"], "ares_plugin_" + folder.name.replace("-", "_")
    assert project["name"] == f"ares-plugin-{folder.name}"
    assert project["entry-points"]["ares.plugins"] == {folder.name: module}
    assert (folder / f"{module}.py").is_file() or (folder / module / "__init__.py").is_file()
    assert list((folder / "tests").glob(f"test_{folder.name.replace('-', '_')}*.py"))


@each_plugin
def test_one_version_floor_licence_and_backend(folder: Path) -> None:
    data, core = metadata(folder), CORE["project"]
    for key in ("version", "requires-python", "license"):
        assert data["project"][key] == core[key]
    assert data["build-system"] == CORE["build-system"]


@each_plugin
def test_a_plugin_asks_for_this_minor_of_the_core_and_for_no_other_plugin(folder: Path) -> None:
    major, minor = map(int, CORE["project"]["version"].split(".")[:2])
    needs = metadata(folder)["project"]["dependencies"]
    assert [need for need in needs if need.startswith("ares")] == [f"ares-core>={major}.{minor},<{major}.{minor + 1}"]


@each_plugin
def test_a_plugin_is_small_and_has_a_readme(folder: Path) -> None:
    text = (folder / "pyproject.toml").read_text("utf-8")
    assert len(text.splitlines()) <= 20
    assert "[tool." not in text
    assert metadata(folder)["project"]["readme"] == "README.md"
    assert len((folder / "README.md").read_text("utf-8").splitlines()) >= 5


@each_plugin
def test_a_package_says_that_it_is_typed(folder: Path) -> None:
    packages = [path.parent for path in folder.glob("ares_plugin_*/__init__.py")]
    assert [path for path in packages if not (path / "py.typed").is_file()] == []


def test_the_version_is_the_same_everywhere() -> None:
    assert ares_core.__version__ == CORE["project"]["version"]
    assert f"## {ares_core.__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_all_is_sorted_and_honest() -> None:
    assert list(ares_core.__all__) == sorted(ares_core.__all__)
    assert [name for name in ares_core.__all__ if not hasattr(ares_core, name)] == []
    assert len(set(ares_core.__all__)) == len(ares_core.__all__)


def test_importing_the_core_imports_no_plugin_and_nothing_heavy() -> None:
    code = "import sys, ares_core; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=240)
    modules = run.stdout.split()
    assert [name for name in modules if name in HEAVY or name.startswith("ares_plugin_")] == []
