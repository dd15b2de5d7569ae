"""Writing text into files, in the encoding that they are in."""

from __future__ import annotations

import base64
import binascii
import posixpath
from collections.abc import Callable, Mapping
from typing import Any

from ares_core import FileAccess, ToolContext, ToolError
from ares_plugin_files.encodings import SAMPLE, UTF8, Encoding, for_writing


def write(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
    """Put the content into a file, in one step; what was there is replaced."""
    files, path = context.files, arguments["path"]
    head, size = _there(files, path)
    data, encoding, note = _encoded(arguments, head or b"", is_whole=size == len(head or b""))
    mark = encoding.mark if encoding is not None and not data.startswith(encoding.mark) else b""
    written = in_folder(files, path, lambda: files.write(path, mark + data))
    answer = {"operation": "write", "path": path, "bytes": written, "created": head is None}
    if head is not None:
        answer["overwrote"] = size
    return answer | _in(encoding, arguments) | ({"note": note} if note else {})


def append(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
    """Put the content after what is in a file; without one, begin it."""
    files, path = context.files, arguments["path"]
    head, size = _there(files, path)
    data, encoding, _ = _encoded(arguments, head or b"", is_whole=size == len(head or b""), must_keep=bool(size))
    if not size and encoding is not None:
        data = encoding.mark + data

    def add() -> int:
        with files.open(path, "ab") as file:
            return file.write(data)

    written = in_folder(files, path, add)
    answer = {"operation": "append", "path": path, "bytes": written, "created": head is None, "size": size + written}
    return answer | _in(encoding, arguments)


def in_folder(files: FileAccess, path: str, work: Callable[[], int]) -> int:
    """Do the work; if the folder for it is missing, make it and do it again."""
    try:
        return work()
    except FileNotFoundError:
        folder = posixpath.dirname(path.rstrip("/"))
        if not folder:
            raise
        files.mkdir(folder)
    return work()


def _there(files: FileAccess, path: str) -> tuple[bytes | None, int]:
    """Give the first bytes of a file and its size; ``None`` if there is none."""
    try:
        with files.open(path) as file:
            return file.read(SAMPLE), file.seek(0, 2)
    except FileNotFoundError:
        return None, 0


def _encoded(
    arguments: Mapping[str, Any], head: bytes, *, is_whole: bool, must_keep: bool = False
) -> tuple[bytes, Encoding | None, str]:  # fmt: skip
    """Give the bytes of the content, its encoding (``None``: it stood for bytes), and a remark."""
    content, name = arguments["content"], arguments.get("encoding")
    if name in ("base64", "hex"):
        return _bytes_of(content, name), None, ""
    encoding = for_writing(name, head, is_whole=is_whole)
    if encoding.mark and not must_keep:
        content = content.removeprefix("\ufeff")
    try:
        return content.encode(encoding.codec), encoding, ""
    except UnicodeEncodeError as error:
        if name or must_keep:
            raise ToolError(
                f"{encoding.name} has no character {error.object[error.start]!r} (at position {error.start:,} of the "
                "content); nothing was written.",
                hint="Use encoding utf-8, or other characters.",
                blame="input",
            ) from None
    return content.encode(), UTF8, f"the file was {encoding.name}, which lacks some of these characters; now utf-8"


def _bytes_of(content: str, name: str) -> bytes:
    compact = "".join(content.split())
    try:
        return bytes.fromhex(compact) if name == "hex" else base64.b64decode(compact, validate=True)
    except (ValueError, binascii.Error) as error:
        raise ToolError(f"the content is no {name}: {error}; nothing was written.", blame="input") from None


def _in(encoding: Encoding | None, arguments: Mapping[str, Any]) -> dict[str, str]:
    return {"encoding": arguments["encoding"] if encoding is None else encoding.name}


__all__ = ["append", "in_folder", "write"]
