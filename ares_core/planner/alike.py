"""Whether a name that doesn't exist means a tool that does."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ares_core.planner.arguments import name_words
from ares_core.planner.catalogue import Catalogue
from ares_core.planner.plan import Intent
from ares_core.tools import Tool

SHORTEST_STEM = 4
EMPTY = frozenset(
    "tool tools function functions get run do the a an call execute perform use api data text input value number "
    "numbers of for to from and or with in my new make send create list string".split()
)
"""Words of names that say nothing of what is done."""


def is_alike(name: str, tool: Tool, catalogue: Catalogue, intents: Iterable[Intent]) -> bool:
    """Whether a name has a word in common with what a tool is called, can do, or was found for.

    ``compute_sum`` is like a calculator that was found by the rule "sum"; ``send_email`` is not.
    """
    said = [tool.name, *tool.aliases, *tool.capabilities]
    said += [alias for one in tool.capabilities for alias in getattr(catalogue.capabilities.get(one), "aliases", ())]
    said += [part for intent in intents for part in (intent.rule, *intent.capabilities)]
    known = {word for text in said for word in name_words(text)} | set(
        re.findall(r"[^\W\d_]{4,}", tool.description.lower())
    )
    return any(_stems_meet(word, other) for word in name_words(name) if word not in EMPTY for other in known - EMPTY)


def _stems_meet(one: str, other: str) -> bool:
    if one == other:
        return True
    return min(len(one), len(other)) >= SHORTEST_STEM and (one.startswith(other[:-1]) or other.startswith(one[:-1]))
