"""What the English rules read besides words: extractors for kinds of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from ares_core import Extraction
from ares_plugin_rules_en.times import day, span, zone

ORDINALS = {word: n for n, word in enumerate("second third fourth fifth sixth seventh eighth ninth tenth".split(), 2)}
_ORDINAL = re.compile(r"(\d{1,6})(?:st|[nr]d|th)\b|(" + "|".join(ORDINALS) + r")\b")
_PDF = r"[^\s\"']{1,300}\.pdf(?![a-z0-9])"
_PAGES = re.compile(r"\d{1,6}(?:\s*(?:-|,|and|to|through)\s*\d{1,6}){0,50}")
_PDF_LINK = r"https?://[^\s\"'<>]{1,2000}\.pdf(?![a-z0-9./])"
_INDEX = re.compile(r"\d{1,6}")
_EMAIL = r"[a-z0-9._%+\-]{1,64}@[a-z0-9.\-]{1,250}\.[a-z]{2,24}"
_FILENAME = r"[a-z0-9_\-][a-z0-9_.\-]{0,100}(?:/[a-z0-9_.\-]{1,100}){0,20}\.[a-z0-9]{1,12}(?![a-z0-9_/.@])"
_FOLDER = (
    r"(?!(?:please|thanks?|now|again|here|and|or|of|in|to|with|that|if|is|at|exist)\b)"
    r"[a-z0-9_\-.]{1,100}(?:/[a-z0-9_\-.]{1,100}){0,20}/?"
)
_BARE = (
    r"(?!(?:a|an|me|us|you|my|our|your|his|her|their|its?|this|that|these|those|all|each|every|any|some|current|working|parent|root|"
    r"new|same|shared|whole|entire|other|main|project|repo|repository|archive|zip|system|cloud|bucket|folder|directory|"
    r"dir|database|order|detail|reverse|use|json|csv|yaml|xml|pdf|text|python|java|english|french|german|spanish|chinese|"
    r"following|given|first|last|please|thanks?|now|again|here|there|and|or|of|in|to|with|if|is|at|exist|it|them|"
    r"no|not|never|none|nothing|neither|everything|anything|between|common|question|progress|transit|dispute|descending|"
    r"ascending|columns?|colou?r|out|active|phone|telephone|staff|employee|business|meaning|command|options|"
    r"linux|unix|windows|mac|macos|bash|shell|powershell|terminal|cmd|git|github|gitlab|s3|aws|azure|dropbox|drive|"
    r"docker|kubernetes|hdfs|hadoop|javascript|typescript|php|rust|golang|go|kotlin|swift|ruby|perl|scala|c|r|vim)\b)"
    r"[a-z_.][a-z0-9_\-.]{0,100}(?:/[a-z0-9_\-.]{1,100}){0,20}/?"
)
_KNOWN = (
    r"(?:docs|src|lib|bin|tmp|build|dist|assets|downloads|desktop|vendor|node_modules|static)"
    r"(?:/[a-z0-9_\-.]{1,100}){0,20}/?(?![\w\-])"
)
_CLOSED = r"[a-z0-9_\-.]{1,100}(?:/[a-z0-9_\-.]{1,100}){0,20}/(?![\w/])"
_DOTS = r"\.\.?/?(?![\w.])"
_SLASHED = r"[a-z0-9_\-.]{1,100}(?:/[a-z0-9_\-.]{1,100}){1,20}/?|[a-z0-9_\-.]{1,100}/(?!\w)"
_GLOB = r"(?=[^\s\"']{0,100}[*?])[a-z0-9_\-./*?]{1,100}"
_JSONPATH = r"\$(?:\.{1,2}[a-z_*][a-z0-9_]{0,60}|\[[^\]\n]{1,80}\]){0,20}"
_BRACED = r"\{[^\n]{0,5000}\}|\[[^\n]{0,5000}\]"
_STRFTIME = r"%[a-z%](?:[-/.: ,t]{0,2}%[a-z%]){0,12}"


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


_compiled = cache(re.compile)


def _matching(pattern: str) -> Callable[[str, int], Iterator[Extraction]]:
    """Read what matches a pattern, which is compiled when it is first asked for."""

    def read(text: str, start: int) -> Iterator[Extraction]:
        if found := _compiled(pattern).match(text, start):
            yield Extraction(found[0], start, found.end())

    return read


def index(text: str, start: int) -> Iterator[Extraction]:
    """Read the place of a character, counted from one, as it is counted from nought.

    >>> [found.value for found in index("characters 2 to 3", 11)]
    [1]
    """
    if (found := _INDEX.match(text, start)) and int(found[0]) > 0:
        yield Extraction(int(found[0]) - 1, start, found.end())


PATTERNS = {
    "pdf": _PDF, "pdflink": _PDF_LINK, "email": _EMAIL, "filename": _FILENAME, "foldername": _FOLDER, "dots": _DOTS, "slashed": _SLASHED, "closed": _CLOSED,
    "bare": _BARE, "known": _KNOWN, "strftime": _STRFTIME, "glob": _GLOB, "jsonpath": _JSONPATH, "braced": _BRACED,
}  # fmt: skip
EXTRACTORS = {
    **{kind: _matching(pattern) for kind, pattern in PATTERNS.items()},
    "ordinal": ordinal,
    "pages": pages,
    "index": index,
    "zone": zone,
    "day": day,
    "span": span,
}
