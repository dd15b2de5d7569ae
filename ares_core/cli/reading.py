"""What a command line is given to read: arguments in a file or on stdin, and requests in words."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence

import click

LARGEST = 16_000_000
HALF = re.compile("[\ud800-\udfff]")


def read_text(given: str, option: str = "--args") -> str:
    """Give the text that was given, that a file holds (``@FILE``), or that comes from stdin (``-``)."""
    if given != "-" and not given.startswith("@"):
        return given
    return _decoded("" if given == "-" else given[1:], option)


def words(request: Sequence[str]) -> str:
    """Give a request in words: its parts with spaces between them, or what stdin holds if it is a single ``-``."""
    text = _decoded("", "REQUEST") if list(request) == ["-"] else " ".join(request)
    if HALF.search(text):
        raise click.UsageError("REQUEST is no UTF-8 text.")
    return text


def _decoded(name: str, what: str) -> str:
    """Read a file, or stdin if it has no name."""
    called = name or "stdin"
    try:
        raw = _read(name)
        if len(raw) > LARGEST:
            raise click.UsageError(f"{what}: {called} is larger than {LARGEST:,} bytes.")
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{what}: {called} is no UTF-8 text (byte {error.start}).") from None
    except (OSError, ValueError) as error:  # a name may hold a null byte
        why = getattr(error, "strerror", None) or error
        raise click.UsageError(f"{what}: {called} can't be read ({why}).") from None


def _read(name: str) -> bytes:
    if not name:
        return sys.stdin.buffer.read(LARGEST + 1)
    with open(os.path.expanduser(name), "rb") as file:
        return file.read(LARGEST + 1)
