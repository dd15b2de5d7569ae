"""Values and parameters that come in rows: "width and height of 3 and 4", "between Rome and Oslo"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from ares_core.planner.finds import Find, Finder
from ares_core.planner.lexicon import ARTICLES
from ares_core.planner.surroundings import LINKERS
from ares_core.planner.wishes import Wish

_JOINERS = frozenset((",", "and", "、", "和"))
_NUMBERED = re.compile(
    r"\d+|(?<![a-z])(?:first|second|third|one|two|a|b|c|x|y|start|end|initial|final|from|to|origin|destination|min|max|"
    r"lower|upper|departure|arrival|source|target)(?![a-z])"
)
NAMED, OTHERS, LONGEST_LABELS = 1.3, 0.2, 12


def groups(wanted: Sequence[Wish]) -> list[list[Wish]]:
    """Give the parameters whose names differ only in a number, or in which end they mean."""
    found: dict[tuple[str, str], list[Wish]] = {}
    for wish in wanted:
        name = _NUMBERED.sub("#", wish.name.lower())
        if "#" in name:
            found.setdefault((name, wish.kind), []).append(wish)
    return [group for group in found.values() if len(group) > 1]


def rows(finder: Finder, lists: Iterable[Find]) -> Iterator[Find]:
    """Give the items of a row of numbers that a row of as many names stands before, each with its own name."""
    for row in lists:
        if row.kind == "numbers" and (names := _names_before(finder, row.value)):
            for item, name in zip(row.value, names, strict=True):
                yield replace(item, near={**dict.fromkeys(item.near, OTHERS), **dict.fromkeys(name, NAMED)})


def _names_before(finder: Finder, items: Sequence[Find]) -> list[list[str]]:
    index = items[0].start - 1
    while index >= 0 and finder.tokens[index].text in LINKERS:
        index -= 1
    names: list[list[str]] = [[]]
    for at in range(index, max(-1, index - LONGEST_LABELS), -1):
        word = finder.tokens[at].text
        if word in _JOINERS and len(names) < len(items):
            names.append([])
        elif finder.stems[at] and len(names[-1]) < 2:
            names[-1].append(finder.stems[at])
        elif word not in ARTICLES:
            break
    return names[::-1] if len(names) == len(items) and all(names) else []


def in_rows(wanted: Sequence[Wish], lists: Iterable[Find]) -> Iterator[tuple[Wish, Find]]:
    """Give each parameter of a group with the item that stands in its place in a row of as many."""
    alike = groups(wanted)
    for row in lists if alike else ():
        for group in alike:
            if len(row.value) == len(group) and (row.kind == "numbers") == (group[0].kind == "number"):
                yield from zip(group, row.value, strict=True)
