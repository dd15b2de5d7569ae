"""The bridge: a call by name, a request in words, or both; who gets what is one table.

| name            | request | what happens                                                              |
|-----------------|---------|---------------------------------------------------------------------------|
| known           | any     | the call                                                                  |
| unknown         | given   | a plan from the request; runs only if it reads, is certain, and is alike  |
| unknown         | none    | ``unknown_tool``, with the nearest names                                  |
| none            | given   | a plan from the request, which runs                                       |
| none            | none    | ``unknown_tool``                                                          |
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from ares_core.call import failed_alone
from ares_core.calls import Failure, Result, ToolCall
from ares_core.decode import decode
from ares_core.errors import DecodeError
from ares_core.planner.alike import is_alike
from ares_core.planner.arguments import as_schema
from ares_core.planner.chooser import Chooser, chosen
from ares_core.planner.plan import ExecutionPlan, Intent, PlanStep
from ares_core.planner.planner import Planner
from ares_core.planner.score import effects_of
from ares_core.planner.words import failure, without_ending
from ares_core.scheduler import run_plan
from ares_core.tools import Tool

TellPlan = Callable[[ExecutionPlan, str | None, Awaitable[Result]], Awaitable[Result]]
"""Tells those who listen of a plan that runs, and gives its result."""
RunPlan = Callable[[ExecutionPlan, Callable[[ToolCall], Awaitable[Result]], Mapping[str, Tool]], Awaitable[Result]]
SUGGESTED = 0.5
UNSURE = frozenset({"not_understood", "no_rules", "unsure"})
"""Troubles of a plan in which somebody else may know better."""
FORBIDDEN = frozenset({"negated", "mentioned"})
CERTAIN = 0.9
"""The confidence from which a plan may stand in for a name that doesn't exist, or change something on a guess."""


class RunCall(Protocol):
    """How a call gets its whole life."""

    def __call__(
        self, call: ToolCall, *, session: str | None = None, timeout: float | None = None
    ) -> Awaitable[Result]:
        """Run one call."""


