"""Files made to do harm: whatever they do, an answer comes soon, in a sentence, and our own process does not grow."""

from __future__ import annotations

import random
import re
import resource
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

USUAL_SECONDS = 2
MOST_GROWTH_MB = 100
INNER = ("Error", "Exception", "Traceback", "pypdf", "object at 0x", "NoneType")
Make = Callable[[Any], bytes]


def plain(w: Any) -> Any:
    return w.document(w.shown("a"))


def laughs(w: Any) -> Any:
    """Twenty drawings, each of which draws the next ten times."""
    form = b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X %d 0 R >> >>"
    drawings = [w.stream(b"/X Do " * 10, form % (5 + n)) for n in range(20)]
    last = w.stream(b"BT /F1 1 Tf (ha) Tj ET", b"/Type /XObject /Subtype /Form /BBox [0 0 9 9]")
    return w.document(b"/X Do", page=b"/XObject << /X 4 0 R >>", more=(*drawings, last))


def outline(w: Any, *items: bytes) -> Any:
    return w.document(w.shown("a"), root=b"/Outlines 4 0 R", more=(b"<< /First 5 0 R >>", *items))


def form(w: Any, fields: bytes, *more: bytes) -> Any:
    return w.document(w.shown("a"), root=b"/AcroForm << /Fields [%s] >>" % fields, more=more)


def encrypted(w: Any, words: bytes) -> Any:
    return w.in_trailer(plain(w), b"/Encrypt << /Filter /Standard %s >> /ID [<00> <00>]" % words)


