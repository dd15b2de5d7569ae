"""English rules for the planner."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from ares_core import Extraction, RuleSet, hookimpl

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


@lru_cache(maxsize=1)
def english() -> RuleSet:
    """Make the rule set ``rules-en``, once for all who ask."""
    from ares_plugin_rules_en import arithmetic, documents, hashes, statistics, texts
    from ares_plugin_rules_en.words import WORDS

    rules = (*arithmetic.RULES, *statistics.RULES, *hashes.RULES, *texts.RULES, *documents.RULES)
    extractors = {"ordinal": ordinal, "pages": pages, "pdf": pdf, "email": email, "zone": zone}
    return RuleSet("rules-en", "en", rules, extractors, WORDS)


@hookimpl
def register_rule_sets() -> list[RuleSet]:
    """Bring the rule set ``rules-en``."""
    return [english()]
