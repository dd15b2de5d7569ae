"""How the text of a file is cut into pages: counted in lines, or in bytes without cutting a character."""

from __future__ import annotations

import codecs
import io
from itertools import accumulate, takewhile
from typing import Any

from ares_core import ToolError, counted
from ares_plugin_files.encodings import Encoding
from ares_plugin_files.schema import MOST_AT_ONCE
from ares_plugin_files.source import Source

PAGE = 24_000
"""Bytes of a page when no limit is given: about what a model's answer has room for."""
MOST_TO_COUNT = 16_777_216
"""Up to this size lines are counted to the end, and files with wide characters are read by lines."""
NEWLINE = b"\n"


def by_bytes(source: Source, encoding: Encoding, offset: int, limit: int | None) -> dict[str, Any]:
    """Give the text from a byte on; it begins and ends with whole characters."""
    check_offset(source, offset, source.size, "bytes")
    start = _aligned(source, encoding, max(offset, len(encoding.mark)))
    size = limit or PAGE
    text, used = _decoded(source, encoding, start, size)
    while not used and start + size < source.size:
        size += 1
        text, used = _decoded(source, encoding, start, size)
    counts = {"unit": "bytes", "offset": start if offset else 0, "bytes": used}
    return _described(encoding, text, counts) | going_on(source, "bytes", start + used, start + used)


def by_lines(source: Source, encoding: Encoding, offset: int, limit: int | None) -> dict[str, Any]:
    """Give whole lines, each ended by LF; of a line that is too long for a page, its beginning."""
    if not offset and not limit and source.size <= PAGE:
        return _whole(source, encoding)
    if encoding.width > 1:
        return _wide_lines(source, encoding, offset, limit)
    missing, start = source.after(NEWLINE, offset, len(encoding.mark))
    has_open_line = _has_open_line(source, encoding)
    if start == source.size:
        check_offset(source, offset, offset - missing + has_open_line, "lines")
    size = _size_of_lines(source, start, limit)
    text, used = _decoded(source, encoding, start, size)
    lines, end = text.count("\n"), start + used
    counts = {"unit": "lines", "offset": offset, "lines": lines + (text[-1:] not in ("", "\n"))}
    if source.size <= MOST_TO_COUNT:
        counts["total_lines"] = source.count(NEWLINE) + has_open_line
    page = _described(encoding, text, counts)
    if text.endswith("\n"):
        return page | going_on(source, "lines", offset + lines, end)
    return page | going_on(source, "bytes", end, end)


def _whole(source: Source, encoding: Encoding) -> dict[str, Any]:
    """Give a file that fits on a page."""
    text = source.piece(len(encoding.mark), PAGE).decode(encoding.codec)
    lines = text.count("\n") + (text[-1:] not in ("", "\n"))
    return _described(encoding, text, {"unit": "lines", "offset": 0, "lines": lines, "total_lines": lines})


def going_on(source: Source, unit: str, offset: int, end: int) -> dict[str, Any]:
    """Say where the next page begins, unless this one reached the end."""
    return {} if end >= source.size else {"next": {"offset": offset, "unit": unit}}


def check_offset(source: Source, offset: int, total: int, unit: str) -> None:
    """Refuse to begin where nothing is left; the beginning is always there."""
    if offset and offset >= total:
        raise ToolError(
            f"{source.path} has only {counted(total, unit.removesuffix('s'))}, so nothing is there at offset "
            f"{offset:,}.",
            hint=f"Use an offset below {total:,}." if total else "The file is empty.",
            blame="input",
        )


def _decoded(source: Source, encoding: Encoding, start: int, size: int) -> tuple[str, int]:
    """Decode a piece; a character that is cut off at its end is left over. Gives the text and the bytes used."""
    data = source.piece(start, size)
    if start + len(data) >= source.size:
        return data.decode(encoding.codec), len(data)
    decoder = codecs.getincrementaldecoder(encoding.codec)("strict")
    text = decoder.decode(data)
    return text, len(data) - len(decoder.getstate()[0])


def _described(encoding: Encoding, text: str, counts: dict[str, Any]) -> dict[str, Any]:
    page = {"content": text, "encoding": encoding.name, **counts}
    if encoding.note:
        page["note"] = encoding.note
    return page


def _aligned(source: Source, encoding: Encoding, start: int) -> int:
    """Go on to the next beginning of a character."""
    if encoding.codec == "utf-8":
        continued = source.piece(start, 3)
        return start + next((i for i, byte in enumerate(continued) if byte & 0xC0 != 0x80), len(continued))
    return start + -start % encoding.width


def _size_of_lines(source: Source, start: int, limit: int | None) -> int:
    """Tell how many bytes the lines of a page take."""
    data = source.piece(start, MOST_AT_ONCE if limit else PAGE)
    if limit and data.count(NEWLINE) >= limit:
        return len(data) - len(data.split(NEWLINE, limit)[-1])
    if start + len(data) < source.size and NEWLINE in data:
        return data.rindex(NEWLINE) + 1
    return len(data)


def _has_open_line(source: Source, encoding: Encoding) -> bool:
    """Whether the last line has no line end."""
    return source.size > len(encoding.mark) and source.piece(source.size - 1, 1) != NEWLINE


def _wide_lines(source: Source, encoding: Encoding, offset: int, limit: int | None) -> dict[str, Any]:
    """Give lines of a file with two or four bytes to a character, which is decoded as a whole."""
    if source.size > MOST_TO_COUNT:
        raise ToolError(
            f"{source.path} is {encoding.name} text of {source.size:,} bytes, too much to count its lines.",
            hint="Use unit 'bytes'.",
            blame="input",
        )
    text, _ = _decoded(source, encoding, len(encoding.mark), source.size)
    lines = io.StringIO(text, newline="\n").readlines()
    check_offset(source, offset, len(lines), "lines")
    taken = lines[offset : offset + limit] if limit else lines[offset:]
    room = MOST_AT_ONCE if limit else PAGE
    fitting = sum(1 for _ in takewhile(lambda size: size <= room, accumulate(map(len, taken))))
    taken = taken[: max(fitting, 1)]
    counts = {"unit": "lines", "offset": offset, "lines": len(taken), "total_lines": len(lines)}
    page, reached = _described(encoding, "".join(taken), counts), offset + len(taken)
    return page if reached >= len(lines) else page | {"next": {"offset": reached, "unit": "lines"}}


__all__ = ["PAGE", "by_bytes", "by_lines", "check_offset", "going_on"]
