"""Plans: what would run, in which order, with which arguments, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct, field

from ares_core.calls import Failure
from ares_core.planner.score import Score


class Place(Struct, frozen=True):
    """Where in the request an argument came from: characters ``start`` up to ``end``."""

    start: int
    end: int


class Binding(Struct, frozen=True):
    """An argument that takes what a step gives."""

    argument: str
    step: str


class Intent(Struct, frozen=True):
    """What was understood: the rule that hit, of which rule set, and the capabilities that would do, best first."""

    rule: str
    rule_set: str
    capabilities: tuple[str, ...]
    said: str


class Candidate(Struct, frozen=True):
    """A tool that was considered for a step; ``rejected`` says why it can't do it."""

    tool: str
    capability: str
    step: str
    score: Score | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    rejected: str = ""


class PlanStep(Struct, frozen=True):
    """One call of a plan. The fallbacks are tried in order if it fails for a reason of the tool's own."""

    id: str
    tool: str
    capability: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    depends_on: tuple[str, ...] = ()
    bindings: tuple[Binding, ...] = ()
    fallbacks: tuple[Candidate, ...] = ()
    score: Score | None = None
    places: Mapping[str, Place] = field(default_factory=dict)
    read_only: bool = False


class ExecutionPlan(Struct, frozen=True):
    """What a request leads to. With an ``error`` nothing runs; otherwise ``steps`` are a checked graph.

    ``confidence`` is between 0 and 1: words that were guessed to be text, and arguments that no rule filled, lower it.
    """

    request: str
    intents: tuple[Intent, ...] = ()
    steps: tuple[PlanStep, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    confidence: float = 0.0
    error: Failure | None = None
    dropped: tuple[str, ...] = ()
    respelled: tuple[tuple[str, str], ...] = ()
    """Words of the request that were read as others."""
    trouble: str = ""
    """What kind of ``no_plan`` it is: ``not_understood``, ``negated``, ``mentioned``, ``unsure`` and the like."""

    @property
    def sinks(self) -> tuple[str, ...]:
        """The steps that no other step builds on: what they give is the answer."""
        used = {name for step in self.steps for name in step.depends_on}
        return tuple(step.id for step in self.steps if step.id not in used)

    @property
    def rejected(self) -> tuple[Candidate, ...]:
        """The tools that were considered and can't do it, with the reason."""
        return tuple(candidate for candidate in self.candidates if candidate.rejected)

    @property
    def is_guessed(self) -> bool:
        """Whether a tool was found by words alone, without a rule."""
        return any(not intent.rule_set for intent in self.intents)

    @property
    def read_only(self) -> bool:
        """Whether every step only reads."""
        return all(step.read_only for step in self.steps)

    def to_dict(self) -> dict[str, Any]:
        """Give the plan as plain JSON values."""
        made: dict[str, Any] = msgspec.to_builtins(self, enc_hook=str)
        for shown, candidate in zip(made["candidates"], self.candidates, strict=True):
            shown["total"] = candidate.score.total if candidate.score else None
        return {**made, "sinks": list(self.sinks), "read_only": self.read_only}

    def explain(self) -> str:
        """Tell a person what was understood, which tools were considered with which scores, and what would run."""
        lines = [f"request: {self.request[:200]}"]
        lines += [f"left out: {part}" for part in self.dropped]
        lines += [f"read {said!r} as {meant!r}" for said, meant in self.respelled]
        lines += [_understood(intent) for intent in self.intents]
        lines += [_shown(candidate) for candidate in self.candidates]
        for step in self.steps:
            lines += self._step(step)
        if self.error:
            lines.append(f"no plan ({self.error.code}): {self.error.message}")
        else:
            lines += [f"order: {', then '.join(' and '.join(names) for names in self.order)}"] if self.steps[1:] else []
            lines.append(f"confidence: {self.confidence:.2f}; the answer is what {', '.join(self.sinks)} gives")
        return "\n".join(lines)

    @property
    def order(self) -> tuple[tuple[str, ...], ...]:
        """The steps in the order in which they can run; those that stand together wait for nothing of each other."""
        done: dict[str, int] = {}
        for step in self.steps:
            done[step.id] = 1 + max((done.get(name, 0) for name in step.depends_on), default=-1)
        levels = sorted({*done.values()})
        return tuple(tuple(name for name, level in done.items() if level == one) for one in levels)

    def brief(self) -> str:
        """Tell only what would run, or why nothing would."""
        if self.error:
            return self.error.message
        return "\n".join(line for step in self.steps for line in self._step(step))

    def _step(self, step: PlanStep) -> list[str]:
        after = f" after {', '.join(step.depends_on)}" if step.depends_on else ""
        lines = [f"step {step.id}: {step.tool}{f' ({step.capability})' if step.capability else ''}{after}"]
        for name, value in step.arguments.items():
            place = step.places.get(name)
            said = f" from {self.request[place.start : place.end]!r} at {place.start}–{place.end}" if place else ""
            lines.append(f"  {name} = {value!r:.200}{said}")
        lines += [f"  {binding.argument} = what {binding.step} gives" for binding in step.bindings]
        if step.fallbacks:
            lines.append(f"  if it fails: {', '.join(fallback.tool for fallback in step.fallbacks)}")
        return lines


def _understood(intent: Intent) -> str:
    by = f"rule {intent.rule!r} of {intent.rule_set}" if intent.rule_set else intent.rule
    needed = f" → {' or '.join(intent.capabilities)}" if intent.capabilities else ""
    return f"understood: {intent.said!r} by {by}{needed}"


def _shown(candidate: Candidate) -> str:
    what = f"candidate for {' '.join(filter(None, (candidate.step, candidate.capability)))}: {candidate.tool}"
    return f"{what} {candidate.score}" if not candidate.rejected else f"{what} rejected: {candidate.rejected}"
