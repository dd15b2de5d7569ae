"""Writing: answers and documents to stdout, everything else to stderr; colours only on a terminal."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import IO, Any

import click

from ares_core.cli.options import Options
from ares_core.hints import for_person

DIM, RED = "2", "31"
ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that act on a terminal, or let text stand elsewhere than where it is."""


def prepare() -> None:
    """Let a stream that can't write some character write its code instead of failing; put one where there is none."""
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_RDONLY), encoding="utf-8")
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # it was closed before the start
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def answer(text: str) -> None:
    """Write an answer to stdout; on a terminal without the characters that could act on it."""
    _write(sys.stdout, printable(text) if is_terminal(sys.stdout) else text)


def document(value: Any) -> None:
    """Write one JSON document to stdout."""
    _write(sys.stdout, json_text(value, ascii_only=not _is_utf8(sys.stdout)))


def json_text(value: Any, *, indent: int | None = 2, ascii_only: bool = False) -> str:
    """Write any value as JSON."""
    import json

    from ares_core.call.plain import plain

    return json.dumps(plain(value), indent=indent, ensure_ascii=ascii_only)


def note(text: str) -> None:
    """Write to stderr what was done, unless only answers are wanted."""
    options = _options()
    if not options.quiet:
        _write(sys.stderr, _painted(printable(for_person(text)), DIM, sys.stderr, options))


def error(text: str, options: Options | None = None) -> None:
    """Write to stderr what went wrong."""
    _write(sys.stderr, _painted(printable(for_person(text)), RED, sys.stderr, options or _options()))


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write rows in columns to stdout; on a terminal each row takes one line."""
    lines = [tuple(header), *(tuple(" ".join(printable(cell).split()) for cell in row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header) - 1)]
    for number, line in enumerate(lines):
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=False)]
        text = _fitted("  ".join([*cells, line[-1]]).rstrip())
        _write(sys.stdout, text if number else _painted(text, DIM, sys.stdout, _options()))


def printable(text: str) -> str:
    """Show characters that could act on a terminal by their codes.

    >>> printable("a\\x1b[2Jb\\u202ec")
    'a\\\\x1b[2Jb\\\\u202ec'
    """
    return ACTING.sub(lambda found: found.group().encode("unicode_escape").decode(), text)


def is_terminal(stream: IO[str]) -> bool:
    """Whether a person sits at the other end."""
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


def _write(stream: IO[str], text: str) -> None:
    stream.write(f"{text}\n")


def _fitted(text: str) -> str:
    if not is_terminal(sys.stdout):
        return text
    import shutil

    width = shutil.get_terminal_size().columns
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _painted(text: str, colour: str, stream: IO[str], options: Options) -> str:
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or options.no_color
    return text if plain or not is_terminal(stream) else f"\x1b[{colour}m{text}\x1b[0m"


def _is_utf8(stream: IO[str]) -> bool:
    return (getattr(stream, "encoding", None) or "").lower().replace("-", "") in ("utf8", "utf8sig")


def _options() -> Options:
    context = click.get_current_context(silent=True)
    return (context.find_root().find_object(Options) if context else None) or Options()
