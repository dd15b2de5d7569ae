"""The commands that show what there is: tools, plugins, definitions, responses, rules, events, evidence."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ares_core import Event

Cli = Callable[..., Any]
Install = Callable[..., None]
KEEPER = """
from ares_core import hookimpl
from ares_core.eventlog import MemoryEvents
from ares_core.call import MemoryEvidence

EVENTS, EVIDENCE = MemoryEvents(), MemoryEvidence()

@hookimpl
def open_store(kind):
    return {"events": EVENTS, "evidence": EVIDENCE}.get(kind)
"""


def test_tools_are_listed_in_the_order_of_their_names(cli: Cli) -> None:
    lines = cli("tools").out.splitlines()
    assert [line.split()[0] for line in lines] == ["name", "echo", "erase", "fail", "fetch", "rows", "slow"]
    assert lines[1].split("  ")[-1] == "Say it again."


def test_tools_can_be_chosen_by_capability_and_plugin(cli: Cli) -> None:
    assert [tool["name"] for tool in cli("tools", "--capability", "say", "--json").document] == ["echo"]
    assert len(cli("tools", "--plugin", "parrot", "--json").document) == 6


def test_a_tool_is_described_with_all_that_is_known_of_it(cli: Cli) -> None:
    found = cli("tools", "echo", "--json").document
    assert found["parameters"]["required"] == ["text"]
    assert found["effects"]["read_only"] is True
    assert found["examples"] == [{"text": "hello"}]
    assert (found["plugin"], found["capabilities"]) == ("parrot", ["Echoing"])


def test_a_tool_is_described_for_a_person_too(cli: Cli) -> None:
    shown = cli("tools", "Echo").out
    for part in (
        "echo  (reads; plugin parrot)",
        "text  (string, required)  What to say.",
        "default 0",
        "ares call echo",
    ):
        assert part in shown


def test_a_tool_that_is_not_there_is_wrong_usage(cli: Cli) -> None:
    ended = cli("tools", "ecko")
    assert ended.code == 2
    assert "Did you mean echo?" in ended.err


def test_a_broken_plugin_is_a_row_and_not_an_error(cli: Cli, install: Install) -> None:
    install("broken", "raise RuntimeError('no licence')")
    ended = cli("plugins")
    assert ended.code == 0
    assert "broken: can't import cli_sample_broken: RuntimeError: no licence" in ended.out
    rows = {row["name"]: row["state"] for row in cli("plugins", "--json").document["plugins"]}
    assert (rows["broken"], rows["parrot"]) == ("failed", "loaded")


def test_a_broken_plugin_does_not_stop_the_others(cli: Cli, install: Install) -> None:
    install("broken", "import sys; sys.exit(1)")
    ended = cli("call", "echo", "still here")
    assert (ended.code, ended.out) == (0, "still here\n")
    assert "warning: plugin broken (sample-broken 1.0) is not used" in ended.err


def test_plugins_can_be_chosen_by_hook(cli: Cli) -> None:
    assert cli("plugins", "--hook", "open_files", "--json").document["plugins"] == []
    assert "parrot" in cli("plugins", "--hook", "register_tools").out
    assert cli("plugins", "--hook", "register_tool").code == 2


@pytest.mark.usefixtures("toy")
def test_definitions_are_json_and_check_says_what_is_lost(cli: Cli) -> None:
    assert cli("definitions", "--wire", "toy").document[0] == {"name": "echo"}
    checked = cli("definitions", "--wire", "toy", "--check")
    assert (checked.code, checked.out) == (1, "echo: the default of n\n")
    assert cli("definitions", "--wire", "toy", "--tool-choice", "auto", "--json").document["request"] == {
        "choice": "auto"
    }


@pytest.mark.usefixtures("toy")
def test_a_response_is_read_from_a_file_or_from_stdin(process: Cli, project: Path) -> None:
    (project / "body.json").write_text('{"toy": ["echo"]}', "utf-8")
    assert process("parse", "body.json")[:2] == (0, 'echo({"text": "x"})\n')
    found = process("parse", "--wire", "toy", "--json", text='{"toy": []}')
    assert (found.code, found.document["reason"]) == (1, "nothing in it")


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [(["--wire", "tou"], 2, "Did you mean 'toy'?"), ([], 1, "no wire format knows")],
    ids=["unknown_format", "unknown_body"],
)
@pytest.mark.usefixtures("toy")
def test_a_response_in_no_known_format_is_a_sentence(process: Cli, args: list[str], code: int, says: str) -> None:
    ended = process("parse", *args, text='{"a": 1}')
    assert ended.code == code
    assert says in ended.err


def test_rule_sets_are_listed_with_who_brought_them(cli: Cli) -> None:
    parrot = {"name": "parrot", "language": "en", "rules": 1, "plugin": "parrot", "used": True}
    assert cli("rules", "list", "--json").document == [parrot]
    assert cli("rules").out.splitlines()[1].split() == ["parrot", "en", "1", "parrot", "yes"]


def test_events_and_evidence_come_from_the_stores_that_are_configured(
    cli: Cli, install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("keeper", KEEPER)
    monkeypatch.setenv("ARES_STORES__EVENTS", "keeper")
    monkeypatch.setenv("ARES_STORES__EVIDENCE", "keeper")
    cli("call", "echo", "a")
    cli("call", "fail", "no luck")
    assert [event["kind"] for event in cli("events", "--tool", "echo", "-n", "2", "--json").document] == [
        "started",
        "finished",
    ]
    assert [event["tool"] for event in cli("events", "--kind", "failed", "--json").document] == ["fail"]
    assert "failed" in cli("events").out.splitlines()[-1]
    assert cli("evidence", "export").document["echo"]["successes"] == 1.0
    assert cli("evidence", "show", "fail").out.splitlines()[1].split()[:4] == ["fail", "1", "0", "1"]
    assert cli("evidence", "reset", "fail").code == 0
    assert list(cli("evidence", "export").document) == ["echo"]


def test_following_goes_on_with_what_happens_until_ctrl_c(
    cli: Cli, install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("keeper", KEEPER)
    monkeypatch.setenv("ARES_STORES__EVENTS", "keeper")
    happens = iter(["first", "second"])

    def sleep(seconds: float) -> None:
        text = next(happens, None)
        if text is None:
            raise KeyboardInterrupt
        sys.modules["cli_sample_keeper"].EVENTS.append([Event("progress", "1", 0.0, "echo", data={"message": text})])

    monkeypatch.setattr("ares_core.cli.commands.events.time", SimpleNamespace(sleep=sleep))
    ended = cli("events", "--follow")
    assert ended.code == 130
    assert [line.split("message=")[1] for line in ended.out.splitlines()] == ['"first"', '"second"']
    assert cli("events", "--follow", "--json").code == 2


def test_without_wire_formats_it_says_what_to_install(cli: Cli) -> None:
    ended = cli("definitions")
    assert ended.code == 2
    assert "Install ares-plugin-wires" in ended.err


def test_forgetting_everything_has_to_be_said(cli: Cli) -> None:
    assert cli("evidence", "reset").code == 2
    assert cli("evidence", "reset", "--all").code == 0


def test_without_a_store_events_say_what_to_install(cli: Cli) -> None:
    ended = cli("events")
    assert ended.code == 2
    assert "ares-plugin-store-sqlite" in ended.err


def test_a_broken_keeper_that_nobody_chose_does_not_end_the_command(
    cli: Cli, install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("store-sqlite", "raise ImportError('no sqlite here')")
    monkeypatch.setenv("ARES_ONLY_PLUGINS", "parrot,store-sqlite")
    ended = cli("call", "echo", "a")
    assert (ended.code, ended.out) == (0, "a\n")
    assert "no sqlite here" in ended.err


def test_a_keeper_that_was_chosen_and_is_missing_is_a_configuration_error(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARES_STORES__EVENTS", "nowhere")
    ended = cli("call", "echo", "a", "--json")
    assert (ended.code, ended.document["error"]["code"]) == (2, "configuration")


def test_version_is_the_same_as_a_command_and_as_an_option(cli: Cli) -> None:
    assert cli("version").out == cli("--version").out
    assert json.loads(cli("--json", "--version").out) == cli("version", "--json").document
