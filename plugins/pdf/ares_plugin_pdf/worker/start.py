"""The worker's own start: its limits, the request and the file from standard input, and messages line by line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO

from ares_plugin_pdf import ranges
from ares_plugin_pdf.worker import document, facts, text
from ares_plugin_pdf.worker.problems import problem_of

SPARE_SECONDS = 15
DEATH_SIGNAL = 1


def main() -> None:
    """Read a request (one line of JSON) and a file, and tell what is found, one JSON object a line."""
    given, told = sys.stdin.buffer, sys.stdout.buffer
    _die_with_parent()
    request = json.loads(given.readline())
    _limit(request)
    _tell(told, {"started": True})
    data = b""
    try:
        data = given.read()
        for message in _messages(request, data):
            _tell(told, message)
    except Exception as error:
        _tell(told, {"problem": problem_of(error, data).told()})


def _tell(told: BinaryIO, message: dict[str, Any]) -> None:
    told.write(json.dumps(message).encode() + b"\n")
    told.flush()


def _die_with_parent() -> None:
    """Have the kernel end this process when whoever waits for it has ended; elsewhere than on Linux its limits do."""
    if sys.platform == "linux":
        import ctypes
        import signal

        ctypes.CDLL(None).prctl(DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def _limit(request: dict[str, Any]) -> None:
    """Give up memory, processor time and files for good, where the system knows how."""
    import pypdf  # noqa: F401 - it may still read its own files now

    document.set_limits(request["unpacked"])
    try:
        import resource
    except ImportError:
        return
    seconds = int(request["seconds"]) + SPARE_SECONDS
    for name, value in (("AS", request["memory"]), ("CPU", seconds), ("FSIZE", 0), ("CORE", 0)):
        kind = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(kind)[1]
        lowered = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (lowered, lowered))


def _messages(request: dict[str, Any], data: bytes) -> Iterator[dict[str, Any]]:
    reader, known = document.opened(data, request["password"])
    yield {"document": known}
    operation = request["operation"]
    if operation == "text":
        pages = ranges.laid_onto([(first, last) for first, last in request["spans"]], known["page_count"])
        for page in text.texts(reader, pages[: request["most_pages"]], request["most_characters"]):
            yield {"page": page}
    elif operation == "metadata":
        own = {"version": document.version(data), "encrypted": known["encrypted"]}
        yield {"metadata": {**own, **facts.metadata(reader)}}
    else:
        found, is_cut = (facts.outline if operation == "outline" else facts.form_fields)(reader)
        yield {operation: found, "is_cut": is_cut}
    yield {"done": True}


__all__ = ["main"]
