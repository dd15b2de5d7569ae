"""What became of a snippet, whichever engine ran it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

MOST_OUTPUT = 1_000_000
"""Bytes that a snippet may write before it is stopped; less is kept."""


class Terms(Struct):
    """How long a snippet may run, until when everything must be over, how many bytes are kept, who still waits."""

    seconds: float
    latest: float
    keep: int
    cancelled: Callable[[], bool]


class Ran(Struct):
    """One run: what was printed and given, and why it did not succeed, if so."""

    engine: str
    stdout: str = ""
    stderr: str = ""
    value: Any = None
    exit_code: int | None = None
    isolation: tuple[str, ...] = ()
    is_cut: dict[str, bool] = {}
    failure: str = ""
    hint: str = ""


def kept(data: bytes | str, most: int) -> tuple[str, bool]:
    r"""Give the beginning of a text, and whether anything was cut; half a character at the cut goes too.

    >>> kept("\u20acuro".encode(), 2)
    ('', True)
    """
    raw = data.encode("utf-8", "replace") if isinstance(data, str) else data
    if len(raw) <= most:
        return raw.decode("utf-8", "replace"), False
    return raw[:most].decode("utf-8", "ignore"), True


def too_slow(seconds: float) -> str:
    """Say that time was up."""
    return f"The code was stopped after {seconds:g} s, the limit; nothing of it runs any more"


FASTER = "Make it do less, or let the operator raise code_runner.seconds."
TOO_MUCH = f"The code was stopped: it wrote more than {MOST_OUTPUT:,} bytes"
LESS = "Print only what is needed."

__all__ = ["FASTER", "LESS", "MOST_OUTPUT", "TOO_MUCH", "Ran", "Terms", "kept", "too_slow"]
