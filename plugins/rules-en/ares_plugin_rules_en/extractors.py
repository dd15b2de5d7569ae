"""What the English rules read besides words: extractors for kinds of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ares_core import Extraction

ORDINALS = {word: n for n, word in enumerate("second third fourth fifth sixth seventh eighth ninth tenth".split(), 2)}
_ORDINAL = re.compile(r"(\d{1,6})(?:st|[nr]d|th)\b|(" + "|".join(ORDINALS) + r")\b")
_PDF = re.compile(r"[^\s\"']{1,300}\.pdf(?![a-z0-9])")
_PAGES = re.compile(r"\d{1,6}(?:\s*(?:-|,|and|to|through)\s*\d{1,6}){0,50}")
_ZONE = re.compile(r"(?:utc|gmt)\b|[a-z_]{2,30}/[a-z_]{2,30}(?:/[a-z_]{2,30})?\b")
_EMAIL = re.compile(r"[a-z0-9._%+\-]{1,64}@[a-z0-9.\-]{1,250}\.[a-z]{2,24}")


def ordinal(text: str, start: int) -> Iterator[Extraction]:
    """Read "10th" or "third".

    >>> [found.value for found in ordinal("the 10th power", 4)]
    [10]
    """
    if found := _ORDINAL.match(text, start):
        yield Extraction(int(found[1]) if found[1] else ORDINALS[found[2]], start, found.end())


def pages(text: str, start: int) -> Iterator[Extraction]:
    """Read "2 and 3" or "2-5" as a page range.

    >>> [found.value for found in pages("pages 2 and 4 to 6", 6)]
    ['2,4-6']
    """
    if found := _PAGES.match(text, start):
        joined = re.sub(r"\s*(?:,|and)\s*", ",", found[0])
        yield Extraction(re.sub(r"\s*(?:-|to|through)\s*", "-", joined), start, found.end())


def _matching(pattern: re.Pattern[str]) -> Callable[[str, int], Iterator[Extraction]]:
    def read(text: str, start: int) -> Iterator[Extraction]:
        if found := pattern.match(text, start):
            yield Extraction(found[0], start, found.end())

    return read


pdf, email, zone = _matching(_PDF), _matching(_EMAIL), _matching(_ZONE)

EXTRACTORS = {"ordinal": ordinal, "pages": pages, "pdf": pdf, "email": email, "zone": zone}
