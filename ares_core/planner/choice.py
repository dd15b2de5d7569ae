"""Which tool a request is about, for tools that no rule names: by their names, descriptions and parameters."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from heapq import nlargest, nsmallest
from itertools import islice, pairwise
from operator import attrgetter, itemgetter
from typing import Any
from weakref import WeakKeyDictionary

from msgspec import Struct
from msgspec.structs import replace

from ares_core.planner.lexical import VERBS, stem, stems, stems_of, words
from ares_core.planner.related import RELATED, meant
from ares_core.tools import Tool

NAME, DESCRIPTION, PARAMETER, HINT = 2.0, 1.5, 1.0, 0.4
LONGEST_DESCRIPTION = 2000
SATURATION, LENGTH = 1.2, 0.8
MOST_RELATED = 150
"""A word of more tools than this says too little to stand for another."""
MOST_WORK, KEPT, SAME, MOST_REMEMBERED = 700, 48, 1e-9, 5000
"""How many times a tool is looked at for a word. What the commoner words say counts only for the best so far."""
RELATED_SHARE, RAREST_RELATED = 0.6, 3.0
"""How much a word counts that goes together with one of the request, and how rare it may be taken for."""
_VERBS = frozenset(map(stem, VERBS))


class Match(Struct, frozen=True, gc=False):
    """A tool that may be meant: how much of the request it accounts for, compared with others and by itself."""

    tool: Tool
    weight: float
    coverage: float
    said: frozenset[str] = frozenset()
    """The words of the tool's name and of the first sentence on it."""
    phrased: float = 0.0
    """How much of that sentence the request says in the same order."""


class Profile(Struct, frozen=True):
    """The words of one tool: those of its name that say what it does, and how much each of its words weighs."""

    topic: frozenset[str]
    summary: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    weights: dict[str, float]


class Index:
    """The words of some tools, to find those that a request is about."""

    def __init__(self, tools: Iterable[Tool], also: Callable[[Tool], Iterable[str]] | None = None) -> None:
        by_name = sorted(tools, key=attrgetter("name"))  # so that ties by number are ties by name
        self._tools = by_name
        self._profiles = [_profile(tool, also(tool) if also else ()) for tool in by_name]
        self._postings: dict[str, dict[int, float]] = {}
        self._related: dict[tuple[str, frozenset[str]], Mapping[int, float]] = {}
        sizes = [sum(profile.weights.values()) for profile in self._profiles]
        usual = sum(sizes) / (len(sizes) or 1) or 1.0
        for number, (profile, size) in enumerate(zip(self._profiles, sizes, strict=True)):
            most = SATURATION * (1 - LENGTH + LENGTH * size / usual)
            for word, weight in profile.weights.items():
                self._postings.setdefault(word, {})[number] = weight * (SATURATION + 1) / (weight + most)
        for word, found in self._postings.items():
            rarity = self._rareness(len(found))
            heavy_first = sorted(found.items(), key=_by_weight)
            self._postings[word] = {number: rarity * weight for number, weight in heavy_first}

    def _rareness(self, having: int) -> float:
        return math.log(1 + (len(self._profiles) - having + 0.5) / (having + 0.5))

    def find(self, request: str, most: int = 5) -> list[Match]:
        """Give the tools that a request may be about, the likeliest first, ties by name."""
        asked = dict.fromkeys([*stems(request), *meant(request)])
        totals = self._totals(asked)
        ranked = _best(totals, most)
        known, said = frozenset(asked), _pairs(request)
        return [self._match(number, totals[number], known, said) for number in ranked]

    def _match(self, number: int, total: float, asked: frozenset[str], said: frozenset[tuple[str, str]]) -> Match:
        profile = self._profiles[number]
        phrased = len(profile.pairs & said) / (len(profile.pairs) or 1)
        return Match(self._tools[number], total, _coverage(profile, asked), profile.topic | profile.summary, phrased)

    def _totals(self, asked: Collection[str]) -> dict[int, float]:
        """Add up what the words weigh for each tool, the rarest words first, with a bound on the work."""
        weighed = [found for word in asked for found in self._weighed(word, asked)]
        totals: dict[int, float] = {}
        late: list[Mapping[int, float]] = []
        left = MOST_WORK
        for found in sorted(weighed, key=len):
            if not totals:
                totals = dict(found if len(found) <= left else islice(found.items(), left))
            elif len(found) > left:
                late.append(found)
                continue
            else:
                for number, weight in found.items():
                    totals[number] = totals.get(number, 0.0) + weight
            left = max(left - len(found), 0)
        return _narrowed(totals, late) if late else totals

    def _weighed(self, word: str, asked: Collection[str]) -> Iterator[Mapping[int, float]]:
        """Give which tools speak of a word and how much, and which of one that goes together with it instead."""
        if own := self._postings.get(word):
            yield own
        if others := RELATED.get(word):
            key = word, others.difference(asked)
            known = self._related.get(key)
            if known is None and len(self._related) < MOST_REMEMBERED:
                known = self._related[key] = self._speaking(*key)
            if found := self._speaking(*key) if known is None else known:
                yield found

    def _speaking(self, word: str, others: Collection[str]) -> Mapping[int, float]:
        """How much the tools that don't speak of a word speak of one of those that go together with it."""
        own, best = self._postings.get(word, {}), dict[int, float]()
        for other in others:
            found = self._postings.get(other, ())
            if 0 < len(found) <= MOST_RELATED:
                rarity = self._rareness(len(found))
                share = RELATED_SHARE * min(rarity, RAREST_RELATED) / rarity
                for number, weight in found.items():
                    if share * weight > best.get(number, 0.0) and number not in own:
                        best[number] = share * weight
        return best


