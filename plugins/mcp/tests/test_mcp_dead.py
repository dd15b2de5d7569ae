"""A server that can't be used costs one try for each call, and one word; what a person fills in reaches a server."""

from __future__ import annotations

import io
import json
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ares_core import Ares, cli

Servers = Callable[..., Ares]
DIES = "import select, sys; open(sys.argv[1], 'a').write('start\\n'); select.select([0], [], []); sys.exit(3)"
"""Ends when it is asked something, which it has not read."""


@pytest.fixture
def dead(diary: Any) -> dict[str, Any]:
    return {"command": sys.executable, "args": ["-c", DIES, str(diary.path)]}


@pytest.fixture
def run(
    ares_home: Path, dead: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., tuple[int, str, str]]:
    """Runs a command line where the dead server is configured; gives exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARES_ONLY_PLUGINS", "mcp")
    (tmp_path / "given.json").write_text(json.dumps({"mcp": {"servers": {"dead": dead}}}))

    def run(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            cli.main(["--config", str(tmp_path / "given.json"), *words])
        out, err = capsys.readouterr()
        return int(end.value.code or 0), out, err

    return run


@pytest.mark.parametrize("words", [["nosuch"], ["nosuch", "x=1"]])
def test_an_unknown_name_tries_a_dead_server_once_and_says_so_once(run: Any, diary: Any, words: list[str]) -> None:
    code, _, err = run("call", *words)
    assert (code, diary.lines()) == (2, ["start"])
    assert err.count("its process ended with code 3") == 1
    assert "There is no tool 'nosuch'" in err


def test_a_call_of_a_dead_server_tries_it_once_says_so_once_and_blames_the_world(run: Any, diary: Any) -> None:
    code, out, err = run("call", "mcp.dead.echo", "text=hi", "--json")
    error = json.loads(out)["error"]
    assert (code, diary.lines()) == (1, ["start"])
    assert (error["code"], error["blame"]) == ("tool_error", "world")
    assert "its process ended with code 3" in error["message"]
    assert "code 3" not in err


def test_a_server_that_is_not_configured_is_named(run: Any) -> None:
    code, _, err = run("mcp", "call", "nosuch", "echo")
    assert code == 2
    assert "There is no MCP server 'nosuch'. There are: dead." in err


def test_the_next_call_tries_again(mcp: Servers, dead: Any, diary: Any) -> None:
    ares = mcp(dead=dead)
    for _ in range(2):
        assert "can't be used" in ares.call_sync("mcp.dead.echo").text
    assert diary.lines() == ["start"] * 2


def test_all_calls_of_a_turn_try_a_dead_server_once(mcp: Servers, dead: Any, diary: Any) -> None:
    from ares_core import ToolCall

    results = mcp(dead=dead).call_many_sync([ToolCall("mcp.dead.a"), ToolCall("mcp.dead.b")])
    assert [result.error.blame for result in results if result.error] == ["world"] * 2
    assert diary.lines() == ["start"]


def test_a_server_that_ends_at_the_question_it_read_is_asked_as_an_old_one(
    mcp: Servers, server: Any, diary: Any
) -> None:
    assert mcp(a=server("fragile")).call_sync("mcp.a.echo").success
    assert len(diary.lines("start")) == 2


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_person_fills_in_the_form_of_a_server(
    run: Any, server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "given.json").write_text(json.dumps({"mcp": {"servers": {"a": server()}}}))
    screen = Terminal()
    monkeypatch.setattr(sys, "stdin", Terminal("y\nteal\n"))
    monkeypatch.setattr(sys, "stderr", screen)
    code, out, _ = run("call", "mcp.a.ask", "--json")
    assert (code, json.loads(json.loads(out)["data"])["content"]) == (0, {"colour": "teal"})
    assert "mcp.a.ask: server 'a' asks: Which colour?" in screen.getvalue()


def test_no_token_is_shown_when_the_port_is_taken(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARES_MCP_DEPTH", "0")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, out, err = run("mcp", "serve", "--http", str(taken.getsockname()[1]))
    assert (code, out) == (2, "")
    assert "can't be opened" in err
    assert "oken" not in err
