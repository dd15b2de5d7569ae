"""Tools that no rule names, chosen by their words: the same steps, with less confidence."""

from __future__ import annotations

import re
from functools import cached_property

from ares_core.planner.catalogue import Catalogue
from ares_core.planner.choice import Index, Match
from ares_core.planner.grammar import Grammar
from ares_core.planner.lexical import stems_of

LEAST = 0.2
"""How far the request must speak of what the tool does."""
SHARE = 0.97
"""How near to the likeliest tool another must come for its score to decide between them."""
MOST = 5
LONGEST = 2000
"""Characters of a request that tools are compared with."""
FORBIDDING = re.compile(
    r"\b(?:don'?t|do not|never|stop|avoid|refrain|said|says|wrote|claim(?:s|ed)|how to"
    r"|how (?:do|would|can|could|should) (?:i|you|we|one))\b|不要|别|勿|如何|怎么|怎样|他说|她说"
)
"""Words that forbid what follows, or only tell of it."""
GUESSED_FROM = frozenset({"not_understood", "negated", "mentioned"})
"""Troubles of the rules that leave room for a tool that they know nothing of."""


class Guesser:
    """Finds tools by their words, among those whose capabilities no rule is responsible for."""

    def __init__(self, catalogue: Catalogue, grammar: Grammar) -> None:
        self._catalogue, self._grammar = catalogue, grammar

    @cached_property
    def _index(self) -> Index:
        ruled = {name for each in self._grammar.sets for rule in each.rules for name in rule.capabilities}
        covered = {tool for name in ruled for tool in self._catalogue.having(name)}
        return Index(tool for name, tool in self._catalogue.tools.items() if name not in covered)

    def find(self, request: str) -> list[Match]:
        """Give the tools that the request may be about; none if it forbids, or only asks how.

        Those that come near to the likeliest stay, so that their scores may decide.
        """
        if len(request) > LONGEST or FORBIDDING.search(request.lower().replace("’", "'")):
            return []
        found = self._index.find(request, MOST)
        return [match for match in found if match.weight >= SHARE * found[0].weight]

    def stand_ins(self, said: str, capabilities: tuple[str, ...]) -> list[Match]:
        """Give the tools that speak of a capability which no installed tool declares."""
        wanted = stems_of(capabilities)
        return [match for match in self.find(said) if match.coverage >= LEAST and wanted & match.said]
