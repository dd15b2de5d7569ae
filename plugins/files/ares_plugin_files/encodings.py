"""Which encoding a file is in, and whether it is text at all, told from its first bytes."""

from __future__ import annotations

import codecs

from msgspec import Struct

SAMPLE = 16_384
GUESS = "the encoding is a guess; name it in 'encoding' if the text looks wrong"
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32", "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16", "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16", "utf-16-be"),
)
SIGNATURES = (
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"PK\x03\x04", "a ZIP archive or an office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\0", "an xz archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"(\xb5/\xfd", "a Zstandard archive"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"OggS", "an Ogg recording"),
    (b"ID3", "an MP3 recording"),
    (b"RIFF", "a RIFF file (sound, video or WebP image)"),
)
STARTS = tuple(signature for signature, _ in SIGNATURES)
RARE = bytes({*range(0x20), 0x7F} - {*b"\t\n\f\r\x1b"})
"""Bytes that texts in encodings compatible with ASCII hardly ever hold."""

C1 = bytes(range(0x80, 0xA0))


class Encoding(Struct, frozen=True):
    """How the bytes of a file become text: the name to say, Python's codec, the mark at the start, and a remark."""

    name: str
    codec: str
    mark: bytes = b""
    note: str = ""

    @property
    def width(self) -> int:
        """Bytes of the smallest unit; lines can be told apart in the bytes themselves only if it is 1."""
        return 4 if self.codec.startswith("utf-32") else 2 if self.codec.startswith("utf-16") else 1


UTF8 = Encoding("utf-8", "utf-8")


def recognise(head: bytes, *, is_whole: bool = False) -> Encoding | None:
    """Tell the encoding from the first bytes; ``None`` if they are no text.

    >>> recognise(bytes.fromhex("bac3b0c9"), is_whole=True).name
    'gb18030'
    """
    is_ascii = head.isascii()
    for mark, name, codec in () if is_ascii else MARKS:
        if head.startswith(mark):
            return Encoding(name, codec, mark)
    if is_binary(head):
        return None
    if is_ascii or _decodes(head, "utf-8", is_whole):
        return UTF8
    if _pairs(head) >= 2 and _decodes(head, "gb2312", is_whole):
        return Encoding("gb18030", "gb18030", note=GUESS)
    name = "cp1252" if _of_windows(head, is_whole) else "latin-1"
    return Encoding(name, name, note=GUESS)


def named(name: str, head: bytes) -> Encoding:
    """Give the encoding that was asked for; a mark that is there is not part of the text."""
    for mark, called, codec in MARKS:
        if head.startswith(mark) and name in (called, codec):
            return Encoding(name, codec, mark)
    plain = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
    return Encoding(name, plain.get(name, name))


def for_writing(name: str | None, head: bytes, *, is_whole: bool) -> Encoding:
    """Give the encoding for new text: the one asked for, that of the file that was there, or UTF-8."""
    if name is None:
        return (recognise(head, is_whole=is_whole) if head else None) or UTF8
    for mark, called, codec in MARKS:
        if name == called:
            return Encoding(name, codec, mark)
    return Encoding(name, name)


def is_binary(head: bytes) -> bool:
    """Whether the first bytes are those of something else than text."""
    if head.startswith(STARTS) or b"\0" in head:
        return True
    start = head[:512]
    return len(start) - len(start.translate(None, RARE)) > len(start) // 20


def kind_of(head: bytes) -> str:
    """Say in words what the first bytes belong to."""
    for signature, kind in SIGNATURES:
        if head.startswith(signature):
            return kind
    return "of unknown type"


def _decodes(head: bytes, codec: str, is_whole: bool) -> bool:
    try:
        codecs.getincrementaldecoder(codec)("strict").decode(head, is_whole)
    except UnicodeDecodeError:
        return False
    return True


def _of_windows(head: bytes, is_whole: bool) -> bool:
    """Whether there are quotation marks or dashes where Latin-1 has only control characters."""
    return len(head.translate(None, C1)) < len(head) and _decodes(head, "cp1252", is_whole)


def _pairs(head: bytes) -> int:
    """Count the two-byte characters that there would be; one alone may be two letters of a European language."""
    return len(head.translate(None, bytes(range(0x80)))) // 2


__all__ = ["SAMPLE", "UTF8", "Encoding", "for_writing", "is_binary", "kind_of", "named", "recognise"]
