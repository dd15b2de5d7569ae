"""A small writer of PDF files, also of wrong ones, and a file provider for them."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from ares_core import Ares, hookimpl

FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"


class Files:
    """Files in memory; each is read through the handle that ``open`` gave, and that is remembered."""

    def __init__(self) -> None:
        self.held: dict[str, bytes] = {}
        self.opened: list[str] = []

    def open(self, path: str, mode: str = "rb") -> Any:
        self.opened.append(path)
        if path not in self.held:
            raise FileNotFoundError(2, "No such file or directory", path)
        return io.BytesIO(self.held[path])


class FilesPlugin:
    def __init__(self, files: Files) -> None:
        self.files = files

    @hookimpl
    def open_files(self) -> Files:
        return self.files


def pdf(*objects: bytes, trailer: bytes = b"", end: bytes = b"") -> bytes:
    """Write a PDF of the given objects, the first of which is the catalogue."""
    written, places = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"), []
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    last = b"trailer\n<< /Size %d /Root 1 0 R %s >>\n" % (len(objects) + 1, trailer)
    return bytes(written) + (end or head + table + last + b"startxref\n%d\n%%%%EOF\n" % len(written))


def stream(data: bytes, words: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), words, data)


def flate(data: bytes, times: int = 1, words: bytes = b"") -> bytes:
    for _ in range(times):
        data = zlib.compress(data, 9)
    return stream(data, b"/Filter [%s] %s" % (b" /FlateDecode" * times, words))


def shown(text: str) -> bytes:
    return b"BT /F1 18 Tf 20 100 Td (%s) Tj ET" % text.encode("latin-1")


def document(*contents: bytes, root: bytes = b"", page: bytes = b"", more: tuple[bytes, ...] = ()) -> bytes:
    """Write a document with one page for each content stream; ``more`` are further objects, from number 4 on."""
    first = 4 + len(more)
    kids = b" ".join(b"%d 0 R" % (first + 2 * n) for n in range(len(contents)))
    pages = []
    for n, content in enumerate(contents):
        pages.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources << /Font << /F1 3 0 R >> %s >> "
            b"/Contents %d 0 R >>" % (page, first + 2 * n + 1)
        )
        pages.append(content if content.startswith(b"<<") else stream(content))
    return pdf(
        b"<< /Type /Catalog /Pages 2 0 R %s >>" % root,
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(contents)),
        FONT, *more, *pages,
    )  # fmt: skip


def with_font(font: bytes, *more: bytes, text: bytes = b"BT /F1 18 Tf (aaaa) Tj ET") -> bytes:
    """Write a page whose font is object 4, followed by ``more``."""
    return document(text, more=(font, *more)).replace(b"/F1 3 0 R", b"/F1 4 0 R")


def with_map(*lines: bytes, text: bytes = b"BT /F1 18 Tf (aaaa) Tj ET") -> bytes:
    """Write a page whose font says by a map which characters its bytes are."""
    font = (
        b"<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H /ToUnicode 5 0 R "
        b"/DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 >>] >>"
    )
    return with_font(font, flate(b"begincmap\n" + b"\n".join(lines) + b"\nendcmap"), text=text)


def by_stream(*objects: bytes, rows: bytes = b"", words: bytes = b"/Size 4") -> bytes:
    """Write a PDF whose table of objects is a stream, by which the first object is inside the second."""
    written, places = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    own = [(0, 0), (2, 2), *((1, place) for place in places[1:]), (1, len(written))]
    table = rows or b"".join(bytes([kind]) + place.to_bytes(4, "big") + b"\0\0" for kind, place in own)
    body = flate(table, 1, b"/Type /XRef /W [1 4 2] /Root 1 0 R " + words)
    return written + b"%d 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, body, len(written))


def in_trailer(data: bytes, words: bytes) -> bytes:
    return data.replace(b"/Root 1 0 R", b"/Root 1 0 R " + words)


@pytest.fixture
def write() -> SimpleNamespace:
    """What writes PDF files, for test modules."""
    return SimpleNamespace(
        pdf=pdf, stream=stream, flate=flate, shown=shown, document=document, with_font=with_font, with_map=with_map,
        in_trailer=in_trailer, by_stream=by_stream, FONT=FONT,
    )  # fmt: skip


@pytest.fixture(scope="session")
def files() -> Files:
    return Files()


@pytest.fixture(scope="session")
def usual(files: Files) -> Iterator[Ares]:
    """An Ares that reads those files, with everything as it comes."""
    with Ares(plugins=["pdf"]) as ares:
        ares.add(FilesPlugin(files))
        yield ares


@pytest.fixture(scope="session")
def patient(files: Files) -> Iterator[Ares]:
    """An Ares that takes its time: what is tested with it is not the clock."""
    with Ares(plugins=["pdf"], config={"pdf": {"seconds": 60}}) as ares:
        ares.add(FilesPlugin(files))
        yield ares


@pytest.fixture
def limited(files: Files) -> Callable[..., Any]:
    """Read a PDF under limits of its own."""

    def limited(data: bytes, arguments: dict[str, Any] | None = None, **section: Any) -> Any:
        files.held["a.pdf"] = data
        with Ares(plugins=["pdf"], config={"pdf": {"seconds": 60, **section}}) as ares:
            ares.add(FilesPlugin(files))
            return ares.call_sync("pdf_tool", {"operation": "text", "path": "a.pdf", **(arguments or {})})

    return limited


@pytest.fixture
def read(patient: Ares, files: Files) -> Callable[..., Any]:
    """Read a PDF that is given as bytes; further arguments go to the tool."""

    def read(data: bytes, operation: str = "text", **arguments: Any) -> Any:
        files.held["a.pdf"] = data
        return patient.call_sync("pdf_tool", {"operation": operation, "path": "a.pdf", **arguments})

    return read
