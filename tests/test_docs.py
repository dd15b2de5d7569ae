"""The reference is complete: what exists is described, and the two languages show the same examples."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ares_core import calls, errors, events, hookspecs
from ares_core.cli.group import COMMANDS
from ares_core.config.environment import SHORT
from ares_core.plugins import HOOKS
from ares_core.settings import Settings

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
PAGES = sorted([*DOCS.rglob("*.md"), *ROOT.glob("README*.md"), ROOT / "CONTRIBUTING.md"])
CHINESE = [page for page in PAGES if page.name.endswith(".zh.md")]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")


def page(name: str) -> str:
    return (REFERENCE / name).read_text("utf-8")


def keys(struct: type[msgspec.Struct], above: str = "") -> Iterator[str]:
    for field in msgspec.structs.fields(struct):
        kind: Any = field.type
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            yield from keys(kind, f"{above}{field.name}.")
        else:
            yield f"{above}{field.name}"


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_in_the_reference_with_its_exact_signature(hook: str) -> None:
    signature = inspect.signature(getattr(hookspecs, hook))
    text = re.sub(r"'([^']*)'", r"\1", str(signature))
    assert f"## {hook}\n\n```text\n{hook}{text}\n```" in page("hooks.md")


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_says_what_happens_when_it_raises_and_shows_an_example(hook: str) -> None:
    words = inspect.getdoc(getattr(hookspecs, hook)) or ""
    assert "If you raise" in words
    assert "Example::" in words
    assert f"def {hook}(" in words


def test_the_family_of_errors_is_drawn_alike_in_code_and_reference() -> None:
    family = {name for name, value in vars(errors).items() if inspect.isclass(value) and issubclass(value, Exception)}
    drawn = r"^[\s│├└─-]*(\w+)"
    code = re.findall(drawn, (errors.__doc__ or "").partition("family.")[2].partition("\n\nA ref")[0], re.MULTILINE)
    block = page("errors.md").partition("```text\n")[2].partition("```")[0]
    assert set(code) == family
    assert re.findall(drawn, block, re.MULTILINE) == code


@pytest.mark.parametrize(
    ("name", "kinds"), [("results.md", calls.CODES), ("events.md", events.EVENT_KINDS)], ids=["codes", "events"]
)
def test_every_code_and_event_has_its_row_in_order(name: str, kinds: tuple[str, ...]) -> None:
    assert tuple(re.findall(r"^\| `([\w.]+)` \|", page(name), re.MULTILINE)) == kinds


def test_every_key_of_the_core_has_its_row_with_its_default() -> None:
    rows = dict(re.findall(r"^\| `([\w.]+)` \| .* \| (.*) \|$", page("configuration.md"), re.MULTILINE))
    assert list(rows) == list(keys(Settings))
    for key, shown in rows.items():
        value: Any = Settings()
        for part in key.split("."):
            value = getattr(value, part)
        if isinstance(value, int | float | str) and value:
            assert shown.strip("`") == (value if isinstance(value, str) else f"{value:g}"), key


def test_every_variable_is_in_the_reference() -> None:
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "ares_core").rglob("*.py"))
    read = set(re.findall(r"[\"'](ARES_[A-Z_]+)[\"']", sources)) - {"ARES_"} | set(SHORT)
    assert read <= set(re.findall(r"`(ARES_[A-Z_]+)`", page("environment.md")))


def test_every_plugin_is_in_the_list_of_plugins_and_no_other() -> None:
    folders = {path.parent.name for path in (ROOT / "plugins").glob("*/pyproject.toml")}
    assert set(re.findall(r"^\| `([\w-]+)` \|", page("plugins.md"), re.MULTILINE)) == folders


def test_every_command_is_in_the_reference() -> None:
    assert sorted(re.findall(r"^## ares (\w+)$", page("cli.md"), re.MULTILINE)) == sorted(COMMANDS)


@pytest.mark.parametrize("chinese", CHINESE, ids=lambda path: path.name)
def test_the_chinese_page_has_the_same_examples(chinese: Path) -> None:
    english = chinese.with_name(chinese.name.replace(".zh.md", ".md"))
    assert BLOCK.findall(chinese.read_text("utf-8")) == BLOCK.findall(english.read_text("utf-8"))


def test_readme_tutorial_and_tools_are_there_in_chinese() -> None:
    assert {path.name for path in CHINESE} >= {"README.zh.md", "first-plugin.zh.md", "tools.zh.md"}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    assert [link for link in LINK.findall(path.read_text("utf-8")) if not (path.parent / link).exists()] == []
