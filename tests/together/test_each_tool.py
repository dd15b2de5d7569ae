"""Every builtin tool, with all plugins installed: what a model is shown of it, and that its examples run."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ares_core import Ares, Tool

ROOT = Path(__file__).parents[2]
PLUGINS = sorted(path.parent.name for path in ROOT.glob("plugins/*/pyproject.toml"))
REFUSED = {"unknown_tool", "invalid_arguments", "malformed_arguments", "internal_error", "missing_input", "timeout"}
TOOLS = (
    "calculator", "code_runner", "data_transform", "data_validation", "datetime", "delegate_task", "embedding",
    "file_tools", "hash_tool", "http_request", "id_generator", "json_tools", "log_analyzer", "memory", "pdf_tool",
    "read_result", "read_terminal", "regex", "session_search", "string_utils", "todo", "web_scraper", "web_search",
)  # fmt: skip


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ares]:
    with pytest.MonkeyPatch.context() as patch, Ares(plugins=PLUGINS) as ares:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield ares


def of(ares: Ares, name: str) -> Tool:
    found = ares.registry.get(name)
    assert found is not None
    return found


def test_all_builtin_tools_are_there(everything: Ares) -> None:
    assert everything.registry.list_tool_names() == list(TOOLS)


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_says_what_it_is(name: str, everything: Ares) -> None:
    tool = of(everything, name)
    assert len(tool.description) > 20
    assert tool.parameters["additionalProperties"] is False
    assert all(part.get("description") for part in tool.parameters["properties"].values())
    assert everything.registry.capabilities(name)
    assert tool.examples


@pytest.mark.parametrize("name", TOOLS)
def test_the_examples_of_a_tool_run(name: str, everything: Ares) -> None:
    for example in of(everything, name).examples:
        result = everything.call_sync(name, example)
        assert result.error is None or result.error.code not in REFUSED, result.text


def test_the_command_line_lists_them_with_schema_effects_and_examples() -> None:
    command = [sys.executable, "-m", "ares_core", "tools", "--json"]
    listed = json.loads(subprocess.run(command, check=True, capture_output=True, timeout=240).stdout)
    rows = {row["name"]: row for row in listed if row["name"] in TOOLS}
    assert sorted(rows) == list(TOOLS)
    assert all(
        row["description"] and row["effects"] and row["capabilities"] and row["examples"] for row in rows.values()
    )
