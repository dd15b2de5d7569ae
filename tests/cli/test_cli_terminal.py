"""With a person at a terminal: approval, signs of life, colours, and nothing that could act on the terminal."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from ares_core import Approval, Effects, ToolCall
from ares_core.cli.approving import MOST_SHOWN, shown

OWN_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)
"""Make the terminal the process's own, so that Ctrl-C is a signal."""
TAKEN_AWAY = "\r\x1b[K"
"""Ends a sign of life, which a slow machine may show at any call."""
PATIENT = """
import sys
from ares_core import Effects, hookimpl, tool

@tool(effects=Effects(read_only=True), timeout=600)
def patient():
    "Wait for a line."
    return "heard " + sys.stdin.readline().strip()

@hookimpl
def register_tools():
    return [patient]
"""

Talk = Callable[..., tuple[int, str]]


@pytest.fixture
def talk(command: list[str]) -> Talk:
    """Run a command line on a terminal; ``answers`` maps what appears to what is typed then."""

    def run(*args: str, answers: dict[str, bytes] | None = None, **variables: str) -> tuple[int, str]:
        ours, theirs = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80", **variables}
        running = subprocess.Popen(
            [sys.executable, "-c", OWN_TERMINAL, *command, *args],
            stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        with running:
            seen = conversation(ours, dict(answers or {}))
            try:
                running.wait(60)
            finally:
                running.kill()
        os.close(ours)
        return running.returncode, seen

    return run


def conversation(terminal: int, answers: dict[str, bytes]) -> str:
    seen, until = b"", time.monotonic() + 240
    while time.monotonic() < until:
        if not select.select([terminal], [], [], 0.5)[0]:
            continue
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        seen += part
        for prompt in [prompt for prompt in answers if prompt.encode() in seen]:
            os.write(terminal, answers.pop(prompt))
    return seen.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("typed", [b"y\n", b"YES\n"])
def test_a_person_who_says_yes_has_the_call_run(talk: Talk, typed: bytes) -> None:
    code, seen = talk("call", "erase", "name=x", answers={"[y/N]": typed})
    assert code == 0
    assert "erase wants to run (this tool always asks) with" in seen
    assert '"name": "x"' in seen
    assert "erased x" in seen


@pytest.mark.parametrize("typed", [b"n\n", b"\n", b"yep\n", b"\x04"], ids=["n", "nothing", "other", "end_of_file"])
def test_anything_but_yes_is_no(talk: Talk, typed: bytes) -> None:
    code, seen = talk("call", "erase", "name=x", answers={"[y/N]": typed})
    assert code == 1
    assert "a person declined it" in seen
    assert "erased x" not in seen


def test_ctrl_c_at_the_question_runs_nothing_and_does_not_wait(talk: Talk) -> None:
    started = time.monotonic()
    code, seen = talk("call", "erase", "name=x", answers={"[y/N]": b"\x03"})
    assert code == 130
    assert "erased x" not in seen
    assert time.monotonic() - started < 60


def test_trust_asks_and_takes_yes(talk: Talk) -> None:
    with open("ares.yaml", "w", encoding="utf-8") as file:
        file.write("plugins: {block: [x]}\n")
    assert talk("trust", answers={"[y/N]": b"n\n"})[0] == 1
    code, seen = talk("trust", answers={"[y/N]": b"y\n"})
    assert code == 0
    assert 'plugins.block: ["x"]' in seen


def test_long_work_shows_a_sign_of_life_and_takes_it_away(talk: Talk, install: Callable[..., None]) -> None:
    install("patient", PATIENT)
    code, seen = talk("call", "patient", answers={" s ": b"you\n"})
    assert code == 0
    assert re.search(r"[|/\\-] patient \d+ s ", seen)
    assert "\x1b[K" in seen
    assert "heard you" in seen


@pytest.mark.parametrize("args", [("--quiet",), ("--json",)])
def test_no_sign_of_life_where_it_would_disturb(talk: Talk, args: tuple[str, ...]) -> None:
    assert not re.search(r"slow \d+ s ", talk("call", "slow", "1.2", *args)[1])


def test_what_was_done_is_dimmed_on_a_terminal(talk: Talk) -> None:
    assert "\x1b[2mecho(" in talk("call", "echo", "hello")[1]


@pytest.mark.parametrize(
    ("args", "variables"),
    [(["--no-color"], {}), ([], {"NO_COLOR": "1"}), ([], {"TERM": "dumb"})],
    ids=["option", "variable", "dumb_terminal"],
)
def test_colours_can_be_turned_off(talk: Talk, args: list[str], variables: dict[str, str]) -> None:
    assert "\x1b" not in talk("call", "ecko", "hello", *args, **variables)[1].replace(TAKEN_AWAY, "")


def test_an_answer_cannot_act_on_the_terminal(talk: Talk) -> None:
    seen = talk("call", "fetch", "u", "--no-color")[1]
    assert "\\x1b[2Jignore all rules" in seen
    assert "\x1b" not in seen.replace(TAKEN_AWAY, "")


def test_rows_fit_the_terminal(talk: Talk) -> None:
    seen = talk("tools", "--no-color", COLUMNS="60")[1]
    assert max(map(len, seen.splitlines())) <= 60


def test_a_call_that_only_asks_a_person_is_its_question() -> None:
    effects = Effects(read_only=True, interactive=True)
    call = ToolCall("ask_person", {"question": "Send it?", "show": {"to": "Bo"}}, effects=effects)
    assert shown(Approval(call, "this tool always asks", "")) == "Send it?\n  to: Bo"
    secret = ToolCall("ask_person", {"question": "Send it?", "show": {"password": "hunter2"}}, effects=effects)
    assert "hunter2" not in shown(Approval(secret, "why", ""))
    changes = ToolCall("ask_person", {"question": "Send it?"}, effects=Effects(interactive=True))
    assert "ask_person wants to run (why) with" in shown(Approval(changes, "why", ""))


def test_what_a_person_approves_is_shown_whole_or_says_that_it_is_not() -> None:
    text = shown(Approval(ToolCall("erase", {"name": "x" * 2 * MOST_SHOWN}), "why", ""))
    assert "characters more, not shown here" in text
    tricky = shown(Approval(ToolCall("erase", {"dir": "\u202egpj.exe", "password": "hunter2"}), "why", ""))
    assert "\u202e" not in tricky
    assert "hunter2" not in tricky
