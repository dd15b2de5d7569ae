"""``ares mcp``, and what other commands show of servers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ares_core import cli

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(ares_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command line in an empty folder; gives exit code, stdout and stderr."""
    folder = ares_home / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("ARES_ONLY_PLUGINS", "mcp")

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.delenv("ARES_MCP__FILE", raising=False)
        with pytest.raises(SystemExit) as end:
            cli.main(list(words))
        out, err = capsys.readouterr()
        return int(end.value.code or 0), out, err

    return run


@pytest.fixture
def added(run: Run, server: Any) -> Run:
    """The same, with the server ``a``."""
    given = server()
    assert run("mcp", "add", "a", given["command"], *given["args"])[0] == 0
    return run


def test_the_commands_are_listed(run: Run) -> None:
    code, out, _ = run("mcp", "--help")
    assert code == 0
    assert all(name in out for name in ("list", "tools", "call", "add", "remove", "trust", "check"))


def test_without_servers_it_says_how_to_add_one(run: Run) -> None:
    code, out, err = run("mcp", "list")
    assert (code, out) == (0, "")
    assert "ares mcp add" in err


def test_a_server_is_added_listed_and_removed(added: Run, ares_home: Path, diary: Any) -> None:
    listed = json.loads(added("mcp", "list", "--json")[1])
    assert [(row["name"], row["transport"], row["tools"]) for row in listed] == [("a", "stdio", None)]
    assert added("mcp", "remove", "a")[0] == 0
    assert json.loads(added("mcp", "list", "--json")[1]) == []
    assert diary.lines() == []


def test_adding_leaves_every_other_line_of_the_configuration_alone(run: Run, ares_home: Path) -> None:
    file = ares_home / "xdg_config_home" / "ares" / "ares.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("# mine\nmcp:\n  wait: 5 # not long\n")
    assert run("mcp", "add", "a", "https://tickets.example/mcp", "--header", "X=${TOKEN}")[0] == 0
    text = file.read_text("utf-8")
    assert text.startswith("# mine\nmcp:\n  file: ")
    assert text.endswith("  wait: 5 # not long\n")
    document = json.loads((file.parent / "mcp.json").read_text("utf-8"))
    assert document["mcpServers"]["a"] == {"url": "https://tickets.example/mcp", "headers": {"X": "${TOKEN}"}}


def test_removing_what_is_not_there_writes_nothing(run: Run, ares_home: Path) -> None:
    code, _, err = run("mcp", "remove", "a")
    assert (code, "has no server 'a'" in err) == (2, True)
    assert not (ares_home / "xdg_config_home" / "ares").exists()


@pytest.mark.parametrize("words", [("a",), ("a", "x", "--env", "novalue"), ("a/../../b:", "x")])
def test_a_server_that_cannot_be_is_not_added(run: Run, words: tuple[str, ...]) -> None:
    assert run("mcp", "add", *words)[0] == 2


def test_the_list_of_tools_starts_no_server(added: Run, diary: Any) -> None:
    code, out, _ = added("tools")
    assert code == 0
    assert "mcp.a" in out
    assert "not connected yet" in out
    assert diary.lines() == []
    added("mcp", "tools", "a")
    assert len(diary.lines("start")) == 1
    assert "mcp.a.echo" in added("tools")[1]
    assert len(diary.lines("start")) == 1


def test_a_tool_is_called_from_the_command_line(added: Run) -> None:
    code, out, _ = added("mcp", "call", "a", "count", "n=007", "--json")
    assert (code, json.loads(out)["data"]) == (0, {"n": 7})
    assert added("mcp", "call", "a", "error")[0] == 1
    assert added("mcp", "call", "a", "count", "n=x")[0] == 2


def test_progress_is_told_on_stderr(added: Run) -> None:
    assert "half (1 of 2)" in added("mcp", "call", "a", "talk")[2]


def test_a_file_of_another_program_is_read_as_it_is(run: Run, server: Any, tmp_path: Path) -> None:
    file = tmp_path / "claude.json"
    given = {**server(), "type": "stdio", "alwaysAllow": ["x"], "timeout": 60_000}
    file.write_text(json.dumps({"theme": "dark", "mcpServers": {"a": given, "off": {**given, "disabled": True}}}))
    code, out, _ = run("mcp", "tools", "a", "--file", str(file), "--json")
    assert code == 0
    assert "mcp.a.echo" in out
    assert [row["name"] for row in json.loads(run("mcp", "list", "--file", str(file), "--json")[1])] == ["a"]
    assert json.loads(run("mcp", "list", "--json")[1]) == []


def test_a_project_file_counts_only_when_it_is_trusted(run: Run, server: Any, diary: Any) -> None:
    section = {"mcp": {"servers": {"a": server()}}}
    Path("ares.yaml").write_text(json.dumps(section))
    _, out, err = run("tools")
    assert "mcp.a" not in out
    assert "ares trust" in err
    assert run("trust", "ares.yaml")[0] == 0
    assert "mcp.a" in run("tools")[1]
    assert diary.lines() == []


