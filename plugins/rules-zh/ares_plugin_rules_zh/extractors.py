"""What the Chinese rules read besides words: extractors for kinds of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from ares_core import Extraction, read_number
from ares_plugin_rules_zh.times import day, span, zone

LONGEST_DISCOUNT = 8
_PDF = r"[^\s\"'\u4e00-\u9fff]{1,300}\.pdf(?![a-z0-9])"
_PAGES = re.compile(r"\d{1,6}(?:\s*(?:-|~|,|和|到|至|、)\s*\d{1,6}){0,50}")
_PDF_LINK = r"https?://[^\s\"'<>\u4e00-\u9fff]{1,2000}\.pdf(?![a-z0-9./])"
_INDEX = re.compile(r"\d{1,6}")
_FILENAME = r"[a-z0-9_\-][a-z0-9_.\-]{0,100}(?:/[a-z0-9_.\-]{1,100}){0,20}\.[a-z0-9]{1,12}(?![a-z0-9_/.@])"
_FOLDER = r"[a-z0-9_\-.]{1,100}(?:/[a-z0-9_\-.]{1,100}){0,20}/?"
_KNOWN = (
    r"(?:docs|src|lib|bin|tmp|build|dist|assets|downloads|desktop|vendor|node_modules|static)"
    r"(?:/[a-z0-9_\-.]{1,100}){0,20}/?(?![a-z0-9_\-])"
)
_BARE = (
    r"(?!(?:python|java|javascript|typescript|json|csv|pdf|xml|yaml|html|markdown|word|excel|linux|windows|mac|app|zip|"
    r"txt|md|py|js|ts|log|sql|docx?|xlsx?|pptx?|png|jpe?g)(?![a-z0-9_\-./]))"
    r"[a-z_.][a-z0-9_\-.]{0,100}(?:/[a-z0-9_\-.]{1,100}){0,20}/?"
)
_BRACED = r"\{[^\n]{0,5000}\}|\[[^\n]{0,5000}\]"
_STRFTIME = r"%[a-z%](?:[-/.: ,t年月日时分秒]{0,2}%[a-z%]){0,12}[年月日时分秒]?"
_GLOB = re.compile(
    r"\*?\.?(txt|md|py|json|csv|pdf|html|xml|ya?ml|log|docx?|xlsx?|pptx?|js|ts|png|jpe?g|zip)(?![a-z0-9_./])"
)
_EMAIL = r"[a-z0-9._%+\-]{1,64}@[a-z0-9.\-]{1,250}\.[a-z]{2,24}"


def discount(text: str, start: int) -> Iterator[Extraction]:
    """Read 八折, 八五折 or 8.5折 as what is left to pay.

    >>> [found.value for found in discount("打八五折", 1)]
    ['0.85']
    """
    if "折" not in text[start : start + LONGEST_DISCOUNT]:
        return

    number = read_number(text, start)
    if number and text[number.end : number.end + 1] == "折" and not number.percent and 0 < number.value < 100:
        tenths = number.value if number.value >= 10 else number.value * 10
        yield Extraction(f"{float(tenths) / 100:g}", start, number.end + 1)


def pages(text: str, start: int) -> Iterator[Extraction]:
    """Read "2和3" or "2到5" as a page range.

    >>> [found.value for found in pages("第2和4到6页", 1)]
    ['2,4-6']
    """
    if found := _PAGES.match(text, start):
        joined = re.sub(r"\s*[,和、]\s*", ",", found[0])
        yield Extraction(re.sub(r"\s*[-~到至]\s*", "-", joined), start, found.end())


_compiled = cache(re.compile)


def _matching(pattern: str) -> Callable[[str, int], Iterator[Extraction]]:
    """Read what matches a pattern, which is compiled when it is first asked for."""

    def read(text: str, start: int) -> Iterator[Extraction]:
        if found := _compiled(pattern).match(text, start):
            yield Extraction(found[0], start, found.end())

    return read


def index(text: str, start: int) -> Iterator[Extraction]:
    """Read the place of a character, counted from one, as it is counted from nought.

    >>> [found.value for found in index("第2到3个", 1)]
    [1]
    """
    if (found := _INDEX.match(text, start)) and int(found[0]) > 0:
        yield Extraction(int(found[0]) - 1, start, found.end())


def glob(text: str, start: int) -> Iterator[Extraction]:
    """Read a kind of file as a pattern.

    >>> [found.value for found in glob("所有的md文件", 3)]
    ['*.md']
    """
    if found := _GLOB.match(text, start):
        yield Extraction(f"*.{found[1]}", start, found.end())


PATTERNS = {
    "pdf": _PDF,
    "pdflink": _PDF_LINK,
    "email": _EMAIL,
    "filename": _FILENAME,
    "foldername": _FOLDER,
    "夹名": _BARE,
    "常用夹": _KNOWN,
    "strftime": _STRFTIME,
    "braced": _BRACED,
}
EXTRACTORS = {
    **{kind: _matching(pattern) for kind, pattern in PATTERNS.items()},
    "discount": discount,
    "pages": pages,
    "glob": glob,
    "index": index,
    "zone": zone,
    "day": day,
    "span": span,
}
