"""The planner: request → intents → capabilities → candidates → score → arguments → plan → checked graph."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from ares_core.calls import Failure
from ares_core.capabilities import Capability
from ares_core.planner.arguments import Fitted, fit
from ares_core.planner.catalogue import Catalogue
from ares_core.planner.checks import fits, problems
from ares_core.planner.drafts import Draft, Drafter
from ares_core.planner.grammar import working
from ares_core.planner.plan import Candidate, ExecutionPlan, Intent, PlanStep
from ares_core.planner.score import effects_of, score
from ares_core.planner.understand import Understanding, understand
from ares_core.planner.words import failure, misfit
from ares_core.protocols import Evidence
from ares_core.rules import RuleSet
from ares_core.settings import Planning
from ares_core.tools import Tool

if TYPE_CHECKING:
    from ares_core.planner.guess import Guesser

log = logging.getLogger("ares")
_TOLD: set[str] = set()
DEFAULT = Planning()
FARTHER = "another tool is nearer to the request"
GUESSED_WORD, LEFT_OUT, RESPELLED = 0.04, 0.1, 0.1
MOST_FALLBACKS = 3
GUESSED_FROM = frozenset({"not_understood", "negated", "mentioned"})
"""Troubles of the rules that leave room for a tool that they know nothing of."""
MOST_CANDIDATES = 5
"""Tools that a model may choose among."""
SURE_OF_WORDS = 0.5
"""The confidence in a tool that is found by its words alone, if hardly any are in common."""


class Planner:
    """Finds, without a model, which tools a request in words needs.

    Pure: the same request, tools, rule sets and evidence give the same plan, in whatever order they come. ``evidence``
    tells what is known of a tool. Make a new one when tools come or go.
    """

    def __init__(
        self, tools: Iterable[Tool], capabilities: Mapping[str, Capability], rule_sets: Iterable[RuleSet],
        evidence: Callable[[str], Evidence], settings: Planning = DEFAULT,
    ) -> None:  # fmt: skip
        self.catalogue = Catalogue(tools, capabilities)
        offered = sorted(rule_sets, key=lambda one: one.name)
        wanted = settings.rule_sets
        chosen = tuple(one for one in offered if wanted is None or one.name in wanted)
        self.grammar, broken = working(chosen)
        self.problems = (*_unknown(wanted or (), offered), *broken)
        """Which rule sets are not used although they should be, and why."""
        for problem in self.problems:
            if problem not in _TOLD:
                _TOLD.add(problem)
                log.warning("%s", problem)
        self._evidence = evidence
        self._least = settings.min_confidence

    @cached_property
    def _guesser(self) -> Guesser:
        """What finds tools by their words, imported and made when rules alone don't answer."""
        from ares_core.planner.guess import Guesser

        return Guesser(self.catalogue, self.grammar)

    def plan(self, request: str) -> ExecutionPlan:
        """Plan what a request needs; runs nothing. What can't be planned has an ``error`` that says why."""
        understood = understand(request, self.grammar)
        if understood.trouble:
            guessed = self._guessed(request) if understood.trouble in GUESSED_FROM else None
            return guessed if guessed and guessed.confidence else self._refused(request, understood, guessed)
        drafts = Drafter(self.grammar).all(understood.wanted)
        choices = [_Choice(draft, self._considered(draft)) for draft in drafts]
        intents = tuple(Intent(draft.rule, draft.rule_set, draft.needs[0], draft.said) for draft in drafts)
        others: tuple[Candidate, ...] = ()
        if any(not choice.considered for choice in choices):
            guessed = self._guessed(request)
            if guessed and guessed.confidence:
                return guessed
            others = guessed.candidates if guessed else ()
        confidence = 1 - GUESSED_WORD * sum(draft.cost for draft in drafts) - LEFT_OUT * len(understood.dropped)
        plan = self._planned(request, intents, choices, confidence, understood.dropped)
        plan = replace(plan, candidates=(*plan.candidates, *others)) if others else plan
        return _respelled(plan, understood.respelled) if understood.respelled else plan

    def nearest(self, plan: ExecutionPlan) -> list[Tool]:
        """The tools that a plan which is not sure may be about: its candidates, or those whose words are nearest."""
        names = dict.fromkeys(candidate.tool for candidate in plan.candidates)
        found = [self.catalogue.tools[name] for name in names if name in self.catalogue.tools]
        return (found or [match.tool for match in self._guesser.anything(plan.request)])[:MOST_CANDIDATES]

    def _refused(self, request: str, understood: Understanding, guessed: ExecutionPlan | None) -> ExecutionPlan:
        trouble = understood.trouble or "empty"
        if trouble == "not_understood" and not self.grammar.sets:
            trouble = "no_rules"
        error = failure("no_plan", request, trouble, word=understood.word)
        candidates = guessed.candidates if guessed else ()
        return ExecutionPlan(
            request[:1000], error=error, candidates=candidates, dropped=understood.dropped, trouble=trouble
        )

    def _guessed(self, request: str) -> ExecutionPlan | None:
        """Plan with a tool that no rule is responsible for; without confidence if the request hardly speaks of it."""
        tried = self._guesser.tried(request)
        if not tried:
            return None
        draft = Draft("s1", "words in common", "", request, ((),), {})
        near = [self._scored(match.tool, "", draft, fitted) for match, fitted, is_near in tried if is_near]
        far = [
            self._scored(match.tool, "", draft, replace(fitted, rejected=FARTHER))
            for match, fitted, is_near in tried
            if not is_near
        ]
        choice = _Choice(draft, [*self._ranked(near), *far])
        coverage = max(match.coverage for match, _, is_near in tried if is_near)
        if coverage < self._guesser.least or self._guesser.forbids(request):
            return ExecutionPlan(request, candidates=tuple(choice.candidates))
        confidence = SURE_OF_WORDS + (1 - SURE_OF_WORDS) * coverage
        return self._planned(request, (Intent(draft.rule, "", (), request),), [choice], confidence, ())

    def _planned(
        self,
        request: str,
        intents: tuple[Intent, ...],
        choices: list[_Choice],
        confidence: float,
        dropped: tuple[str, ...],
    ) -> ExecutionPlan:
        candidates = tuple(candidate for choice in choices for candidate in choice.candidates)
        error = next((error for choice in choices if (error := choice.error(request))), None)
        steps = () if error else tuple(choice.step(self.catalogue) for choice in choices)
        error = error or self._checked(request, steps)
        trouble = "unsure" if error is None and confidence < self._least else ""
        if trouble:
            names = [candidate.tool for candidate in candidates if not candidate.rejected]
            error = failure("no_plan", request, trouble, why=f"{confidence:.2f} < {self._least:g}", candidates=names)
        confidence = round(max(0.0, confidence), 2)
        return ExecutionPlan(request, intents, steps, candidates, confidence, error, dropped, trouble=trouble)

    def _considered(self, draft: Draft) -> list[tuple[Candidate, Fitted]]:
        """Give the tools that have the capability, the best first."""
        options = self._options(draft)
        found = [self._scored(tool, capability, draft, fit(tool, draft)) for tool, capability in options]
        return self._ranked(found)

    def _ranked(self, found: list[tuple[Candidate, Fitted]]) -> list[tuple[Candidate, Fitted]]:
        return sorted(found, key=lambda one: (bool(one[0].rejected), bool(one[1].missing), _worth(one[0]), one[0].tool))

    def _options(self, draft: Draft) -> list[tuple[Tool, str]]:
        """Give the tools for a draft: with a capability that it asks for, or else whose words speak of it."""
        for capability in draft.needs[0]:
            names = [name for name in self.catalogue.having(capability) if self._has_all(name, draft)]
            if names:
                return [(self.catalogue.tools[name], capability) for name in names]
        found = self._guesser.stand_ins(draft.said, draft.needs[0], draft.rule)
        return [(match.tool, draft.needs[0][0]) for match in found]

    def _has_all(self, tool: str, draft: Draft) -> bool:
        return all(any(self.catalogue.covers(tool, one) for one in needed) for needed in draft.needs[1:])

    def _scored(self, tool: Tool, capability: str, draft: Draft, fitted: Fitted) -> tuple[Candidate, Fitted]:
        worth = score(tool, self._evidence(tool.name), fitted.arguments)
        return Candidate(tool.name, capability, draft.id, worth, fitted.arguments, fitted.rejected), fitted

    def _checked(self, request: str, steps: Sequence[PlanStep]) -> Failure | None:
        """Check the graph; any problem blocks the whole plan."""
        found = [*problems(steps), *self._misfits(request, steps)]
        return failure("invalid_plan", request, "invalid", why="; ".join(found)) if found else None

    def _misfits(self, request: str, steps: Sequence[PlanStep]) -> list[str]:
        known = {step.id: step for step in steps}
        return [
            misfit(request, known[binding.step].tool, outputs, step.tool, inputs)
            for step in steps
            for binding in step.bindings
            if binding.step in known
            and not fits(
                outputs := self.catalogue.outputs(known[binding.step].capability),
                inputs := self.catalogue.inputs(step.capability),
            )
        ]


