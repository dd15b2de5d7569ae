"""An Ares that is made with something that can't be meant says so at once, in a sentence."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from ares_core import Ares, ConfigError, UsageError


@pytest.mark.parametrize("config", [5, [], "", b"limits", ["limits"], True])
def test_a_configuration_is_a_mapping_or_a_file(config: Any) -> None:
    with pytest.raises(ConfigError):
        Ares(plugins=[], config=config)


@pytest.mark.parametrize("text", ["[]", "0", "false", "''", "- limits"])
def test_a_file_that_holds_no_sections_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "ares.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"ares\.yaml: expected sections"):
        Ares(plugins=[], config=path)


def test_an_approver_is_a_function() -> None:
    with pytest.raises(UsageError, match="approver is True"):
        Ares(plugins=[], approver=True)  # type: ignore[arg-type]


def test_a_misspelt_section_is_told_also_when_plugins_were_chosen(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "ares"), Ares(plugins=[], config={"limit": {"timeout": 5}}):
        pass
    assert "limit.timeout in the config argument belongs to no installed plugin" in caplog.text
    assert "did you mean limits?" in caplog.text


def test_a_section_of_an_installed_plugin_that_was_not_chosen_is_no_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    metadata = tmp_path / "my-tools-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Name: my-tools\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text("[ares.plugins]\nmy-tools = my_tools\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with caplog.at_level(logging.WARNING, "ares"), Ares(plugins=[], config={"my_tools": {"size": 5}}):
        pass
    assert "my_tools" not in caplog.text
