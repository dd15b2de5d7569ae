"""Finding tools by words, for a caller that is shown only some of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from ares_core.planner.score import PRIOR_RATE, PRIOR_RUNS

if TYPE_CHECKING:
    from ares_core.capabilities import Capability
    from ares_core.planner.choice import Match
    from ares_core.protocols import Evidence
    from ares_core.tools import Tool

LONGEST = 2000
"""Characters of a request that are read."""
POOL = 20
"""How many tools with the most words in common are looked at closely."""
COVERING, PHRASED = 0.3, 0.45
"""How much it counts that a request speaks of all that a tool does, and in the same phrases, beside what they share."""
DIGITS = 2
"""To so many digits two tools are equally near, and what is known of their runs decides."""


class ToolIndex:
    """The words of some tools, in English and Chinese: of their names, descriptions, parameters and capabilities.

    ``capabilities`` are those that are declared, with their other names. ``evidence`` tells what is known of a tool's
    runs, which decides between tools that are equally near. Make a new one when tools come or go.

    >>> from ares_core.tools import Tool
    >>> tools = [Tool(name, words, {}, print) for name, words in (("ping", "Say pong."), ("rain", "查询天气预报"))]
    >>> index = ToolIndex(tools)
    >>> [tool.name for tool in index.find("天气怎么样")], [tool.name for tool in index.find("pings")]
    (['rain'], ['ping'])
    """

    def __init__(
        self, tools: Iterable[Tool], capabilities: Mapping[str, Capability] | None = None,
        evidence: Callable[[str], Evidence] | None = None,
    ) -> None:  # fmt: skip
        from ares_core.planner.choice import Index

        self._evidence = evidence
        known = capabilities or {}
        given: dict[str, set[str]] = {}
        for capability in known.values():
            for name in capability.tools:
                given.setdefault(name, set()).add(capability.name)

        def also(tool: Tool) -> list[str]:
            names = {*tool.capabilities, *given.get(tool.name, ())}
            aliases = [alias for name in sorted(names) if name in known for alias in known[name].aliases]
            return [*sorted(names), *aliases]

        self._index = Index(tools, also)

    def find(self, request: str, most: int = 5) -> list[Tool]:
        """Give the tools that a request in words is likeliest about, at most so many; none if no word is in common."""
        found = self._index.find(request[:LONGEST], max(POOL, most))
        if not found:
            return []
        best = found[0].weight or 1.0
        ranked = [(round(match.weight / best + _further(match), DIGITS), match) for match in found]
        return [match.tool for _, match in sorted(ranked, key=self._order)[:most]]

    def _order(self, one: tuple[float, Match]) -> tuple[float, float, str]:
        nearness, match = one
        return -nearness, -self._rate(match.tool.name), match.tool.name

    def _rate(self, name: str) -> float:
        if self._evidence is None:
            return PRIOR_RATE
        known = self._evidence(name)
        return (known.successes + PRIOR_RATE * PRIOR_RUNS) / (known.n + PRIOR_RUNS)


def _further(match: Match) -> float:
    """What speaks for a tool besides the words that it has in common with the request."""
    return COVERING * match.coverage**2 + PHRASED * match.phrased