def _respelled(plan: ExecutionPlan, respelled: tuple[tuple[str, str], ...]) -> ExecutionPlan:
    """Say what was read as what; what would change something doesn't run on a word that was spelled otherwise."""
    plan = replace(plan, respelled=respelled, confidence=round(max(0.0, plan.confidence - RESPELLED), 2))
    if plan.error is not None or plan.read_only:
        return plan
    why = ", ".join(f"{said!r} read as {meant!r}" for said, meant in respelled)
    names = tuple(step.tool for step in plan.steps)
    error = failure("no_plan", plan.request, "unsure", why=why, candidates=names)
    return replace(plan, steps=(), error=error, trouble="unsure")


def _unknown(wanted: Iterable[str], offered: Sequence[RuleSet]) -> list[str]:
    known = [one.name for one in offered]
    listed = ", ".join(known) or "none"
    return [
        f"planner.rule_sets names {name!r}, but no plugin brings such a rule set (there are: {listed})"
        for name in wanted
        if name not in known
    ]


def _worth(candidate: Candidate) -> float:
    return -round(candidate.score.total, 9) if candidate.score else 0.0


class _Choice(Struct, frozen=True):
    """A draft and the tools considered for it, the best first."""

    draft: Draft
    considered: list[tuple[Candidate, Fitted]]

    @property
    def candidates(self) -> list[Candidate]:
        return [candidate for candidate, _ in self.considered]

    @property
    def capable(self) -> list[tuple[Candidate, Fitted]]:
        return [one for one in self.considered if not one[0].rejected and not one[1].missing]

    def error(self, request: str) -> Failure | None:
        """Why no step can be made of it."""
        what = self.draft.needs[0][0] if self.draft.needs[0] else self.considered[0][0].tool
        names = [candidate.tool for candidate in self.candidates]
        if not self.considered:
            return failure("no_plan", request, "no_tool", word=what)
        missing = self.draft.missing or self._lacking()
        if missing:
            return failure(
                "missing_input", request, "missing", word=what, why=", ".join(map(repr, missing)), candidates=names
            )
        if not self.capable:
            reasons = "; ".join(f"{candidate.tool}: {candidate.rejected}" for candidate in self.candidates[:3])
            return failure("no_plan", request, "unfit", word=what, why=reasons)
        return None

    def _lacking(self) -> tuple[str, ...]:
        """What the best of the tools requires that the request does not have."""
        return self.considered[0][1].missing if not self.considered[0][0].rejected else ()

    def step(self, catalogue: Catalogue) -> PlanStep:
        """Make the step: the best tool, and the runners-up in case it fails."""
        (best, fitted), *others = self.capable
        read_only = effects_of(catalogue.tools[best.tool], fitted.arguments).read_only
        fallbacks = [
            candidate
            for candidate, other in others
            if read_only and other.bindings == fitted.bindings and _only_reads(catalogue, candidate)
        ]
        return PlanStep(
            self.draft.id, best.tool, best.capability, fitted.arguments, self.draft.depends_on, fitted.bindings,
            tuple(fallbacks[:MOST_FALLBACKS]), best.score, fitted.places, read_only,
        )  # fmt: skip


def _only_reads(catalogue: Catalogue, candidate: Candidate) -> bool:
    return effects_of(catalogue.tools[candidate.tool], candidate.arguments).read_only
