"""Step 4: which of the tools that could do it should. Every term is kept, so that the choice can be shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from ares_core.calls import Effects
from ares_core.protocols import Evidence
from ares_core.tools import Tool

PRIOR_RUNS, PRIOR_RATE = 5, 0.95


class Score(Struct, frozen=True):
    """The terms of a score.

    ``10/max(cost,1) + 3·deterministic + 2·composable + 20·rate − min(latency/100, 5) − 10·failures − 5·side effects``

    >>> round(Score(10, 3, 2, 19, -0.01, 0, 0).total, 2)
    33.99
    """

    cost: float
    deterministic: float
    composable: float
    success: float
    latency: float
    failures: float
    side_effects: float

    @property
    def total(self) -> float:
        """The sum of the terms."""
        return sum(self.terms.values())

    @property
    def terms(self) -> dict[str, float]:
        """The terms by name."""
        return {name: getattr(self, name) for name in self.__struct_fields__}

    def __str__(self) -> str:
        shown = " ".join(f"{name.replace('_', ' ')} {value:+.4g}" for name, value in self.terms.items() if value)
        return f"{self.total:.2f} = {shown}"


def score(tool: Tool, evidence: Evidence, arguments: Mapping[str, Any]) -> Score:
    """Score a tool for a call with these arguments."""
    runs = evidence.n + PRIOR_RUNS
    latency = tool.latency_ms if evidence.latency_ms is None else evidence.latency_ms
    return Score(
        cost=10 / max(tool.cost, 1),
        deterministic=3.0 * tool.deterministic,
        composable=2.0 * tool.composable,
        success=20 * (evidence.successes + PRIOR_RATE * PRIOR_RUNS) / runs,
        latency=-min(latency / 100, 5),
        failures=-10 * evidence.failures / runs,
        side_effects=0.0 if effects_of(tool, arguments).read_only else -5.0,
    )


def effects_of(tool: Tool, arguments: Mapping[str, Any]) -> Effects:
    """What a call would do; a tool that can't say is taken to do the most."""
    if isinstance(tool.effects, Effects):
        return tool.effects
    try:
        effects = tool.effects(arguments)
    except Exception:
        return Effects()
    return effects if isinstance(effects, Effects) else Effects()
