"""Words to search by: as they stand, and where they are written without spaces in pairs of characters."""

from __future__ import annotations

import re
import unicodedata

MOST = 32
LONGEST = 64
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_RUNS = re.compile(rf"(?P<spaceless>[{_CJK}]+)|(?P<word>(?:(?![{_CJK}])[^\W_])+)")


def words_of(text: str) -> list[str]:
    """Give the words of a text, folded so that case and width do not matter; characters also singly.

    >>> words_of("Buy TEA 买绿茶")
    ['buy', 'tea', '买', '绿', '茶', '买绿', '绿茶']
    """
    found: list[str] = []
    for run, is_spaceless in _runs(text):
        found += [*run, *_pairs(run)] if is_spaceless else [run[:LONGEST]]
    return found


def asked_words(text: str) -> list[str]:
    """Give the words of a query, each once, 32 at most; a run of characters without spaces asks for its pairs.

    >>> asked_words("绿茶 tea OR -tea*"), asked_words("茶")
    (['绿茶', 'tea', 'or'], ['茶'])
    """
    found: list[str] = []
    for run, is_spaceless in _runs(text):
        found += (_pairs(run) or [run]) if is_spaceless else [run[:LONGEST]]
    return list(dict.fromkeys(found))[:MOST]


def expression(words: list[str], *, together: bool) -> str:
    """Write what FTS5 takes: each word in quotes, so that none means anything to it.

    >>> expression(["near", "tea"], together=False)
    '"near" OR "tea"'
    """
    return (" AND " if together else " OR ").join(f'"{word}"' for word in words)


def _runs(text: str) -> list[tuple[str, bool]]:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return [(found.group(), found.lastgroup == "spaceless") for found in _RUNS.finditer(folded)]


def _pairs(run: str) -> list[str]:
    return [run[place : place + 2] for place in range(len(run) - 1)]
