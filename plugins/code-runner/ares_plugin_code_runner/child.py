"""One child process: its pipes are read within bounds, and all of it is killed in the end."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal

from msgspec import Struct

from ares_plugin_code_runner.ran import MOST_OUTPUT

PIECE = 65_536
GLANCE = 0.05
"""Seconds between two looks at whether anybody still waits."""
LONGEST_END = 2.0
"""Seconds that the kernel may take to clear away what was killed."""
Stopped = Literal["", "deadline", "output", "cancelled"]


class Outcome(Struct):
    """What a child left behind: what it wrote, what it reported, how it ended, and why it was stopped."""

    stdout: bytes
    stderr: bytes
    reports: dict[str, Any]
    exit_code: int
    stopped: Stopped


def run(
    command: Sequence[str], request: Mapping[str, Any], until: float, keep: int, cancelled: Callable[[], bool]
) -> Outcome:
    """Run a command until it ends, or until the clock, a flood of output or the caller stops it.

    The child reads the request from its standard input, and reports to the descriptor whose number is its last
    argument. Nothing of our environment, working folder and open files goes to it.
    """
    reports, theirs = os.pipe()
    try:
        with os.fdopen(os.memfd_create("request"), "w+b", buffering=0) as given:
            given.write(json.dumps(request).encode())
            given.seek(0)
            process = subprocess.Popen(  # noqa: S603 - the command is ours, the snippet is in the request
                [*command, str(theirs)], stdin=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                pass_fds=(theirs,), env={}, cwd="/", start_new_session=True,
            )  # fmt: skip
        os.close(theirs)
        theirs = -1
        return _watch(process, reports, until, keep, cancelled)
    finally:
        os.close(reports)
        if theirs >= 0:
            os.close(theirs)


def _watch(
    process: subprocess.Popen[bytes], reports: int, until: float, keep: int, cancelled: Callable[[], bool]
) -> Outcome:
    stdout, stderr, told = bytearray(), bytearray(), bytearray()
    assert process.stdout and process.stderr  # noqa: S101 - both are pipes
    pipes = {process.stdout.fileno(): stdout, process.stderr.fileno(): stderr, reports: told}
    stopped: Stopped = "cancelled"
    try:
        stopped = _read(pipes, until, keep, cancelled) or _end(process.pid, until)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.stdout.close()
        process.stderr.close()
        process.wait(LONGEST_END)
    return Outcome(bytes(stdout), bytes(stderr), _reports(told), process.returncode, stopped)


def _read(pipes: Mapping[int, bytearray], until: float, keep: int, cancelled: Callable[[], bool]) -> Stopped:
    """Read all pipes to their ends; what is over ``keep`` bytes is counted and dropped."""
    seen = 0
    with selectors.DefaultSelector() as selector:
        for pipe, kept in pipes.items():
            selector.register(pipe, selectors.EVENT_READ, kept)
        while selector.get_map():
            left = until - time.monotonic()
            if left <= 0 or seen > MOST_OUTPUT or cancelled():
                return "deadline" if left <= 0 else "output" if seen > MOST_OUTPUT else "cancelled"
            for key, _ in selector.select(min(left, GLANCE)):
                piece = os.read(key.fd, PIECE)
                if not piece:
                    selector.unregister(key.fd)
                seen += len(piece)
                key.data.extend(piece[: max(0, keep + 1 - len(key.data))])
    return ""


def _end(leader: int, until: float) -> Stopped:
    """Wait for the end of a child that has closed its pipes; it is not cleared away yet, so that its group is ours."""
    while os.waitid(os.P_PID, leader, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if time.monotonic() >= until:
            return "deadline"
        time.sleep(0.001)
    return ""


def _reports(told: bytes | bytearray) -> dict[str, Any]:
    """Join the reports, one JSON object a line; a line that is cut off is none."""
    joined: dict[str, Any] = {}
    for line in bytes(told).splitlines():
        with suppress(ValueError):
            joined |= json.loads(line)
    return joined


__all__ = ["Outcome", "Stopped", "run"]
