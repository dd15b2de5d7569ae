"""One page of a file, as text or as bytes."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from ares_core import ToolError, counted
from ares_plugin_files.encodings import GUESS, Encoding, kind_of, named, recognise
from ares_plugin_files.pages import PAGE, by_bytes, by_lines, check_offset, going_on
from ares_plugin_files.source import Source

MOST_TO_HASH = 16_777_216


def page_of(source: Source, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Give the page that is asked for; ``next`` holds the arguments of the page after it."""
    name, offset, limit = arguments.get("encoding"), arguments.get("offset", 0), arguments.get("limit")
    if name in ("base64", "hex"):
        page = _raw(source, name, offset, limit or PAGE)
    else:
        encoding = named(name, source.head) if name else _recognised(source)
        pages = by_bytes if arguments.get("unit") == "bytes" else by_lines
        try:
            page = pages(source, encoding, offset, limit)
        except UnicodeDecodeError as error:
            if name:
                raise _undecodable(source, name, error) from None
            page = pages(source, Encoding("latin-1", "latin-1", note=GUESS), offset, limit)
    return {"operation": "read", "path": source.path, **page, "size": source.size}


def _raw(source: Source, name: str, offset: int, limit: int) -> dict[str, Any]:
    check_offset(source, offset, source.size, "bytes")
    data = source.piece(offset, limit)
    content = data.hex() if name == "hex" else base64.b64encode(data).decode("ascii")
    page = {"content": content, "encoding": name, "unit": "bytes", "offset": offset, "bytes": len(data)}
    return page | going_on(source, "bytes", offset + len(data), offset + len(data))


def _recognised(source: Source) -> Encoding:
    encoding = recognise(source.head, is_whole=source.is_small)
    if encoding is not None:
        return encoding
    digest = f", sha256 {_sha256(source)}" if source.size <= MOST_TO_HASH else ""
    raise ToolError(
        f"{source.path} is a binary file, {kind_of(source.head)}, of {counted(source.size, 'byte')}{digest}; it is not "
        "shown as text.",
        hint="Use encoding 'hex' or 'base64' to see its bytes, hash_tool to compare it, or a tool for its type.",
        blame="input",
    )


def _sha256(source: Source) -> str:
    import hashlib

    return hashlib.sha256(source.piece(0, source.size), usedforsecurity=False).hexdigest()


def _undecodable(source: Source, name: str, error: UnicodeDecodeError) -> ToolError:
    found = recognise(source.head, is_whole=source.is_small)
    hint = f"Leave 'encoding' out; it looks like {found.name}." if found else "Use encoding 'hex' to see its bytes."
    what = error.object[error.start : error.end][:4].hex(" ")
    return ToolError(
        f"{source.path} is no {name} text: {error.reason} ({what}); nothing is shown.", hint=hint, blame="input"
    )


__all__ = ["page_of"]
