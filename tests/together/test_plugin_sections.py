"""The sections of the builtin plugins: checked like the core's own, and listed in the reference."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ares_core import Ares, ConfigError

ROOT = Path(__file__).parents[2]
PLUGINS = sorted(path.parent.name for path in ROOT.glob("plugins/*/pyproject.toml"))


def sections() -> dict[str, list[str]]:
    """The keys of every plugin that has a section, by the plugin's name."""
    with Ares(plugins=PLUGINS) as ares:
        models = {name: ares.hooks.configuration(name) for name in ares.plugins.loaded()}
    return {name: list(model.__struct_fields__) for name, model in models.items() if model is not None}


SECTIONS = sections()


@pytest.mark.parametrize("plugin", SECTIONS)
def test_an_unknown_key_is_a_configuration_error_that_names_it(plugin: str) -> None:
    section = plugin.replace("-", "_")
    with pytest.raises(ConfigError, match=rf"^{section}\.nonsense in the config argument: there is no such key; "):
        Ares(plugins=[plugin], config={section: {"nonsense": 1}})


@pytest.mark.parametrize("plugin", SECTIONS)
def test_a_value_of_the_wrong_type_is_a_configuration_error_that_names_its_key(plugin: str) -> None:
    section, key = plugin.replace("-", "_"), SECTIONS[plugin][0]
    with pytest.raises(ConfigError, match=rf"^{section}\.{key} in the config argument: expected "):
        Ares(plugins=[plugin], config={section: {key: object()}})


def test_the_command_ends_with_2_and_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "ares.yaml").write_text("network: {conect_timeout: 1}")
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "ares_core", "tools"]
    ended = subprocess.run(
        command, check=False, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=240
    )
    assert ended.returncode == 2
    assert "did you mean network.connect_timeout?" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_every_key_of_a_plugin_has_its_row_in_the_reference() -> None:
    page = (ROOT / "docs/reference/configuration.md").read_text("utf-8").partition("## Sections of plugins")[2]
    listed = re.findall(r"^\| `([a-z_]+\.\w+)` \|", page, re.MULTILINE)
    keys = [f"{plugin.replace('-', '_')}.{key}" for plugin, names in SECTIONS.items() for key in names]
    assert sorted(listed) == sorted(keys)
