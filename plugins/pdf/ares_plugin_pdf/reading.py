"""From the arguments of a call to its result: the file is read by a worker, and what it says is put together."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, BinaryIO

from ares_core import ToolContext, ToolError
from ares_plugin_pdf import child, ranges
from ares_plugin_pdf.answer import put_together
from ares_plugin_pdf.settings import Settings

OPERATIONS = {
    "text": "text extract_text extracttext extract read get_text",
    "metadata": "metadata info meta properties document_info",
    "outline": "outline outlines bookmarks toc contents table_of_contents",
    "form_fields": "form_fields formfields fields forms form get_form_fields",
}
PIECE = 262_144
HEAD = 1_024
"""Bytes among which the mark of a PDF stands; readers allow something before it."""
MARGIN = 0.2
"""Seconds before the deadline of the call at which reading ends, so that its result still counts."""
MEGABYTE = 1_000_000
BYTES_PER_CHARACTER = 12
"""In a message; halves of rare characters are written as escapes."""


def run(arguments: Mapping[str, Any], context: ToolContext, settings: Settings) -> dict[str, Any]:
    """Read what is asked for."""
    path: str = arguments["path"]
    operation = _operation(arguments["operation"])
    spans = _spans(operation, arguments.get("pages"))
    request = {
        "operation": operation, "spans": spans, "password": arguments.get("password"), "seconds": settings.seconds,
        "memory": settings.memory_mb * MEGABYTE, "unpacked": settings.max_unpacked_mb * MEGABYTE,
        "most_pages": settings.max_pages, "most_characters": settings.max_characters,
    }  # fmt: skip
    try:
        with context.files.open(path) as file:
            pieces = _pieces(path, file, settings)
            first = next(pieces)  # what is no PDF needs no worker
            heard = child.ask(request, chain([first], pieces), _terms(context, settings))
    except OSError as error:
        raise ToolError(
            f"can't read {path}: {error.strerror or error}. Nothing was read.", hint="Check the path.", blame="input"
        ) from error
    return {"operation": operation, "path": path, **put_together(path, operation, spans, heard, settings)}


def _operation(given: str) -> str:
    folded = "_".join(given.replace("-", " ").replace("_", " ").lower().split())
    for name, words in OPERATIONS.items():
        if folded in words.split():
            return name
    raise ToolError(
        f"the operation {given!r} is not known; there are {', '.join(OPERATIONS)}. Nothing was read.", blame="input"
    )


def _spans(operation: str, pages: str | int | list[int | str] | None) -> list[ranges.Span]:
    if pages is not None and operation != "text":
        raise ToolError(f"{operation} is about the whole document; leave 'pages' out. Nothing was read.", blame="input")
    listed = [pages] if isinstance(pages, int) else pages or ()
    text = pages.strip().strip("[]") if isinstance(pages, str) else ",".join(map(str, listed))
    try:
        return ranges.parse(text or "all")
    except ValueError as error:
        raise ToolError(f"{error}. Nothing was read.", blame="input") from None


def _terms(context: ToolContext, settings: Settings) -> child.Terms:
    latest = time.monotonic() + max(0.0, context.remaining - MARGIN)
    most = settings.max_characters * BYTES_PER_CHARACTER + 4 * MEGABYTE
    return child.Terms(settings.seconds, latest, most, lambda: context.cancelled)


def _pieces(path: str, file: BinaryIO, settings: Settings) -> Iterator[bytes]:
    """Read the file in pieces, as far as it is a PDF and not too large."""
    seen = 0
    while piece := file.read(PIECE):
        if not seen and b"%PDF-" not in piece[:HEAD]:
            raise _no_pdf(path, piece)
        seen += len(piece)
        if seen > settings.max_mb * MEGABYTE:
            raise ToolError(
                f"{path} is larger than the {settings.max_mb:,} MB that are read; nothing was read.",
                hint="The operator can raise pdf.max_mb.",
                blame="input",
            )
        yield piece
    if not seen:
        raise ToolError(f"{path} is empty: it has 0 bytes. Nothing was read.", blame="input")


def _no_pdf(path: str, head: bytes) -> ToolError:
    start = " ".join(head[:40].decode("ascii", "replace").replace("\ufffd", "?").split())
    return ToolError(f"{path} is not a PDF (it starts with {start!r}). Nothing was read.", blame="input")


__all__ = ["OPERATIONS", "run"]
