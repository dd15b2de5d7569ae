"""However a command line ends, it ends without a trace, with its exit code, and with streams that others can read."""

from __future__ import annotations

import errno
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ares_core import cli as package
from ares_core.cli import output
from ares_core.cli.commands import version

Cli = Callable[..., Any]
STUCK = """
import time
from ares_core import Effects, hookimpl, tool

@tool(effects=Effects(read_only=True), timeout=600)
def stuck():
    "Say that it has begun, and go on for long."
    print("begun", flush=True)
    time.sleep(600)

@hookimpl
def register_tools():
    return [stuck]
"""


@pytest.mark.parametrize("reads", [0, 5])
def test_a_reader_that_goes_away_leaves_no_trace(command: list[str], reads: int) -> None:
    running = subprocess.Popen(
        [*command, "call", "rows", "count=20000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert running.stdout is not None
    assert running.stderr is not None
    running.stdout.read(reads)
    running.stdout.close()
    errors = running.stderr.read().decode()
    running.stderr.close()
    assert running.wait(240) in (0, 141)
    assert "Traceback" not in errors
    assert "Broken" not in errors


def test_ctrl_c_ends_with_130_and_without_a_trace(command: list[str], install: Callable[..., Any]) -> None:
    install("stuck", STUCK)
    running = subprocess.Popen([*command, "call", "stuck"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert running.stdout is not None
    assert running.stdout.readline() == b"begun\n"
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=240)
    assert running.returncode == 130
    assert b"Traceback" not in errors


def test_a_terminal_that_is_not_utf8_still_gets_an_answer(process: Cli) -> None:
    ended = process("call", "echo", "smörgås 🍣", PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C.UTF-8")
    assert ended[:2] == (0, "sm\\xf6rg\\xe5s \\U0001f363\n")


def test_json_is_still_json_on_a_terminal_that_is_not_utf8(process: Cli) -> None:
    ended = process("--json", "call", "echo", "smörgås 🍣", PYTHONIOENCODING="ascii", PYTHONUTF8="0", LC_ALL="C.UTF-8")
    assert json.loads(ended.out)["data"]["result"] == "smörgås 🍣"


def test_a_lone_surrogate_in_an_argument_is_no_crash(command: list[str]) -> None:
    ended = subprocess.run([*command, "call", "echo", b"text=\xff"], capture_output=True, check=False, timeout=240)
    assert ended.returncode in (0, 2)
    assert b"Traceback" not in ended.stderr


@pytest.mark.parametrize("words", [["tools"], ["tools", "--json"], ["toolz", "--json"]])
def test_an_answer_that_cannot_be_written_is_a_sentence(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    write = output._write

    def full(stream: Any, text: str) -> None:
        if stream is sys.stdout:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(stream, text)

    monkeypatch.setattr(output, "_write", full)
    assert cli(*words)[:] == (1, "", "The answer can't be written: No space left on device.\n")


def test_words_that_are_no_text_are_wrong_usage(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff")))
    assert cli("ask", "-").err == "REQUEST: stdin is no UTF-8 text (byte 0). See: ares ask --help\n"
    assert cli("plan", "say \udcff").code == 2


def test_a_fault_of_ares_itself_is_a_sentence(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(version, "show", lambda: 1 / 0)
    ended = cli("version")
    assert ended.code == 1
    assert ended.err == "Ares itself failed (ZeroDivisionError: division by zero); --verbose shows where.\n"


def test_verbose_shows_where_a_fault_of_ares_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(version, "show", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        package.main(["--verbose", "version"])


@pytest.mark.parametrize(
    "args", [["-m", "ares_core"], ["-c", "from ares_core.cli import main; main()"]], ids=["m", "c"]
)
def test_python_m_does_the_same_as_the_command(install: Callable[..., Any], args: list[str]) -> None:
    ended = subprocess.run([sys.executable, *args, "version", "--json"], capture_output=True, check=True, timeout=240)
    assert json.loads(ended.stdout)["ares"]


def test_python_m_lets_the_working_folder_provide_nothing(command: list[str]) -> None:
    for name in ("json", "click", "msgspec", "logging", "typing", "yaml", "cli_evil"):
        Path(f"{name}.py").write_text("open('taken', 'w').close()", "utf-8")
    evil = Path("evil-1.0.dist-info")
    evil.mkdir()
    (evil / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n", "utf-8")
    (evil / "entry_points.txt").write_text(
        "[ares.plugins]\nevil = cli_evil\n[ares.commands]\nevil = cli_evil\n", "utf-8"
    )
    env = {name: value for name, value in os.environ.items() if name != "ARES_ONLY_PLUGINS"}
    for args in (["plugins", "--json"], ["--help"], ["call", "echo", "a", "--json"]):
        ended = subprocess.run([*command, *args], capture_output=True, check=False, timeout=240, env=env)
        assert ended.returncode == 0, ended.stderr
        assert b"evil" not in ended.stdout
    assert not Path("taken").exists()
