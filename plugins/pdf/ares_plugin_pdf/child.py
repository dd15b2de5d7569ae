"""The worker process: fed with a file, heard line by line, and killed when its time is up."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, BinaryIO, Literal

from msgspec import Struct

from ares_core import ToolError

HERE = os.path.dirname(os.path.abspath(__file__))
START = (
    "import sys, types; sys.path[:] = sys.argv[2:]; package = types.ModuleType('ares_plugin_pdf'); "
    "package.__path__ = [sys.argv[1]]; sys.modules[package.__name__] = package; "
    "from ares_plugin_pdf.worker.start import main; main()"
)
"""Loads the files of ``worker`` without this package's own start, and Ares, around them."""
PASSED_ON = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")
"""What an interpreter may need to start; nothing else of our environment goes to it."""
LONGEST_START = 10.0
GLANCE = 0.05
"""Seconds between two looks at the clock and at whether anybody still waits."""
PIECE = 65_536
Stopped = Literal["", "deadline", "output", "cancelled"]


class Terms(Struct):
    """How long the work may take, until when everything must be over, how much may be said, who still waits."""

    seconds: float
    latest: float
    most: int
    cancelled: Callable[[], bool] = lambda: False


class Heard(Struct):
    """What the worker said, and why it was stopped, if it was."""

    messages: list[dict[str, Any]]
    stopped: Stopped


def ask(request: Mapping[str, Any], file: Iterable[bytes], terms: Terms) -> Heard:
    """Start a worker, hand it the request and the pieces of the file, and hear it to its end."""
    theirs_in, ours_in = os.pipe()
    ours_out, theirs_out = os.pipe()
    with open(ours_in, "wb", buffering=0) as given, open(ours_out, "rb", buffering=0) as said:
        try:
            process = _start(theirs_in, theirs_out)
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        watch = _Watch(process, terms)
        try:
            with suppress(BrokenPipeError):  # a worker that has ended, or was killed, takes no more
                _feed(given, request, file)
            given.close()
            return watch.hear(said)
        finally:
            watch.end()


def _start(given: int, said: int) -> subprocess.Popen[bytes]:
    """Start the worker with two ends of pipes; our modules come from where we have them, without the working folder."""
    searched = [path for path in sys.path if os.path.isabs(path) and not _is_here(path)]
    try:
        return subprocess.Popen(  # noqa: S603 - nothing of the request is in the command
            [sys.executable, "-I", "-S", "-B", "-X", "utf8", "-c", START, HERE, *searched],
            stdin=given, stdout=said, stderr=subprocess.DEVNULL, cwd=os.path.abspath(os.sep),
            env={name: os.environ[name] for name in PASSED_ON if name in os.environ}, start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise ToolError(
            f"the process that reads PDF files can't be started: {error.strerror or error}. Nothing was read.",
            blame="world",
        ) from error


def _is_here(path: str) -> bool:
    try:
        return os.path.samefile(path, os.curdir)
    except OSError:
        return False


def _feed(given: BinaryIO, request: Mapping[str, Any], file: Iterable[bytes]) -> None:
    given.write(json.dumps(request).encode() + b"\n")
    for piece in file:
        view = memoryview(piece)
        while view:
            view = view[given.write(view) :]


class _Watch:
    """Looks at the clock while others wait, and kills the worker when it is time."""

    def __init__(self, process: subprocess.Popen[bytes], terms: Terms) -> None:
        self.process = process
        self.terms = terms
        self.until = min(terms.latest, time.monotonic() + LONGEST_START)
        self.stopped: Stopped = ""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def hear(self, said: BinaryIO) -> Heard:
        """Read messages to the end; the clock of the work starts with the first."""
        messages: list[dict[str, Any]] = []
        rest, room = bytearray(), self.terms.most
        while piece := said.read(min(PIECE, room + 1)):
            room -= len(piece)
            rest += piece
            if b"\n" in piece:
                if not messages:
                    self.until = min(self.terms.latest, time.monotonic() + self.terms.seconds)
                *lines, rest = rest.split(b"\n")
                messages += map(json.loads, lines)
            if room < 0:
                self.stopped = self.stopped or "output"
                break
        return Heard(messages, self.stopped)

    def end(self) -> None:
        """Make sure that nothing of the worker is left."""
        self._over.set()
        self._thread.join()
        self._kill()
        self.process.wait()

    def _look(self) -> None:
        while not self._over.wait(GLANCE):
            if time.monotonic() >= self.until or self.terms.cancelled():
                self.stopped = "deadline" if time.monotonic() >= self.until else "cancelled"
                self._kill()
                return

    def _kill(self) -> None:
        if sys.platform == "win32":
            self.process.kill()
            return
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)


__all__ = ["Heard", "Terms", "ask"]