def test_a_changed_tool_is_shown_and_agreed_to(added: Run, ares_home: Path) -> None:
    added("mcp", "tools", "a")
    file = ares_home / "xdg_config_home" / "ares" / "mcp.json"
    document = json.loads(file.read_text("utf-8"))
    document["mcpServers"]["a"]["env"] = {"WORDS": "Something \x1b[2J else."}
    file.write_text(json.dumps(document))
    assert "withheld" in added("mcp", "tools", "a")[1]
    code, _, err = added("mcp", "trust", "a")
    assert code == 1
    assert "- description: The tool echo." in err
    assert "+ description: Something \\x1b[2J else." in err
    assert added("mcp", "trust", "a", "--yes")[0] == 0
    assert added("mcp", "call", "a", "echo")[0] == 0
    assert added("mcp", "trust", "a")[0] == 0


def test_a_withheld_tool_is_shown_by_every_list_and_told_of_once(added: Run, ares_home: Path) -> None:
    assert "The tool echo." in added("tools", "mcp.a.echo")[1]
    file = ares_home / "xdg_config_home" / "ares" / "mcp.json"
    document = json.loads(file.read_text("utf-8"))
    document["mcpServers"]["a"]["env"] = {"WORDS": "Something else."}
    file.write_text(json.dumps(document))
    assert added("mcp", "call", "a", "echo")[2].count("withheld") == 1
    assert added("mcp", "call", "a", "echo")[2].count("withheld") == 1
    assert "withheld" not in added("mcp", "tools", "a")[2]
    rows = {row["name"]: row["description"] for row in json.loads(added("tools", "--json")[1])}
    assert rows["mcp.a.echo"].startswith("withheld: its description changed")
    code, _, err = added("tools", "echo")
    assert (code, "ares mcp trust a" in err) == (2, True)
    _, out, err = added("mcp", "list")
    assert "1 withheld" in out
    assert "tool 'echo' is withheld" in err
    assert "mcp.a.echo" in added("doctor")[1]


@pytest.mark.parametrize(("words", "hint"), [
    (("my files", "x"), "Write 'my-files'"), (("a.b", "x"), "Write 'a-b'"),
    (("a", "localhost:1234/mcp"), "http://localhost:1234/mcp"), (("a", "tickets.example/mcp"), "https://tickets"),
])  # fmt: skip
def test_what_can_not_be_meant_is_refused_with_what_may_be(run: Run, words: tuple[str, ...], hint: str) -> None:
    code, _, err = run("mcp", "add", *words)
    assert (code, hint in err) == (2, True)


def test_paths_in_the_users_own_file_hold_in_every_folder(run: Run, ares_home: Path) -> None:
    Path("server.py").write_text("")
    assert run("mcp", "add", "a", "python", "server.py", "run")[0] == 0
    document = json.loads((ares_home / "xdg_config_home" / "ares" / "mcp.json").read_text("utf-8"))
    assert document["mcpServers"]["a"]["args"] == [str(Path("server.py").absolute()), "run"]


def test_a_check_reports_every_tool(run: Run, server: Any) -> None:
    given = server("odd")
    run("mcp", "add", "b", given["command"], *given["args"])
    code, out, _ = run("mcp", "check", "b", "--json")
    report = json.loads(out)
    states = {row["tool"]: row["state"] for row in report["tools"]}
    assert code == 1
    assert states == {
        "mcp.b.ok1": "not called", "mcp.b.bad2": "not called", "mcp.b.ok2": "not called", "mcp.b.lost": "wrong",
    }  # fmt: skip
    assert any("'ok1' is listed twice" in note for note in report["notes"])


def test_a_check_calls_what_only_reads_with_the_example_of_its_schema(run: Run, server: Any, diary: Any) -> None:
    given = server("examples")
    run("mcp", "add", "x", given["command"], *given["args"])
    assert run("mcp", "check", "x")[0] == 0
    assert diary.lines("call") == ['call count {"n": 4}']


def test_a_check_of_a_server_that_is_not_there_fails_in_a_sentence(run: Run) -> None:
    run("mcp", "add", "n", "no-such-binary-xyz")
    code, out, _ = run("mcp", "check", "n", "--json")
    assert code == 1
    assert "is not there" in json.loads(out)["error"]["message"]
    assert run("mcp", "check", "unknown")[0] == 2


def test_the_sdk_is_not_imported_to_list_tools(added: Run) -> None:
    code = (
        "import sys\nfrom ares_core import cli\ntry: cli.main(['tools'])\n"
        "except SystemExit: sys.exit(9 if 'mcp' in sys.modules else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "mcp.a" in done.stdout
