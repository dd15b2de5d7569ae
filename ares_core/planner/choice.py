"""Which tool a request is about, for tools that no rule names: by their names, descriptions and parameters."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from heapq import nlargest
from typing import Any

from msgspec import Struct

from ares_core.planner.lexical import VERBS, stem, stems, stems_of, words
from ares_core.planner.related import RELATED, meant
from ares_core.tools import Tool

NAME, DESCRIPTION, PARAMETER, HINT = 2.0, 1.5, 1.0, 0.4
LONGEST_DESCRIPTION = 2000
SATURATION, LENGTH = 1.2, 0.6
MOST_COMMON, MOST_RELATED = 1000, 150
"""A word of more tools than this tells none from another."""
RELATED_SHARE, RAREST_RELATED = 0.35, 3.0
"""How much a word counts that goes together with one of the request, and how rare it may be taken for."""
_VERBS = frozenset(map(stem, VERBS))


class Match(Struct, frozen=True, gc=False):
    """A tool that may be meant: how much of the request it accounts for, compared with others and by itself."""

    tool: Tool
    weight: float
    coverage: float
    said: frozenset[str] = frozenset()
    """The words of the tool's name and of the first sentence on it."""


class Profile(Struct, frozen=True):
    """The words of one tool: those of its name that say what it does, and how much each of its words weighs."""

    tool: Tool
    topic: frozenset[str]
    summary: frozenset[str]
    weights: dict[str, float]


class Index:
    """The words of some tools, to find those that a request is about."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._profiles = [_profile(tool) for tool in tools]
        self._postings: dict[str, list[tuple[int, float]]] = {}
        sizes = [sum(profile.weights.values()) for profile in self._profiles]
        usual = sum(sizes) / (len(sizes) or 1) or 1.0
        for number, (profile, size) in enumerate(zip(self._profiles, sizes, strict=True)):
            most = SATURATION * (1 - LENGTH + LENGTH * size / usual)
            for word, weight in profile.weights.items():
                self._postings.setdefault(word, []).append((number, weight * (SATURATION + 1) / (weight + most)))
        for word, found in self._postings.items():
            rarity = self._rareness(len(found))
            self._postings[word] = [(number, rarity * weight) for number, weight in found]

    def _rareness(self, having: int) -> float:
        return math.log(1 + (len(self._profiles) - having + 0.5) / (having + 0.5))

    def find(self, request: str, most: int = 5) -> list[Match]:
        """Give the tools that a request may be about, the likeliest first, ties by name."""
        asked = [*stems(request), *meant(request)]
        totals: dict[int, float] = {}
        for word in dict.fromkeys(asked):
            found = self._postings.get(word, ())
            for number, weight in found if len(found) <= MOST_COMMON else ():
                totals[number] = totals.get(number, 0.0) + weight
            for number, weight in self._related(word, asked).items():
                totals[number] = totals.get(number, 0.0) + weight
        least = min(nlargest(most, totals.values()), default=0.0) - 1e-9
        likely = [(number, total) for number, total in totals.items() if total >= least]
        likely.sort(key=lambda item: (-round(item[1], 9), self._profiles[item[0]].tool.name))
        ranked = likely[:most]
        known = frozenset(asked)
        profiles = [(self._profiles[number], total) for number, total in ranked]
        return [Match(one.tool, total, _coverage(one, known), one.topic | one.summary) for one, total in profiles]

    def _related(self, word: str, asked: Collection[str]) -> dict[int, float]:
        """How much the tools that don't speak of a word speak of one that goes together with it."""
        best: dict[int, float] = {}
        for other in RELATED.get(word, ()):
            found = self._postings.get(other, ())
            if 0 < len(found) <= MOST_RELATED and other not in asked:
                rarity = self._rareness(len(found))
                share = RELATED_SHARE * min(rarity, RAREST_RELATED) / rarity
                for number, weight in found:
                    if share * weight > best.get(number, 0.0):
                        best[number] = share * weight
        if best:
            for number, _ in self._postings.get(word, ()):
                best.pop(number, None)
        return best


def _profile(tool: Tool) -> Profile:
    weights: defaultdict[str, float] = defaultdict(float)
    name = stems(tool.name)
    description = tool.description[:LONGEST_DESCRIPTION]
    for word in name:
        weights[word] += NAME
    for word in stems(description):
        weights[word] += DESCRIPTION
    for parameter, schema in _parameters(tool.parameters):
        for word in stems(parameter):
            weights[word] += PARAMETER
        for word in stems(f"{schema.get('description', '')[:300]} {' '.join(map(str, schema.get('enum', ())))[:300]}"):
            weights[word] += HINT
    topic = [word for word in name if word not in _VERBS] or name or [stem(word) for word in words(tool.name)]
    first = description.split(". ")[0]
    return Profile(tool, frozenset(topic), frozenset(stems_of([first])) - _VERBS, dict(weights))


def _parameters(schema: Mapping[str, Any], depth: int = 2) -> list[tuple[str, Mapping[str, Any]]]:
    properties = schema.get("properties")
    found: list[tuple[str, Mapping[str, Any]]] = []
    for name, inner in properties.items() if isinstance(properties, Mapping) else ():
        if isinstance(inner, Mapping):
            found.append((name, inner))
            found += _parameters(inner, depth - 1) if depth else []
    return found


def _coverage(profile: Profile, asked: frozenset[str]) -> float:
    """How far a request speaks of what the tool does: of its name, and of the first sentence of its description."""
    topic = len(profile.topic & asked) / len(profile.topic) if profile.topic else 0.0
    summary = len(profile.summary & asked) / len(profile.summary) if profile.summary else 0.0
    return 0.5 * topic + 0.5 * min(1.0, 2 * summary)