TEXT: dict[str, Make] = {
    "its table of objects leads to itself": lambda w: w.in_trailer(plain(w), b"/Prev 500"),
    "it says it has a thousand million pages": lambda w: plain(w).replace(b"/Count 1", b"/Count 999999999"),
    "it says it has a thousand million objects": lambda w: plain(w).replace(b"/Size 6", b"/Size 9" + b"9" * 9),
    "its table names a thousand million objects": lambda w: w.pdf(
        b"<< /Type /Catalog >>", end=b"xref\n0 999999999\ntrailer\n<< /Root 1 0 R >>\nstartxref\n60\n%%EOF"
    ),
    "its root has to be looked for": lambda w: (
        plain(w).replace(b"/Catalog", b"/Cat").replace(b"/Size 6", b"/Size 99999999")
    ),
    "a stream unpacks to 60 MB": lambda w: w.document(w.flate(b" " * 60_000_000)),
    "a stream unpacks three times to 60 MB": lambda w: w.document(w.flate(b" " * 60_000_000, 3)),
    "a stream of LZW unpacks without end": lambda w: w.document(
        w.stream(b"\x80\0\0" * 1_000_000, b"/Filter /LZWDecode")
    ),
    "a stream of runs unpacks without end": lambda w: w.document(
        w.stream(b"\x81A" * 1_000_000, b"/Filter /RunLengthDecode")
    ),
    "a stream is 20 MB of Ascii85": lambda w: w.document(
        w.stream(b"z" * 20_000_000 + b"~>", b"/Filter /ASCII85Decode")
    ),
    "a stream has 100,000 filters": lambda w: w.document(
        w.stream(b"x", b"/Filter [%s]" % (b"/FlateDecode " * 100_000))
    ),
    "a stream has rows of a thousand million columns": lambda w: w.document(
        w.flate(b"\2" * 10_000_000, 1, b"/DecodeParms << /Predictor 15 /Columns 999999999 >>")
    ),
    "a stream is as long as itself": lambda w: w.document(b"<< /Length 5 0 R >>\nstream\nBT ET\nendstream"),
    "a stream says it is longer than any file": lambda w: w.document(
        b"<< /Length 9%s >>\nstream\nBT\nendstream" % (b"9" * 30)
    ),
    "lists stand in lists": lambda w: w.document(w.shown("a"), root=b"/X " + b"[" * 100_000 + b"]" * 100_000),
    "dictionaries stand in dictionaries": lambda w: w.document(
        w.shown("a"), root=b"/X " + b"<</A " * 50_000 + b">>" * 50_000
    ),
    "a page is full of open lists": lambda w: w.document(b"[" * 500_000),
    "its pages stand in a circle": lambda w: w.pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 2 >>",
        b"<< /Type /Pages /Kids [2 0 R] /Count 1 >>",
    ),
    "its pages stand 5,000 deep": lambda w: w.pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        *[b"<< /Type /Pages /Kids [%d 0 R] /Count 1 >>" % (n + 3) for n in range(5_000)],
        b"<< /Type /Page >>",
    ),
    "its tree of pages has 10 to the 20 leaves": lambda w: w.pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        *[b"<< /Type /Pages /Kids [%s] /Count 1 >>" % (b"%d 0 R " % (n + 3) * 10) for n in range(20)],
        b"<< /Type /Page >>",
    ),
    "a page is its own parent": lambda w: w.pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 3 0 R >>",
    ),
    "its root is a reference to itself": lambda w: w.pdf(b"1 0 R"),
    "one page is there 90,000 times": lambda w: w.pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count 90000 >>" % (b"3 0 R " * 90_000),
        b"<< /Type /Page /Contents 4 0 R >>",
        w.stream(b"BT " + b"(a) Tj " * 3_000 + b"ET"),
    ),
    "a number has five million digits": lambda w: w.document(w.shown("a"), root=b"/X " + b"9" * 5_000_000),
    "a page has two million steps in 21 KB": lambda w: w.document(
        w.flate(b"BT /F1 1 Tf " + b"(a) Tj " * 2_000_000 + b"ET")
    ),
    "a text has two million open brackets": lambda w: w.document(b"BT /F1 1 Tf (" + b"(" * 2_000_000),
    "a text is 10 MB long": lambda w: w.document(b"BT /F1 1 Tf (" + b"a" * 10_000_000 + b") Tj ET"),
    "a name has three million escapes": lambda w: w.document(b"/" + b"#41" * 3_000_000 + b" Tj"),
    "an image in the text never ends": lambda w: w.document(b"BI /W 1 /H 1 ID " + b"E" * 5_000_000),
    "a drawing draws itself": lambda w: w.document(
        b"/X Do",
        page=b"/XObject << /X 4 0 R >>",
        more=(w.stream(b"/X Do /X Do", b"/Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 4 0 R >> >>"),),
    ),
    "a drawing is drawn 10 to the 20 times": laughs,
    "a font maps four thousand million characters": lambda w: w.with_map(
        b"1 beginbfrange", b"<00000000> <FFFFFFFF> <0000>", b"endbfrange"
    ),
    "a font maps everything 20,000 times": lambda w: w.with_map(
        b"9 beginbfrange", *[b"<0000> <FFFF> <0000>"] * 20_000, b"endbfrange"
    ),
    "a font maps one letter to a million": lambda w: w.with_map(
        b"1 beginbfchar", b"<61> <" + b"0041" * 1_000_000 + b">", b"endbfchar"
    ),
    "a font has 500,000 differences": lambda w: w.with_font(
        b"<< /Type /Font /Subtype /Type1 /BaseFont /X /Encoding << /Differences [%s] >> >>" % (b"1 /a " * 500_000)
    ),
    "a font has a thousand million widths": lambda w: w.with_font(
        b"<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /Identity-H "
        b"/DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /W [0 999999999 5] >>] >>"
    ),
    "a font file unpacks to 65 MB": lambda w: w.with_font(
        b"<< /Type /Font /Subtype /Type1 /BaseFont /X /FontDescriptor << /FontFile 5 0 R >> >>",
        w.flate(b"dup 1 /a put\n" * 5_000_000),
    ),
    "an object stream unpacks to 60 MB": lambda w: w.by_stream(
        b"null", w.flate(b"1 0 " + b" " * 60_000_000, 1, b"/Type /ObjStm /N 1 /First 4")
    ),
    "an object stream says it has a thousand million": lambda w: w.by_stream(
        b"null", w.flate(b"1 0 " * 3_000_000, 1, b"/Type /ObjStm /N 999999999 /First 4")
    ),
    "an object stream is inside itself": lambda w: w.by_stream(
        b"null", w.flate(b"2 0 <<>>", 1, b"/Type /ObjStm /N 1 /First 4"), rows=bytes(7) + b"\2\0\0\0\2\0\0" * 2
    ),
    "its table of objects unpacks to 56 MB": lambda w: w.by_stream(
        b"<< >>", rows=b"\1\0\0\0\11\0\0" * 8_000_000, words=b"/Size 8000000"
    ),
    "it is encrypted in a way that nobody knows": lambda w: encrypted(
        w, b"/V 99 /R 99 /Length 99999999 /O (x) /U (y) /P -1"
    ),
    "it is encrypted, and its keys are empty": lambda w: encrypted(
        w, b"/V 5 /R 6 /Length 256 /O () /U () /OE () /UE () /P -1"
    ),
    "its table is past the end of the file": lambda w: plain(w)[:-40] + b"startxref\n" + b"9" * 20 + b"\n%%EOF",
    "it is cut off": lambda w: plain(w)[:150],
    "it is noise": lambda w: b"%PDF-1.7\n" + random.Random(1).randbytes(1_000_000),
    "it is a million beginnings": lambda w: b"%PDF-1.7\n" + b"1 0 obj\n" * 1_000_000,
    "it is 40 MB of blanks": lambda w: b"%PDF-1.7\n" + b" " * 40_000_000,
    "it is 60 MB": lambda w: b"%PDF-1.7\n" + b" " * 60_000_000,
    "its page is of no size": lambda w: plain(w).replace(b"[0 0 300 200]", b"[1e999 -1e999 nan 1]"),
    "its numbers are beyond all bounds": lambda w: w.document(
        b"BT /F1 1e308 Tf 1e308 0 0 1e308 1e308 1e308 Tm (a) Tj ET"
    ),
    "its letters are halves of characters": lambda w: w.with_map(b"1 beginbfchar", b"<6161> <D800>", b"endbfchar"),
    "its image has 10 to the 16 points": lambda w: w.document(
        b"/X Do",
        page=b"/XObject << /X 4 0 R >>",
        more=(w.flate(bytes(100_000_000), 1, b"/Type /XObject /Subtype /Image /Width 99999999 /Height 99999999"),),
    ),
    "it is packed twice": lambda w: b"%PDF-1.7\n" + zlib.compress(zlib.compress(plain(w))),
}
OTHER: dict[tuple[str, str], Make] = {
    ("outline", "leads to itself"): lambda w: outline(w, b"<< /Title (x) /Next 5 0 R /First 5 0 R >>"),
    ("outline", "has 50,000 entries"): lambda w: outline(
        w, *[b"<< /Title (x) /Next %d 0 R >>" % (6 + n) for n in range(50_000)]
    ),
    ("outline", "has a title of 10 MB"): lambda w: outline(w, b"<< /Title (%s) >>" % (b"x" * 10_000_000)),
    ("form_fields", "contain themselves"): lambda w: form(w, b"4 0 R", b"<< /FT /Tx /T (x) /Kids [4 0 R] >>"),
    ("form_fields", "are each other's parents"): lambda w: form(
        w, b"4 0 R", b"<< /FT /Tx /T (x) /Parent 5 0 R >>", b"<< /T (y) /Parent 4 0 R >>"
    ),
    ("form_fields", "are 500,000"): lambda w: form(w, b"4 0 R " * 500_000, b"<< /FT /Tx /T (x) >>"),
    ("form_fields", "have names of 50 KB, 90 deep"): lambda w: form(
        w,
        b"4 0 R",
        *[b"<< /T (%s) /Kids [%d 0 R] >>" % (b"x" * 50_000, 5 + n) for n in range(90)],
        b"<< /FT /Tx /T (x) >>",
    ),
    ("metadata", "has a title of 5 MB"): lambda w: w.in_trailer(
        w.document(w.shown("a")), b"/Info << /Title (%s) /CreationDate (D:%s) >>" % (b"x" * 5_000_000, b"9" * 100_000)
    ),
    ("metadata", "is the root"): lambda w: w.in_trailer(plain(w), b"/Info 1 0 R"),
    ("metadata", "is there, and so are 60 MB of a file in the file"): lambda w: w.document(
        w.shown("a"),
        root=b"/Names << /EmbeddedFiles << /Names [(x) << /EF << /F 4 0 R >> >>] >> >>",
        more=(w.flate(bytes(60_000_000)),),
    ),
    ("metadata", "is there, and so is a script"): lambda w: w.document(
        w.shown("a"), root=b"/OpenAction << /S /JavaScript /JS (while(1){}) >> /Names << /JavaScript << /Names [] >> >>"
    ),
}


