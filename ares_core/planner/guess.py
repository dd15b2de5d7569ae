"""Tools that no rule names, chosen by their words: the same steps, with less confidence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from msgspec import Struct

from ares_core.call.finish import READER
from ares_core.planner.arguments import Fitted
from ares_core.planner.catalogue import Catalogue
from ares_core.planner.choice import Index, Match
from ares_core.planner.generic import Contents, fill, wanted_by
from ares_core.planner.grammar import Grammar
from ares_core.planner.lexical import stems_of
from ares_core.planner.wishes import Wish
from ares_core.tools import Tool

LEAST = 0.2
"""How far the request must speak of what the tool does."""
SHARE = 0.97
"""How near to the likeliest tool another must come for its score to decide between them."""
FILLED, LIKELY = 10, 0.5
"""How many tools, and from which share of the likeliest tool's weight on, are tried with the request's values."""
LACKING, FINDING, COVERING, PHRASED = 0.2, 0.01, 0.4, 0.4
"""What it takes from a tool that required values are missing, what each value found adds,
how far the request speaks of what it does, squared, and in its very phrases."""
MOST, MOST_NEAR = 20, 5
FOR_AGENTS = "agent"
"""The toolset of tools that serve a model in the middle of its work: no request in words means one of them."""
LONGEST = 2000
"""Characters of a request that tools are compared with."""
FORBIDDING = re.compile(
    r"\b(?:don'?t|do not|never|stop|avoid|refrain|said|says|wrote|claim(?:s|ed)|how to"
    r"|how (?:do|would|can|could|should) (?:i|you|we|one))\b|不要|别|勿|如何|怎么|怎样|他说|她说"
)
"""Words that forbid what follows, or only tell of it."""
_ASIDE = re.compile(r"(?<=[a-z0-9][.!?]) +(?:do not|don't) (?:return|include|show|list|add|limit)\b[^.!?]{0,200}")
"""A sentence that comes after the wish and only says what its result shall not hold."""


class Trial(Struct, frozen=True):
    """A tool that may be meant, with what speaks for it, and its arguments if it was tried."""

    worth: float
    match: Match
    fitted: Fitted | None = None


class Guesser:
    """Finds tools by their words, among those whose capabilities no rule is responsible for."""

    least = LEAST

    def __init__(self, catalogue: Catalogue, grammar: Grammar) -> None:
        self._catalogue, self._grammar = catalogue, grammar
        self._wishes: dict[str, Sequence[Wish]] = {}

    def _wanted(self, tool: Tool) -> Sequence[Wish]:
        if tool.name not in self._wishes:
            self._wishes[tool.name] = wanted_by(tool.parameters)
        return self._wishes[tool.name]

    @cached_property
    def _index(self) -> Index:
        ruled = {name for each in self._grammar.sets for rule in each.rules for name in rule.capabilities}
        covered = {tool for name in ruled for tool in self._catalogue.having(name)}
        left = self._catalogue.tools.keys() - covered - {READER}
        tools = [self._catalogue.tools[name] for name in sorted(left)]
        return Index(tool for tool in tools if tool.toolset != FOR_AGENTS)

    def find(self, request: str) -> list[Match]:
        """Give the tools that the request may be about, the likeliest first."""
        return self._index.find(request, MOST) if len(request) <= LONGEST else []

    @cached_property
    def _everything(self) -> Index:
        return Index(self._catalogue.tools.values())

    def anything(self, request: str) -> list[Match]:
        """Give the tools whose words are nearest, also those that rules are responsible for."""
        return self._everything.find(request, MOST) if len(request) <= LONGEST else []

    def forbids(self, request: str) -> bool:
        """Whether a request forbids, tells of it, or only asks how: then nothing may run."""
        return bool(FORBIDDING.search(_ASIDE.sub("", request.lower().replace("’", "'"))))

    def tried(self, request: str) -> list[tuple[Match, Fitted, bool]]:
        """Give them with the arguments that the request has for them: a tool that can be filled is the likelier one.

        True says that a tool comes so near to the likeliest that their scores may decide.
        """
        found = self.find(request)
        if not found or not found[0].weight:
            return []
        contents = Contents(request)
        trials = [
            self._trial(match, match.weight / found[0].weight, number, contents) for number, match in enumerate(found)
        ]
        trials.sort(key=lambda trial: (-round(trial.worth, 9), trial.match.tool.name))
        least = trials[0].worth - (1 - SHARE)
        near = [number < MOST_NEAR and trial.worth >= least for number, trial in enumerate(trials)]
        return [
            (trial.match, self._fitted(trial, contents, is_near), is_near)
            for trial, is_near in zip(trials, near, strict=True)
        ]

    def _trial(self, match: Match, share: float, number: int, contents: Contents) -> Trial:
        """Weigh a tool; only the first few are filled for it."""
        worth = share + COVERING * match.coverage**2 + PHRASED * match.phrased
        if number >= FILLED or share < LIKELY:
            return Trial(worth, match)
        fitted = self._filled(match, contents)
        required = len(match.tool.parameters.get("required", ())) or 1
        worth += FINDING * len(fitted.arguments) - LACKING * len(fitted.missing) / required
        return Trial(worth, match, fitted)

    def _fitted(self, trial: Trial, contents: Contents, is_near: bool) -> Fitted:
        """The arguments of a tool; one that may be called is never without."""
        return trial.fitted or (self._filled(trial.match, contents) if is_near else Fitted())

    def _filled(self, match: Match, contents: Contents) -> Fitted:
        return fill(self._wanted(match.tool), contents, match.said)

    def stand_ins(self, said: str, capabilities: tuple[str, ...], rule: str) -> list[Match]:
        """Give the tools that speak of what a rule asks for, if no installed tool declares its capability."""
        wanted = stems_of((*capabilities, rule))
        if self.forbids(said):
            return []
        found = self.find(said)
        return [match for match in found if match.coverage >= LEAST and wanted & match.said]
