"""``ares run``: the answer on stdout, what was done on stderr, exit codes, and an end that leaves nothing open."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CALLS = [("c1", "calculator", {"expression": "2**10"}), ("c2", "calculator", {"expression": "1/0"})]
HEARS_CTRL_C = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); sys.argv[0] = 'ares'; "
    "from ares_core.cli import main; main()"
)
"""A process that was started in the background of a shell does not hear Ctrl-C."""
Ended = subprocess.CompletedProcess[str]


@pytest.fixture
def run(world: Any, tmp_path: Path) -> Callable[..., Ended]:
    """Runs ``ares run`` against a provider, without a terminal."""

    def ares(provider: Any, *words: str, **options: Any) -> Ended:
        where = ("--model", "openai:test", "--base-url", provider.url) if provider else ()
        command = [sys.executable, "-m", "ares_core", "run", *words, *where]
        return subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, timeout=240, check=False, **options
        )

    return ares


def test_a_pipe_gets_the_answer_and_nothing_else(world: Any, openai: Any, run: Any) -> None:
    provider = world.provider(openai.step("Let me see.", CALLS), openai.step("It is 1024."))
    ended = run(provider, "2**10?")
    assert (ended.returncode, ended.stdout) == (0, "It is 1024.\n")
    assert 'calculator(expression="2**10") in' in ended.stderr
    assert "tool_error" in ended.stderr
    assert "Let me see" not in ended.stdout + ended.stderr


def test_json_is_one_document_that_can_be_gone_on_with(world: Any, openai: Any, run: Any, tmp_path: Path) -> None:
    provider = world.provider(openai.step("Hello."), openai.step("Bye."))
    ended = run(provider, "Hi.", "--json")
    document = json.loads(ended.stdout)
    assert (ended.returncode, document["success"], document["outcome"]) == (0, True, "final")
    assert (document["text"], document["error"], document["turns"]) == ("Hello.", None, 1)
    (tmp_path / "state.json").write_text(ended.stdout)
    assert run(provider, "And?", "--state", "state.json").stdout == "Bye.\n"
    assert [message["content"] for message in provider.asked[1]["messages"]] == ["Hi.", "Hello.", "And?"]
    assert (tmp_path / "state.json").stat().st_mode & 0o077 == 0


def test_a_request_comes_from_stdin_too(world: Any, openai: Any, run: Any) -> None:
    provider = world.provider(openai.step("Hello."))
    assert run(provider, "-", input="Hi there.").returncode == 0
    assert provider.asked[0]["messages"][-1]["content"] == "Hi there."


@pytest.mark.parametrize(("words", "said"), [
    (("hi", "--model", "openai:gpt-4o"), "OPENAI_API_KEY"), (("hi",), "no model"), ((), "Say what to do"),
    (("hi", "--model", "openai:m", "--base-url", "ftp://x"), "no address"),
    (("hi", "--model", "m", "--base-url", "http://localhost:1", "--tools", "nothing"), "nothing"),
    (("hi", "--model", "m", "--base-url", "http://localhost:1", "--max-iterations", "0"), "max-iterations"),
    (("hi", "--model", "m", "--base-url", "http://localhost:1", "--state", "none/x"), "none/x can't be written"),
])  # fmt: skip
def test_what_is_wrong_with_the_command_line_is_exit_code_2(
    run: Any, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    ended = run(None, *words)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert said in ended.stderr


def test_a_run_without_an_answer_is_exit_code_1(world: Any, openai: Any, run: Any) -> None:
    provider = world.provider(openai.failing(401))
    ended = run(provider, "Hi.")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "401" in ended.stderr
    document = json.loads(run(provider, "Hi.", "--json").stdout)
    assert (document["success"], document["error"]["code"]) == (False, "failed")


def test_only_the_tools_and_turns_that_are_wanted(world: Any, openai: Any, run: Any) -> None:
    count = iter(range(100))
    provider = world.provider(lambda body: openai.step(calls=[("c", "calculator", {"expression": f"{next(count)}+1"})]))
    ended = run(provider, "Go.", "--tools", "calculator,regex", "--max-iterations", "2", "--session", "mine")
    assert ended.returncode == 1
    assert "2 turns" in ended.stderr
    assert [tool["function"]["name"] for tool in provider.asked[0]["tools"]] == ["calculator", "regex"]


def test_ctrl_c_ends_the_run_and_leaves_no_call_unanswered(world: Any, openai: Any, tmp_path: Path) -> None:
    endless = openai.step("word " * 200)
    endless.pause = 0.2
    provider = world.provider(openai.step(calls=CALLS), endless)
    words = ["run", "Hi.", "--model", "m", "--base-url", provider.url, "--json"]
    running = subprocess.Popen(
        [sys.executable, "-c", HEARS_CTRL_C, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=tmp_path,
        start_new_session=True, text=True,
    )  # fmt: skip
    until = time.monotonic() + 240
    while len(provider.asked) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.5)
    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=240)
    document = json.loads(out)
    assert (running.returncode, document["outcome"]) == (130, "cancelled")
    sent = {"messages": document["state"]["messages"]}
    assert [id for id, _ in openai.answers(sent)] == openai.called(sent) == ["c1", "c2"]


def test_on_a_terminal_words_stream_and_long_work_shows_a_sign_of_life(world: Any, openai: Any, tmp_path: Path) -> None:
    sign_was_seen = threading.Event()

    def slow(body: Any) -> Any:
        sign_was_seen.wait(100)
        return openai.step("one two three four\x1b[2J", pause=0.02)

    provider = world.provider(openai.step("Let me see.", CALLS), slow)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "ares_core", "run", "Hi.", "--model", "m", "--base-url", provider.url]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    running = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=tmp_path, env=environment)
    os.close(theirs)
    seen = seen_on(ours, b"the model", sign_was_seen)
    assert running.wait(240) == 0
    assert "Let me see." in seen
    assert 'calculator(expression="2**10") in' in seen
    assert "the model" in seen
    assert "one two three four\\x1b[2J" in seen
    assert seen.count("one two three") == 1


def seen_on(terminal: int, sign: bytes, was_seen: threading.Event) -> str:
    """Give everything that a terminal shows until the other end is closed; tell when a sign is there."""
    seen, until = b"", time.monotonic() + 240
    while time.monotonic() < until:
        if not select.select([terminal], [], [], 0.5)[0]:
            continue
        try:
            part = os.read(terminal, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
        if sign in seen:
            was_seen.set()
    os.close(terminal)
    return seen.decode()