@pytest.fixture
def survive(usual: Any, files: Any, write: Any) -> Callable[[Make, str], Any]:
    """Read a hostile file, and check all that must hold whatever it does."""

    def survive(make: Make, operation: str) -> Any:
        files.held["a.pdf"] = make(write)
        before, started = peak_mb(anew=True), time.monotonic()
        result = usual.call_sync("pdf_tool", {"operation": operation, "path": "a.pdf"})
        assert time.monotonic() - started < 10 * USUAL_SECONDS
        assert peak_mb() - before < MOST_GROWTH_MB
        assert len(result.text) < 1_000_000
        assert result.success or "a.pdf" in result.error.message
        assert not [word for word in INNER if word in result.text]
        return result

    return survive


@pytest.mark.parametrize("make", TEXT.values(), ids=TEXT)
def test_a_hostile_file_is_answered_soon(survive: Callable[[Make, str], Any], make: Make) -> None:
    survive(make, "text")


@pytest.mark.parametrize(
    ("operation", "make"), [(key[0], make) for key, make in OTHER.items()], ids=map(" ".join, OTHER)
)
def test_so_are_hostile_outlines_forms_and_metadata(
    survive: Callable[[Make, str], Any], operation: str, make: Make
) -> None:
    survive(make, operation)


def test_after_a_bomb_a_good_file_is_read_as_before(
    survive: Callable[[Make, str], Any], read: Callable[..., Any], write: Any
) -> None:
    assert not survive(TEXT["a stream unpacks to 60 MB"], "text").success
    assert read(write.document(write.shown("still here"))).data["text"] == "still here"


def peak_mb(*, anew: bool = False) -> float:
    """Give the most memory that this process has had, ``anew``: from now on, where the system counts so."""
    with suppress(OSError):
        if anew:
            Path("/proc/self/clear_refs").write_text("5")
        found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
        return int(found[1]) / 1024 if found else 0.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_048_576
