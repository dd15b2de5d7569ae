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
from typing import Any, Literal

from msgspec import Struct

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
    searched = [path for path in sys.path if path and os.path.isabs(path) and path != os.getcwd()]
    process = subprocess.Popen(  # noqa: S603 - the file goes through the pipe, and nothing of it into the command
        [sys.executable, "-I", "-S", "-B", "-X", "utf8", "-c", START, HERE, *searched],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=os.path.abspath(os.sep),
        env={name: os.environ[name] for name in PASSED_ON if name in os.environ}, start_new_session=True,
    )  # fmt: skip
    watch = _Watch(process, terms)
    try:
        _feed(process, request, file)
        return watch.hear()
    finally:
        watch.end()


def _feed(process: subprocess.Popen[bytes], request: Mapping[str, Any], file: Iterable[bytes]) -> None:
    """Hand everything over; a worker that has ended, or was killed, takes nothing any more."""
    assert process.stdin is not None
