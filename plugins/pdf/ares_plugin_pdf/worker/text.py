"""The text of pages, one after the other, as far as there is room."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ares_plugin_pdf.worker.problems import problem_of

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

UNSEEN = {code: None for code in range(32) if chr(code) not in "\t\n\f\r"} | {0x7F: None, 0xFEFF: None}
MOST_PARTS = 200
NOTHING = "gives no text: parts of it are damaged, or too large to be read"


class _Ear(logging.Handler):
    """Hears what the library passes over, so that a page whose text it gave up on is not called blank."""

    def __init__(self) -> None:
        super().__init__()
        self.heard = False

    def emit(self, record: logging.LogRecord) -> None:
        self.heard = True


def texts(reader: PdfReader, pages: Sequence[int], most: int) -> Iterator[dict[str, Any]]:
    """Give each page with its text, or with what is wrong with it, until there are ``most`` characters."""
    ear = _Ear()
    log = logging.getLogger("pypdf")
    log.addHandler(ear)
    log.propagate = False
    for page in pages:
        ear.heard = False
        found = _page(reader, page, ear)
        text = found.get("text", "")
        yield {**found, "text": text[:most], "cut": True} if len(text) > most else found
        most -= len(text)
        if most <= 0:
            return


def _page(reader: PdfReader, number: int, ear: _Ear) -> dict[str, Any]:
    try:
        page = reader.pages[number - 1]
        text = clean(page.extract_text())
        if text:
            return {"page": number, "text": text}
        images = _images(page)
        return {"page": number, "problem": NOTHING} if ear.heard and not images else _bare(number, images)
    except Exception as error:
        return {"page": number, "problem": problem_of(error).message}


def _bare(number: int, images: int) -> dict[str, Any]:
    return {"page": number, "text": "", "images": images}


def clean(text: str) -> str:
    r"""Take out what nobody sees, halves of characters and blanks at the ends of lines.

    >>> clean("a \0\n\ud800b\n\n")
    'a\n?b'
    """
    whole = text.encode("utf-8", "replace").decode("utf-8").translate(UNSEEN)
    return "\n".join(line.rstrip() for line in whole.splitlines()).strip("\n")


def _images(page: PageObject) -> int:
    """Count the images on a page without looking into them."""
    try:
        resources: Any = page.get("/Resources", {})
        parts: Any = resources.get_object().get("/XObject", {})
        names = list(parts.get_object())[:MOST_PARTS]
        return sum(parts.get_object()[name].get_object().get("/Subtype") == "/Image" for name in names)
    except Exception:
        return 0


__all__ = ["clean", "texts"]
