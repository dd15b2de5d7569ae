"""A command whose stdin, stdout or stderr is closed from the start still does its work and tells by its exit code."""

from __future__ import annotations

import subprocess

import pytest


def ended(command: list[str], *args: str, closing: str) -> subprocess.CompletedProcess[str]:
    line = ["sh", "-c", f'exec "$@" {closing}', "sh", *command, *args]
    return subprocess.run(line, capture_output=True, check=False, timeout=240, text=True)


@pytest.mark.parametrize("args", [["call", "echo", "hello"], ["call", "echo", "hello", "--json"], ["--help"]])
def test_nowhere_to_write_an_answer_is_no_failure(command: list[str], args: list[str]) -> None:
    done = ended(command, *args, closing=">&-")
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


def test_nowhere_to_write_an_error_keeps_the_exit_code_and_stdout_clean(command: list[str]) -> None:
    done = ended(command, "call", "nothing_of_that_name", closing="2>&-")
    assert (done.returncode, done.stdout) == (2, "")


def test_nothing_to_read_from_is_an_empty_stdin(command: list[str]) -> None:
    done = ended(command, "call", "echo", "--args", "-", closing="<&-")
    assert done.returncode == 2
    assert "/text: expected string, got nothing" in done.stderr


def test_with_both_closed_the_exit_code_is_left(command: list[str]) -> None:
    assert ended(command, "call", "echo", "hello", closing=">&- 2>&-").returncode == 0
