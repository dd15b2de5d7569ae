"""The commands that write: trust, init, plugin new, completion; and doctor, which looks at it all."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ares_core
from ares_core.cli import opening
from ares_core.cli.template import NewPlugin
from ares_core.config import is_trusted, load

Cli = Callable[..., Any]
Install = Callable[..., None]
WIDENING = """\
limits: {timeout: 5}
http: {allow_hosts: [intranet]}
approvals: {rules: [{answer: allow, tool: erase}, {answer: deny, tool: fetch}]}
"""
HTTP = """
from msgspec import Struct
from ares_core import hookimpl

class Settings(Struct, frozen=True):
    allow_hosts: tuple[str, ...] = ()

@hookimpl
def configuration():
    return Settings
"""


@pytest.fixture
def widening(project: Path) -> str:
    path = project / "ares.yaml"
    path.write_text(WIDENING, "utf-8")
    return str(path)


def test_trust_shows_every_key_that_widens(cli: Cli, widening: str) -> None:
    ended = cli("trust", widening)
    assert ended.code == 0
    assert 'http.allow_hosts: ["intranet"]' in ended.err
    assert 'approvals.rules (allow): [{"answer": "allow", "tool": "erase"}]' in ended.err
    assert is_trusted(widening)


def test_trust_holds_for_the_projects_file_as_it_is(cli: Cli, widening: str) -> None:
    assert "counts only after: ares trust" in cli("call", "erase", "x").err
    assert cli("trust").code == 0
    assert cli("call", "erase", "x")[:2] == (0, "erased x\n")
    Path(widening).write_text(f"{WIDENING}tools: {{file_sandbox_dir: /}}\n", "utf-8")
    assert cli("call", "erase", "x").code == 1


def test_trust_can_be_taken_away(cli: Cli, widening: str) -> None:
    cli("trust", "--yes", "-q")
    found = cli("trust", "--remove", "--json").document
    assert found == {"file": widening, "state": "is no longer trusted", "keys": [], "trusted": False}


def test_a_file_that_widens_nothing_needs_no_trust(cli: Cli, project: Path) -> None:
    (project / "ares.yaml").write_text("limits: {timeout: 5}\n", "utf-8")
    assert cli("trust").out.endswith("ares.yaml sets nothing that needs trust.\n")


def test_a_store_that_nobody_keeps_is_told_once_with_those_that_are_there(
    cli: Cli, install: Install, widening: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("shelf", "from ares_core import hookimpl\n@hookimpl\ndef open_store(kind):\n    return None\n")
    monkeypatch.setattr(opening, "KEEPER", "shelf")
    Path(widening).write_text(f"{WIDENING}stores: {{events: sqlite}}\n", "utf-8")
    ended = cli("tools")
    assert (ended.code, ended.err.count("counts only after: ares trust")) == (2, 1)
    assert "no plugin of that name keeps stores (there is: shelf)" in ended.err


def test_there_has_to_be_a_file_to_trust(cli: Cli) -> None:
    assert cli("trust").code == 2
    assert cli("trust", "missing.yaml").code == 2


def test_init_writes_a_file_that_can_be_read_and_never_overwrites(cli: Cli, project: Path) -> None:
    assert cli("init").code == 0
    assert load(files=True).notes == ()
    (project / "ares.yaml").write_text("limits: {timeout: 7}\n", "utf-8")
    ended = cli("init")
    assert ended.code == 2
    assert "nothing was written" in ended.err
    assert load(files=True).settings.limits.timeout == 7


def test_every_line_of_the_written_file_is_right_once_its_mark_is_taken_off(cli: Cli, project: Path) -> None:
    cli("init")
    text = (project / "ares.yaml").read_text("utf-8").partition("\n\n")[2]
    lines = [line for line in text.splitlines() if not line.startswith("# A plugin's")]
    (project / "ares.yaml").write_text("\n".join(line.removeprefix("# ") for line in lines), "utf-8")
    found = load(str(project / "ares.yaml"))
    assert found.settings.guard.budgets.calls == 100
    assert found.settings.approvals.rules[0].effect == "destructive"
    assert found.settings.results.redact == (r"\bEMP-\d+",)
    assert found.sections["store_sqlite"] == {"max_events": 100000}


def test_init_writes_the_users_own_file_on_demand(cli: Cli, project: Path) -> None:
    found = cli("init", "--user", "--json").document
    assert (found["success"], found["file"]) == (True, str(project.parent / "home" / "config" / "ares" / "ares.yaml"))


def test_doctor_finds_a_sound_installation_sound(cli: Cli) -> None:
    found = cli("doctor", "--json")
    assert found.code == 0
    assert found.document["success"] is True
    assert {"ares", "python", "state", "configuration", "plugin parrot"} <= {
        one["what"] for one in found.document["findings"]
    }


@pytest.mark.parametrize("what", ["plugin", "command", "configuration", "state"])
def test_doctor_names_what_is_broken(
    what: str, cli: Cli, install: Install, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if what == "plugin":
        install("broken", "raise RuntimeError('mend me')")
    elif what == "command":
        install("broken", "raise RuntimeError('mend me')", group="ares.commands")
    elif what == "configuration":
        (project / "ares.yaml").write_text("limits: {timeout: mend me}\n", "utf-8")
    else:
        (project / "mend me").write_text("a file where a folder should be", "utf-8")
        monkeypatch.setenv("XDG_STATE_HOME", str(project / "mend me"))
    ended = cli("doctor")
    assert ended.code == 1
    assert any(line.startswith("broken") and "mend me" in line for line in ended.out.splitlines())


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("clock", "ares-plugin-clock"),
        ("Unit Converter", "ares-plugin-unit-converter"),
        ("ares-plugin-x_1", "ares-plugin-x-1"),
    ],
)
def test_the_name_of_a_new_plugin_is_made_legal(cli: Cli, project: Path, name: str, folder: str) -> None:
    assert cli("plugin", "new", name, "--json").document["folder"] == folder
    assert (project / folder / "pyproject.toml").is_file()


@pytest.mark.parametrize("name", ["", "../up", "a/b", "1st", "天气", "x" * 60, "."])
def test_a_name_that_cannot_be_made_legal_writes_nothing(cli: Cli, project: Path, name: str) -> None:
    assert cli("plugin", "new", "--", name).code == 2
    assert os.listdir(project) == [".git"]


def test_a_folder_that_exists_is_never_touched(cli: Cli, project: Path) -> None:
    (project / "ares-plugin-clock").mkdir()
    assert "nothing was written" in cli("plugin", "new", "clock").err
    assert os.listdir(project / "ares-plugin-clock") == []


def test_a_new_plugins_files_have_nothing_left_to_fill_in() -> None:
    files = NewPlugin("unit-converter").files(ares_core.__version__)
    assert len(files) == 4
    assert [path for path, text in files.items() if "@module@" in text or "@name@" in text] == []


def test_the_tests_of_a_new_plugin_pass(cli: Cli, project: Path, site: Any) -> None:
    cli("plugin", "new", "unit converter", "--dir", str(project))
    folder = project / "ares-plugin-unit-converter"
    path = os.pathsep.join([str(folder), str(Path(ares_core.__file__).parents[1])])
    env = {name: value for name, value in os.environ.items() if not name.startswith(("ARES_", "PYTEST"))}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "ares_core.testing", f"--basetemp={project}/temp", str(folder)],
        capture_output=True, text=True, check=False, timeout=240, cwd=folder,
        env={**env, "PYTHONPATH": path, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout
    assert "5 passed" in ran.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_asks_ares(process: Cli, shell: str) -> None:
    ended = process("completion", shell)
    assert ended.code == 0
    assert "_ARES_COMPLETE" in ended.out


def test_the_shell_is_offered_commands_and_options(process: Cli) -> None:
    offered = process(_ARES_COMPLETE="bash_complete", COMP_WORDS="ares plug", COMP_CWORD="1")
    assert offered.out.split() == ["plain,plugins", "plain,plugin"]
    assert "plain,--hook" in process(_ARES_COMPLETE="bash_complete", COMP_WORDS="ares plugins --h", COMP_CWORD="2").out


@pytest.mark.parametrize("wrong", ["limits: {tiemout: 5}", "parrots: 3", "http: {allow_hosts: [a], allow_hots: [b]}"])
def test_a_file_that_would_end_every_command_is_not_agreed_to(
    cli: Cli, install: Install, project: Path, wrong: str
) -> None:
    install("http", HTTP)
    path = project / "ares.yaml"
    path.write_text(f"approvals: {{rules: [{{answer: allow, tool: erase}}]}}\n{wrong}\n", "utf-8")
    ended = cli("trust", "--yes")
    assert (ended.code, ended.out) == (2, "")
    assert str(path) in ended.err
    assert not is_trusted(str(path))
