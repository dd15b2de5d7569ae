"""Words and their stems: how tools without rules are compared with a request."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

EMPTY = frozenset(
    "a an the this that these those i me my we our you your he she it its they them their is are was were be "
    "been am do does did done have has had having will would can could should shall may might must need want "
    "like please help tell show give let know of in on at to for from by with about into over under between "
    "among during through as and or but not no nor so than then there here what which who whom whose when where "
    "why how if else any some all each every both such only own same too very just also get got make made using "
    "use used given based based per via up out off one following return returns optional default value values "
    "string number integer list name tool specific specified provide provided information data result "
    "results parameter required format e.g etc i'm it's what's i'd more most much many able certain gets getting "
    "gives giving shows showing needs needed needing wants wanted".split()
)
"""Words that say nothing of what is wanted or done."""
VERBS = frozenset(
    "calculate compute find search fetch look lookup retrieve get check determine identify estimate generate create "
    "analyze analyse evaluate convert update set solve book order query predict list display obtain view see".split()
)
"""Words in names of tools that say little by themselves."""
_WORD = re.compile(r"[a-z]+|\d+|[一-鿿]")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_DROPPED = "-ments -ment -ness -ings -ing -edly -ed -ers -er -ors -or -ions -ion -ical -ic -al -ly -es -s -e -y"
_ENDINGS = (
    *(("ational", "ate"), ("ations", "ate"), ("ation", "ate"), ("izing", "ize"), ("ities", ""), ("ity", "")),
    *(("ally", "al"), ("ies", "y")),
    *((end[1:], "") for end in _DROPPED.split()),
)
_BEFORE_OTHERS = frozenset("ally ies s es".split())
"""Endings that may stand after another one."""


def words(text: str) -> list[str]:
    """Cut a text or a name into lower-case words.

    >>> words("getWeather_forecast for 天气")
    ['get', 'weather', 'forecast', 'for', '天', '气']
    """
    return _WORD.findall(_HUMP.sub(" ", text).lower())


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Leave out what only inflects a word.

    >>> stem("calculations") == stem("calculate") == stem("calculating")
    True
    >>> stem("cancelled") == stem("cancel"), stem("stopping") == stem("stop"), stem("adding") == stem("add")
    (True, True, True)
    """
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            shorter = word[: -len(ending)] + instead
            goes_on = ending in _BEFORE_OTHERS and len(shorter) > 4
            return stem(shorter) if goes_on else _single(shorter.removesuffix("e"))
    return _single(word)


def _single(word: str) -> str:
    """Leave out the second of two consonants at the end, which an ending may have brought."""
    if len(word) > 3 and word[-1] == word[-2] and (word[-1] in "bdfgmnprt" or word[-1] == "l" and len(word) > 5):
        return word[:-1]
    return word


def stems(text: str) -> list[str]:
    """Give the stems of the words that say something; of Chinese, pairs of characters."""
    found: list[str] = []
    before = ""
    for word in words(text):
        if word > "一":
            found += [before + word] if before > "一" else []
        elif word not in EMPTY and len(word) > 1:
            found.append(stem(word))
        before = word
    return found


def stems_of(texts: Iterable[str]) -> set[str]:
    """Give the stems of several texts."""
    return {one for text in texts for one in stems(text)}
