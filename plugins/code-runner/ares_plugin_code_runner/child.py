"""One child process: its pipes are read within bounds, and all of it is killed in the end."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import Any, Literal

from msgspec import Struct

from ares_plugin_code_runner.ran import MOST_OUTPUT, Terms

NAMES = ("stdout", "stderr", "reports")
PIECE = 65_536
GLANCE = 0.05
"""Seconds between two looks at whether anybody still waits."""
LONGEST_START = 10.0
LONGEST_END = 0.3
"""Seconds that clearing away may take."""
Stopped = Literal["", "deadline", "output", "cancelled"]


class Outcome(Struct):
    """What a child left behind: what it wrote, what it reported, how it ended, and why it was stopped."""

    stdout: bytes
    stderr: bytes
    reports: dict[str, Any]
    exit_code: int
    stopped: Stopped


def run(command: Sequence[str], request: Mapping[str, Any], terms: Terms) -> Outcome:
    """Run a command until it ends, or until the clock, a flood of output or the caller stops it.

    The child reads the request from its standard input, and reports to the descriptor whose number is its last
    argument; its time runs from its first report. Nothing of our environment, working folder and files goes to it.
    """
    with ExitStack() as stack:
        pipes = {}
        with ExitStack() as theirs:
            ends = {}
            for name in NAMES:
                pipes[name], ends[name] = os.pipe()
                stack.callback(os.close, pipes[name])
                theirs.callback(os.close, ends[name])
            given = theirs.enter_context(os.fdopen(os.memfd_create("request"), "w+b", buffering=0))
            given.write(json.dumps(request).encode())
            given.seek(0)
            process = subprocess.Popen(  # noqa: S603 - the command is ours, the snippet is in the request
                [*command, str(ends["reports"])], stdin=given, stdout=ends["stdout"], stderr=ends["stderr"],
                pass_fds=(ends["reports"],), env={}, cwd="/", start_new_session=True,
            )  # fmt: skip
        return _Watch(process, pipes, terms).outcome()


class _Watch:
    """A child that runs, what has come from it so far, and until when it may run."""

    def __init__(self, process: subprocess.Popen[bytes], pipes: Mapping[str, int], terms: Terms) -> None:
        self.process = process
        self.pipes = pipes
        self.terms = terms
        self.taken = {name: bytearray() for name in pipes}
        self.seen = 0
        self.until = min(terms.latest, time.monotonic() + LONGEST_START)

    def outcome(self) -> Outcome:
        """Read it to its end, and make sure that it is one."""
        stopped: Stopped = "cancelled"
        try:
            stopped = self._read() or ("" if self._ends(self.until) else "deadline")
        finally:
            self._kill()
        stdout, stderr, reports = (bytes(self.taken[name]) for name in NAMES)
        return Outcome(stdout, stderr, _joined(reports), self.process.returncode, stopped)

    def _read(self) -> Stopped:
        with selectors.DefaultSelector() as selector:
            for name, pipe in self.pipes.items():
                selector.register(pipe, selectors.EVENT_READ, name)
            while selector.get_map():
                if stopped := self._is_over():
                    return stopped
                for key, _ in selector.select(GLANCE):
                    piece = os.read(key.fd, PIECE)
                    if not piece:
                        selector.unregister(key.fd)
                    self._take(key.data, piece)
        return ""

    def _is_over(self) -> Stopped:
        if time.monotonic() >= self.until:
            return "deadline"
        if self.seen > MOST_OUTPUT:
            return "output"
        return "cancelled" if self.terms.cancelled() else ""

    def _take(self, name: str, piece: bytes) -> None:
        """Keep the beginning, one byte more than is asked for, so that a cut can be told; count the rest."""
        taken = self.taken[name]
        if name == "reports" and not taken and piece:
            self.until = min(self.terms.latest, time.monotonic() + self.terms.seconds)
        self.seen += len(piece)
        taken += piece[: max(0, self.terms.keep + 1 - len(taken))]

    def _ends(self, until: float) -> bool:
        """Wait for the end; it is not cleared away yet, so that the number of its group is not given to others."""
        while os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            if time.monotonic() >= until:
                return False
            time.sleep(0.001)
        return True

    def _kill(self) -> None:
        """Have the child clear away what it started, and kill it with its whole group, whatever it answers."""
        with suppress(ProcessLookupError):
            os.kill(self.process.pid, signal.SIGTERM)
        self._ends(time.monotonic() + LONGEST_END)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def _joined(reports: bytes) -> dict[str, Any]:
    """Join the reports, one JSON object a line; a line that is cut off is none."""
    joined: dict[str, Any] = {}
    for line in reports.splitlines():
        with suppress(ValueError):
            joined |= json.loads(line)
    return joined


__all__ = ["Outcome", "Stopped", "run"]
