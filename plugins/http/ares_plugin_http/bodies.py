"""Bodies of answers: read up to a limit, and turned into text if they are text."""

from __future__ import annotations

import codecs
import json
import re
from typing import Any

from msgspec import Struct

DEEPEST = 60
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}[\"']?([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
_SAFE_CODEC = re.compile(
    r"(?:utf[-_]?(?:8|16|32).*|(?:iso[-_]?8859|latin|windows|cp|koi8|mac|euc|gb|big5|hz|shift|sjis|ms|ascii|us|iso[-_]?2022"
    r"|tis).*)",
    re.IGNORECASE,
)
_TEXT = re.compile(r"text/|.*(?:json|xml|javascript|ecmascript|x-www-form-urlencoded|yaml|toml|csv|graphql|sql)")
_BINARY = re.compile(r"(?:image|audio|video|font)/(?!svg)|application/(?:pdf|zip|gzip|wasm|vnd\.(?!.*(?:json|xml)))")
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


class Body(Struct, frozen=True):
    """What was read: the text, or ``None`` for binary data; how many bytes; whether there was more.

    ``raw`` are the bytes of what is to be saved.
    """

    text: str | None
    size: int
    is_cut: bool
    raw: bytes | None = None


async def read(response: Any, limit: int) -> Body:
    """Read the body of a response that is still on its way; what is binary by its type is not read at all."""
    kind = response.headers.get("content-type", "").strip().lower()
    if _BINARY.match(kind):
        announced = response.headers.get("content-length", "")
        return Body(None, int(announced) if re.fullmatch("[0-9]{1,15}", announced) else 0, is_cut=False)
    data = bytearray()
    async for chunk in response.aiter_bytes():
        data += chunk
        if len(data) > limit:
            break
    is_cut = len(data) > limit
    whole = bytes(data[:limit])
    return Body(as_text(whole, kind, is_cut), len(whole), is_cut)


def as_text(data: bytes, kind: str, is_cut: bool = False) -> str | None:
    r"""Decode text by its mark, by what the server says, by what the page says, or as UTF-8; ``None`` for binary data.

    >>> as_text(b"\xe9t\xe9", "text/plain; charset=latin-1"), as_text(b"\x00\x01", "")
    ('été', None)
    """
    for mark, codec in _BOMS:
        if data.startswith(mark):
            return _decoded(data[len(mark) :], codec, is_cut)
    named = _CHARSET.search(kind)
    codec = named[1] if named else ""
    if not codec and (found := _META.search(data[:2048])):
        codec = found[1].decode("ascii")
    if codec and _is_known(codec):
        return _decoded(data, codec, is_cut)
    if not _TEXT.match(kind) and b"\0" in data[:8192]:
        return None
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(data, final=not is_cut)
    except UnicodeDecodeError:
        return _decoded(data, "cp1252", is_cut) if _TEXT.match(kind) else None


def parsed(text: str, kind: str) -> Any:
    """Give the value of a JSON body, or ``None``: for another type, for what is no JSON, for what is nested too deep.

    >>> parsed('{"a": [1]}', "application/json"), parsed("[1]", "text/plain")
    ({'a': [1]}, None)
    """
    if "json" not in kind.lower():
        return None
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return value if _depth_is_fine(value) else None


def _decoded(data: bytes, codec: str, is_cut: bool) -> str:
    """Decode as far as it goes: where a body was cut, half a character may stand at the end."""
    return codecs.getincrementaldecoder(codec)("replace").decode(data, final=not is_cut)


def _is_known(codec: str) -> bool:
    """Whether this is a codec for text; Python has others, for compression and for names of hosts."""
    try:
        return _SAFE_CODEC.fullmatch(codec) is not None and isinstance(b"".decode(codec), str)
    except (LookupError, ValueError):
        return False


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _depth_is_fine(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return True
    return False
