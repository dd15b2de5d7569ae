"""What a document says about itself: metadata, outline, form fields."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from ares_plugin_pdf.worker.text import clean

if TYPE_CHECKING:
    from pypdf import PdfReader

LONGEST = 2_000
"""Characters of one value."""
MOST = 500
"""Entries of an outline or a form, and choices of a field."""
WORDS = ("title", "author", "subject", "keywords", "creator", "producer")
IN_NAMES = {"/JavaScript": "JavaScript", "/EmbeddedFiles": "embedded files"}
IN_ROOT = {"/OpenAction": "an action for when it is opened", "/AA": "actions", "/AcroForm": "a form"}
KINDS = {"/Tx": "text", "/Btn": "button", "/Ch": "choice", "/Sig": "signature"}


def metadata(reader: PdfReader) -> dict[str, Any]:
    """Give title, author and the like, times, the size of the first page, and what the file holds."""
    info = reader.metadata
    found = {name: _tried(getattr, info, name) for name in WORDS}
    for name, key in (("created", "creation_date"), ("modified", "modification_date")):
        found[name] = _tried(getattr, info, key) or _tried(getattr, info, f"{key}_raw")
    plain = {name: _plain(value) for name, value in found.items() if value}
    size = _tried(lambda: [round(float(side), 2) for side in reader.pages[0].mediabox[2:4]])
    return {**plain, **({"first_page_points": size} if size else {}), "holds": list(_holds(reader))}


def _holds(reader: PdfReader) -> Iterator[str]:
    """Name what a reader of paper would not expect; none of it is run or unpacked."""
    root = reader.root_object
    names = _tried(root.get, "/Names")
    names = _tried(names.get_object) if names is not None else None
    yield from (word for key, word in IN_NAMES.items() if isinstance(names, dict) and key in names)
    yield from (word for key, word in IN_ROOT.items() if key in root)


def outline(reader: PdfReader) -> tuple[list[dict[str, Any]], bool]:
    """Give the entries of the outline with their levels and pages, and whether some were left out."""
    entries = list(islice(_entries(reader, reader.outline), MOST + 1))
    return entries[:MOST], len(entries) > MOST


def _entries(reader: PdfReader, items: Any) -> Iterator[dict[str, Any]]:
    """Walk the nested lists of the library, without recursion."""
    waiting = [iter(items)]
    while waiting:
        item = next(waiting[-1], None)
        if item is None:
            waiting.pop()
        elif isinstance(item, list):
            waiting.append(iter(item))
        else:
            entry = {"level": len(waiting), "title": _plain(_tried(getattr, item, "title")) or "(no title)"}
            page = _tried(reader.get_destination_page_number, item)
            yield {**entry, "page": page + 1} if isinstance(page, int) and page >= 0 else entry


def form_fields(reader: PdfReader) -> tuple[list[dict[str, Any]], bool]:
    """Give the fields of the form with their kinds, values and choices, and whether some were left out."""
    fields = reader.get_fields() or {}
    written = [_field(str(name), field) for name, field in islice(fields.items(), MOST)]
    return written, len(fields) > MOST


def _field(name: str, field: Any) -> dict[str, Any]:
    kind = KINDS.get(str(field.get("/FT")), "unknown")
    value = _tried(field.get, "/V")
    written: dict[str, Any] = {"name": clean(name)[:LONGEST], "kind": kind, "value": _value(value)}
    choices = _tried(lambda: field.get("/_States_") or field.get("/Opt"))
    if isinstance(choices, list) and kind in ("button", "choice"):
        written["choices"] = [_value(choice) for choice in choices[:MOST]]
    return written


def _value(value: Any) -> Any:
    value = _resolved(value)
    if isinstance(value, list):
        return [_plain(_resolved(item)) for item in value[:MOST]]
    return None if value is None else _plain(value)


def _resolved(value: Any) -> Any:
    """Give what a reference leads to."""
    return _tried(getattr(value, "get_object", lambda: value))


def _plain(value: Any) -> str:
    """Write one value as a short text; names lose their slash."""
    if isinstance(value, datetime):
        return value.isoformat()
    text = "(more)" if isinstance(value, dict) else clean(str(value)[: 2 * LONGEST])[:LONGEST]
    return text.removeprefix("/") if type(value).__name__ == "NameObject" else text


def _tried(read: Callable[..., Any], *arguments: Any) -> Any:
    """Read one thing; what is damaged there is not there."""
    try:
        return read(*arguments)
    except Exception:
        return None


__all__ = ["form_fields", "metadata", "outline"]
