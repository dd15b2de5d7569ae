"""Which tool a request is about, for tools that no rule names: by their names, descriptions and parameters."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from ares_core.planner.lexical import VERBS, stem, stems, stems_of, words
from ares_core.tools import Tool

NAME, DESCRIPTION, PARAMETER, HINT = 3.0, 1.5, 1.0, 0.4
LONGEST_DESCRIPTION = 2000
SATURATION = 1.2
MOST_COMMON = 2000
"""A word of more tools than this tells none from another."""
_VERBS = frozenset(map(stem, VERBS))


class Match(Struct, frozen=True):
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
        for number, profile in enumerate(self._profiles):
            for word, weight in profile.weights.items():
                self._postings.setdefault(word, []).append((number, weight))

    def find(self, request: str, most: int = 5) -> list[Match]:
        """Give the tools that a request may be about, the likeliest first, ties by name."""
        asked = stems(request)
        totals: dict[int, float] = {}
        for word in dict.fromkeys(asked):
            found = self._postings.get(word, ())
            if len(found) > MOST_COMMON:
                continue
            rarity = math.log(1 + (len(self._profiles) - len(found) + 0.5) / (len(found) + 0.5)) if found else 0
            for number, weight in found:
                totals[number] = totals.get(number, 0.0) + rarity * weight * (SATURATION + 1) / (weight + SATURATION)
        ranked = sorted(totals.items(), key=lambda item: (-round(item[1], 9), self._profiles[item[0]].tool.name))
        known = frozenset(asked)
        profiles = [(self._profiles[number], total) for number, total in ranked[:most]]
        return [Match(one.tool, total, _coverage(one, known), one.topic | one.summary) for one, total in profiles]


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
