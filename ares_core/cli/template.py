"""The files of a new plugin: a tool, its capability, a rule for asking in words, its text, and tests."""

from __future__ import annotations

import re
import unicodedata

from msgspec import Struct

LONGEST = 40

PYPROJECT = """\
[build-system]
requires = ["hatchling>=1.27"]
build-backend = "hatchling.build"

[project]
name = "ares-plugin-@name@"
version = "0.1.0"
description = "@title@, for Ares."
readme = "README.md"
requires-python = ">=3.11"
dependencies = ["ares-core>=@version@,<@next@"]

[project.entry-points."ares.plugins"]
@name@ = "@module@"
"""

README = """\
# ares-plugin-@name@

@title@, for Ares.

    pip install -e . pytest
    ares call @tool@ "one two three"
    ares ask '@words@ "one two three"'
    pytest

The tool `@tool@` counts the words of a text: change it into yours.
"""

MODULE = '''\
"""@title@, for Ares."""

from __future__ import annotations

from typing import Any

from ares_core import Capability, Effects, Result, Rule, RuleSet, Tool, ToolError, hookimpl, tool

EFFECTS = Effects(read_only=True, destructive=False, idempotent=True, open_world=False)


@tool(name="@tool@", capabilities=["@capability@"], effects=EFFECTS, examples=[{"text": "one two three"}])
def count_words(text: str, shortest: int = 1) -> dict[str, Any]:
    """Count the words of a text.

    Args:
        text: The text.
        shortest: How many letters a word must have to count.
    """
    if shortest < 1:
        raise ToolError(f"no word has {shortest} letters", blame="input", hint="give 'shortest' as 1 or more")
    words = [word for word in text.split() if len(word) >= shortest]
    return {"words": words, "result": len(words)}


@hookimpl
def register_tools() -> list[Tool]:
    """Bring the tool."""
    return [Tool.from_function(count_words)]


@hookimpl
def declare_capabilities() -> list[Capability]:
    """Say what it can do: from a text to a number."""
    return [Capability("@capability@", inputs=("Text",), outputs=("Number",))]


@hookimpl
def register_rule_sets() -> list[RuleSet]:
    """Say how people may ask for it."""
    asked = Rule("@name@", ("@words@ {quoted}",), capabilities=("@capability@",), arguments={"text": "{quoted}"})
    return [RuleSet("@name@", "en", (asked,))]


@hookimpl
def format_result(result: Result) -> str | None:
    """Write what a model reads."""
    return f"words: {result.data['result']}" if result.success else None
'''

TESTS = """\
from __future__ import annotations

from ares_core import Ares
from ares_core.testing import check_plugin


def test_counts_words(ares: Ares) -> None:
    ares.add("@module@")
    result = ares.call_sync("@tool@", {"text": "one two three", "shortest": "4"})
    assert result.data == {"words": ["three"], "result": 1}


def test_a_model_reads_a_sentence(ares: Ares) -> None:
    ares.add("@module@")
    assert ares.call_sync("@tool@", {"text": "one two"}).text == "words: 2"


def test_refuses_a_length_that_no_word_has(ares: Ares) -> None:
    ares.add("@module@")
    result = ares.call_sync("@tool@", {"text": "one", "shortest": 0})
    assert result.error is not None
    assert result.error.code == "tool_error"


def test_can_be_asked_in_words(ares: Ares) -> None:
    ares.add("@module@")
    assert ares.ask_sync('@words@ "one two three"').data["result"] == 3


def test_stands_what_every_plugin_should() -> None:
    check_plugin("@module@")
"""


class NewPlugin(Struct, frozen=True):
    """A plugin that is to be written; ``name`` is legal.

    >>> NewPlugin("unit-converter").module
    'ares_plugin_unit_converter'
    """

    name: str

    @property
    def folder(self) -> str:
        """The folder, named after the distribution."""
        return f"ares-plugin-{self.name}"

    @property
    def module(self) -> str:
        """The module."""
        return f"ares_plugin_{self.name.replace('-', '_')}"

    def files(self, version: str) -> dict[str, str]:
        """Give the files by their paths, for a core of this version."""
        major, minor = version.split(".")[:2]
        words = self.name.replace("-", " ")
        facts = {
            "name": self.name, "module": self.module, "tool": self.name.replace("-", "_"), "words": words,
            "title": words.capitalize(), "capability": words.title().replace(" ", ""),
            "version": f"{major}.{minor}", "next": f"{major}.{int(minor) + 1}",
        }  # fmt: skip
        texts = {
            "pyproject.toml": PYPROJECT,
            "README.md": README,
            f"{self.module}.py": MODULE,
            f"tests/test_{self.name.replace('-', '_')}.py": TESTS,
        }
        return {path: re.sub(r"@(\w+)@", lambda found: facts[found[1]], text) for path, text in texts.items()}


def legal_name(name: str) -> str | None:
    """Make a legal name of what somebody wrote, if that can be done.

    >>> legal_name("Unit Converter"), legal_name("ares-plugin-clock"), legal_name("天气")
    ('unit-converter', 'clock', None)
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    plain = re.sub(r"[\s_.-]+", "-", plain).strip("-").removeprefix("ares-plugin-")
    return plain if re.fullmatch(rf"[a-z][a-z0-9-]{{0,{LONGEST - 1}}}", plain) else None