def _by_weight(one: tuple[int, float]) -> tuple[float, int]:
    return -one[1], one[0]


def _best(totals: Mapping[int, float], most: int) -> list[int]:
    """Give the tools that weigh most, the first of those that weigh the same."""
    least = min(nlargest(most, totals.values()), default=0.0) - SAME
    near = [number for number, total in totals.items() if total >= least]
    above = [number for number in near if totals[number] > least + 2 * SAME]
    above.sort(key=lambda number: (-round(totals[number], 9), number))
    return above[:most] + nsmallest(most - len(above), set(near).difference(above))


def _narrowed(totals: Mapping[int, float], late: Iterable[Mapping[int, float]]) -> dict[int, float]:
    """Keep the best, and add what the commoner words weigh for them."""
    kept = nlargest(KEPT, totals.items(), key=itemgetter(1))
    return {number: total + sum(found.get(number, 0.0) for found in late) for number, total in kept}


_PROFILES: WeakKeyDictionary[Tool, Profile] = WeakKeyDictionary()
"""Of each tool, so that an index of other tools costs only what is new in it."""


def _profile(tool: Tool, also: Iterable[str]) -> Profile:
    known = _PROFILES.get(tool)
    if known is None:
        known = _PROFILES[tool] = _read(tool)
    further = stems_of(also)
    if not further:
        return known
    weights = {**known.weights, **{word: known.weights.get(word, 0.0) + PARAMETER for word in further}}
    return replace(known, weights=weights)


def _read(tool: Tool) -> Profile:
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
        for word in stems(_hints(schema)):
            weights[word] += HINT
    topic = [word for word in name if word not in _VERBS] or name or [stem(word) for word in words(tool.name)]
    first = description.split(". ")[0]
    return Profile(frozenset(topic), frozenset(stems_of([first])) - _VERBS, _pairs(first), dict(weights))


def _pairs(text: str) -> frozenset[tuple[str, str]]:
    said = words(text)
    return frozenset(pairwise(said))


def _hints(schema: Mapping[str, Any]) -> str:
    """What a parameter's description and choices say, the beginning of each."""
    choices = schema.get("enum")
    listed = " ".join(map(str, choices)) if isinstance(choices, list | tuple) else ""
    return f"{str(schema.get('description', ''))[:300]} {listed[:300]}"


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
