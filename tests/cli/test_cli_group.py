"""The command ``ares`` finds its sub-commands late, also those of plugins, and survives those that are broken."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import click
import pytest

from ares_core.cli import main
from ares_core.cli.group import COMMANDS, GROUPS

Cli = Callable[..., Any]
HELLO = """
import click

@click.command()
def command():
    click.echo("hello from a plugin")
    return 1
"""


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_in_the_help_is_the_first_of_the_commands_own(name: str) -> None:
    found = main.get_command(click.Context(main), name)
    assert found is not None
    assert (found.help or "").splitlines()[0].rstrip(".").startswith(COMMANDS[name].rstrip("."))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_help_and_takes_the_shared_options(cli: Cli, name: str) -> None:
    ended = cli(name, "--json", "--help")
    assert ended.code == 0
    assert f"Usage: ares {name}" in ended.out


def test_the_help_lists_a_plugins_command_without_importing_it(cli: Cli, install: Callable[..., Any]) -> None:
    install("hello", "raise RuntimeError('imported')", group="ares.commands")
    ended = cli("--help")
    assert ended.code == 0
    assert "hello" in ended.out
    assert "From sample-hello 1.0." in ended.out


def test_the_help_gives_every_command_one_line_in_its_group(cli: Cli, install: Callable[..., Any]) -> None:
    install("hello", "", group="ares.commands")
    lines = cli("--help").out.splitlines()
    at = [lines.index(f"{title}:") for title in (*GROUPS, "From plugins")]
    assert at == sorted(at)
    assert [line.split() for name, said in COMMANDS.items() for line in lines if line.split()[:1] == [name]] == [
        [name, *said.split()] for name, said in COMMANDS.items()
    ]
    assert lines[at[-1] :].count("  hello        From sample-hello 1.0.") == 1
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("value", ["cli_sample_hello", "cli_sample_hello:command"], ids=["module", "attribute"])
def test_a_plugins_command_runs_and_gives_the_exit_code(cli: Cli, install: Callable[..., Any], value: str) -> None:
    install("hello", HELLO, group="ares.commands", value=value)
    assert cli("hello")[:2] == (1, "hello from a plugin\n")


KIT = """
from ares_core import cli

@cli.command()
def command():
    cli.document({"asked": cli.current().as_json})
"""


def test_a_command_made_with_the_kit_takes_the_shared_options(cli: Cli, install: Callable[..., Any]) -> None:
    install("hello", KIT, group="ares.commands")
    assert cli("hello", "--json")[:2] == (0, '{\n  "asked": true\n}\n')


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("raise RuntimeError('no licence')", "RuntimeError: no licence"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("command = 5", "no click command"),
        ("", "has no attribute 'command'"),
    ],
    ids=["raises", "exits", "no_command", "empty"],
)
def test_a_broken_command_is_a_sentence_that_names_its_distribution(
    cli: Cli, install: Callable[..., Any], code: str, says: str
) -> None:
    install("hello", code, group="ares.commands")
    ended = cli("hello")
    assert ended.code == 2
    assert "the command 'hello' of sample-hello 1.0" in ended.err
    assert says in ended.err


def test_a_plugin_cannot_take_a_command_of_the_core(cli: Cli, install: Callable[..., Any]) -> None:
    install("version", HELLO, group="ares.commands")
    assert cli("version").out.startswith("ares ")


def test_an_unknown_command_names_the_nearest(cli: Cli) -> None:
    ended = cli("plugin-s")
    assert ended.code == 2
    assert "Did you mean 'plugins'?" in ended.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["completion"], "Choose from: bash, zsh, fish. See: ares completion --help"),
        (["version", "now"], "Got unexpected extra argument (now). See: ares version --help"),
        (["ask", "1+1", "--timeout", "soon"], "'soon' is no number. See: ares ask --help"),
        (["events", "--limit", "few"], "'few' is no whole number. See: ares events --help"),
    ],
)
def test_what_is_wrong_and_where_to_look_are_two_sentences_in_one_line(cli: Cli, words: list[str], says: str) -> None:
    ended = cli(*words)
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert says in ended.err


def test_the_help_of_a_section_has_whole_sentences(cli: Cli) -> None:
    said = " ".join(cli("approvals", "--help").out.split())
    assert "show Show one call: its final arguments, and what was changed in those that were asked for." in said


def test_an_unknown_option_names_the_nearest(cli: Cli) -> None:
    assert "--json" in cli("--jsn", "tools").err


def test_the_shared_options_count_wherever_they_stand(cli: Cli) -> None:
    assert cli("--json", "evidence", "show").document == {}
    assert cli("evidence", "--json", "show").document == {}
    assert cli("evidence", "--json").document == {}
    assert cli("evidence", "show", "--json").document == {}


def test_the_help_needs_neither_a_plugin_nor_an_event_loop(command: list[str]) -> None:
    code = (
        "import atexit, sys; atexit.register(lambda: print(*sys.modules)); from ares_core.cli import main; main(['-h'])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=240)
    heavy = {"asyncio", "pydantic", "jsonschema", "yaml", "sqlite3", "cli_sample_parrot", "ares_core.app"}
    assert heavy & set(ended.stdout.splitlines()[-1].split()) == set()