class Bridge:
    """Calls by name, and requests in words, for the tools of one door.

    ``planner`` gives the planner of the moment, ``knows`` says whether a name would be found, by itself or repaired,
    ``choose`` is asked where the planner is not sure, ``tell`` hears of the plans that run.
    """

    def __init__(
        self, run: RunCall, planner: Callable[[], Planner], knows: Callable[[str], bool], choose: Chooser | None = None,
        tell: TellPlan | None = None,
    ) -> None:  # fmt: skip
        self._run, self._planner, self._knows, self._choose, self._tell = run, planner, knows, choose, tell

    def plan(self, request: str) -> ExecutionPlan:
        """Plan what a request needs; runs nothing."""
        return self._planner().plan(request)

    async def ask(self, request: str, *, session: str | None = None, timeout: float | None = None) -> Result:
        """Plan and run what a request asks for, or say why not."""
        return await self.carry_out(await self.decide(self.plan(request)), session=session, timeout=timeout)

    async def decide(self, plan: ExecutionPlan) -> ExecutionPlan:
        """Settle what runs: where the planner was not sure somebody else may know better, or nothing runs."""
        if self._choose is not None and plan.trouble in UNSURE:
            plan = await chosen(plan, self._planner().nearest(plan), self._choose)
        if plan.error is None and plan.is_guessed and not plan.read_only and plan.confidence < CERTAIN:
            names = [step.tool for step in plan.steps]
            why = f"{plan.confidence:.2f} < {CERTAIN:g}"
            error = failure("no_plan", plan.request, "unsure", why=why, candidates=names)
            return replace(plan, error=error, trouble="unsure")
        return plan

    async def call(
        self, call: ToolCall, request: str | None = None, *, session: str | None = None, timeout: float | None = None
    ) -> Result:
        """Run a call by name; without a name, or with one that doesn't exist, look at the request."""
        if not (isinstance(call.name, str) and call.name.strip()):
            if request and request.strip():
                return await self.ask(request, session=session, timeout=timeout)
            return failed_alone(call, "unknown_tool", "The call has neither a name nor a request in words.")
        if not (request and request.strip()) or self._knows(call.name):
            return await self._run(call, session=session, timeout=timeout)
        plan = self._instead(call, self.plan(request))
        if plan.error is None and self._may_stand_in(call, plan):
            result = await self.carry_out(plan, session=session, timeout=timeout)
            return replace(result, metadata={**result.metadata, "instead_of": call.name})
        return _suggested(await self._run(call, session=session, timeout=timeout), plan)

    def carry_out(
        self, plan: ExecutionPlan, *, session: str | None = None, timeout: float | None = None, by: RunPlan = run_plan
    ) -> Awaitable[Result]:
        """Run a plan that is settled; ``by`` is how, for those who keep what its steps gave."""

        def run(call: ToolCall) -> Awaitable[Result]:
            return self._run(call, session=session, timeout=timeout)

        work = by(plan, run, self._tools())
        return work if self._tell is None else self._tell(plan, session, work)

    def _tools(self) -> Mapping[str, Tool]:
        return self._planner().catalogue.tools

    def _may_stand_in(self, call: ToolCall, plan: ExecutionPlan) -> bool:
        """Whether a plan may run by itself in place of a call that doesn't exist."""
        catalogue = self._planner().catalogue
        alike = len(plan.steps) == 1 and is_alike(
            call.name, catalogue.tools[plan.steps[0].tool], catalogue, plan.intents
        )
        return alike and plan.read_only and plan.confidence >= CERTAIN

    def _instead(self, call: ToolCall, plan: ExecutionPlan) -> ExecutionPlan:
        """Keep arguments of the failed call that fit the tool found; a contradiction leaves no certainty."""
        if plan.error is not None:
            return self._by_name(call, plan)
        if len(plan.steps) != 1:
            return plan
        step = plan.steps[0]
        properties = self._tools()[step.tool].parameters.get("properties", {})
        given = {
            name: shaped for name, value in _arguments(call).items()
            if name in properties and (shaped := as_schema(properties[name], value)) is not None
            and (name in step.arguments or shaped not in step.arguments.values())
        }  # fmt: skip
        contradicts = any(name in step.arguments and step.arguments[name] != value for name, value in given.items())
        kept = replace(step, arguments={**step.arguments, **given})
        return replace(plan, steps=(kept,), confidence=SUGGESTED if contradicts else plan.confidence)

    def _by_name(self, call: ToolCall, plan: ExecutionPlan) -> ExecutionPlan:
        """Where the request gives no plan, look for the one tool that is like the name and takes all its arguments."""
        given, catalogue = _arguments(call), self._planner().catalogue
        takers = [tool for tool in catalogue.tools.values() if given and _takes(tool, given)]
        alike = [tool for tool in takers if is_alike(call.name, tool, catalogue, ())]
        if len(alike) != 1 or plan.trouble in FORBIDDEN:
            return plan
        step = PlanStep("s1", alike[0].name, "", given, read_only=effects_of(alike[0], given).read_only)
        intents = (Intent("name and arguments of the call", "", (), call.name),)
        return replace(plan, intents=intents, steps=(step,), error=None, confidence=SUGGESTED)


def _takes(tool: Tool, given: Mapping[str, Any]) -> bool:
    """Whether a tool has a parameter for each of these arguments, and needs no others."""
    properties = tool.parameters.get("properties", {})
    return set(tool.parameters.get("required", ())) <= given.keys() <= properties.keys() and all(
        as_schema(properties[name], value) is not None for name, value in given.items()
    )


def _arguments(call: ToolCall) -> Mapping[str, Any]:
    if isinstance(call.arguments, Mapping):
        return call.arguments
    try:
        value, _ = decode(call.arguments)
    except DecodeError:
        return {}
    return value if isinstance(value, Mapping) else {}


def _suggested(result: Result, plan: ExecutionPlan) -> Result:
    """Add to the refusal of an unknown name what the request would need."""
    if result.error is None or result.error.code != "unknown_tool":
        return result
    if plan.error is not None:
        hint = f"The request gives no plan either: {without_ending(plan.error.message)}"
        names = plan.error.suggestions
    else:
        calls = [f"{step.tool} {msgspec.json.encode(step.arguments).decode()}" for step in plan.steps]
        hint = f"The request would need: {', then '.join(calls)}. Call it by that name if it is what you mean."
        names = tuple(dict.fromkeys(step.tool for step in plan.steps))
    suggestions = tuple(dict.fromkeys((*names, *result.error.suggestions)))
    error: Failure = replace(result.error, message=f"{result.error.message} {hint}", suggestions=suggestions)
    return replace(result, error=error, text=result.text.replace(result.error.message, error.message, 1))
