"""How far into a request a phrase can still begin, so that none is followed whose words don't come any more."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping

from ares_core.planner.grammar import Grammar
from ares_core.planner.phrases import Node
from ares_core.planner.text import Token

NEVER = -1
Slot = tuple[str, str, int, Node]
"""A slot's name and kind, how tight it is, and what follows it."""


class Reach:
    """Tells of the places in phrases where in a request they can last begin; worked out once for each."""

    def __init__(self, text: Iterable[Token], grammar: Grammar) -> None:
        self._worded = grammar.worded
        self._possible: dict[Node, list[Slot]] = {}
        self._openings: dict[str, list[tuple[str, Node]]] = {}
        self._last = {token.text: token.start for token in text}
        self._known: dict[Node, int] = {}

    def latest(self, node: Node) -> int:
        """The last character at which what follows a node may begin, ``NEVER`` if its words don't occur in order."""
        known = self._known.get(node)
        if known is None:
            self._known[node] = sys.maxsize
            known = self._known[node] = sys.maxsize if node.entries else self._later(node)
        return known

    def _later(self, node: Node) -> int:
        latest = NEVER
        for word in node.words.keys() & self._last.keys():
            following = node.after_word(word)
            if following is not None:
                latest = max(latest, min(self._last[word], self.latest(following) - 1))
        for slot in node.slots:
            latest = max(latest, self._filled(slot[1], self.latest(node.after_slot(slot))))
        return latest

    def possible(self, node: Node) -> list[Slot]:
        """The slots that may follow a node, of phrases whose words all come."""
        found = self._possible.get(node)
        if found is None:
            afterwards = ((slot, node.after_slot(slot)) for slot in node.slots)
            found = self._possible[node] = [
                (*slot, following)
                for slot, following in afterwards
                if self._filled(slot[1], self.latest(following)) >= 0
            ]
        return found

    def openings(self, what: str, nodes: Mapping[str, Node]) -> list[tuple[str, Node]]:
        """The kinds of slots with which phrases may begin, with what follows each."""
        if what not in self._openings:
            self._openings[what] = [(kind, node) for kind, node in nodes.items() if self.possible(node)]
        return self._openings[what]

    def _filled(self, kind: str, following: int) -> int:
        """The last character at which a slot may begin, if what follows it begins at one at the latest."""
        worded = self._worded.get(kind)
        return min(following, self.latest(worded)) if worded and following >= 0 else following
