"""The loop: ask the model, run what it calls, tell it the results, until it answers or something says stop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import msgspec

from ares_core import Ares, Budget, Failure, Result, Scoped, Turn
from ares_plugin_agent.approving import resumed, waiting
from ares_plugin_agent.asking import Asker, Spent
from ares_plugin_agent.calling import Caller
from ares_plugin_agent.happenings import Happening
from ares_plugin_agent.models import Model
from ares_plugin_agent.planning import planned
from ares_plugin_agent.providers import Question
from ares_plugin_agent.run import Outcome, Pending, Run, Talk, kept
from ares_plugin_agent.sending import Trouble
from ares_plugin_agent.settings import Settings

MOST_LOOPING = 2
"""Turns in a row in which the loop guard refused every call."""
MOST_IDLE = 5
"""Turns in a row of whose calls none was executed, for whatever reasons."""
MOST_UNREADABLE = 3
"""Turns in a row that say nothing, or a call that not even the provider could read."""


class Loop:
    """One run of an agent."""

    def __init__(
        self, door: Ares | Scoped, model: Model, settings: Settings, budget: Budget, talk: Talk,
        say: Callable[[Happening], None],
    ) -> None:  # fmt: skip
        self.talk = talk
        self.said = self._latest = ""
        self._door = door
        self._model = model
        self._settings = settings
        self._budget = budget
        self._asker = Asker(door, model, settings, budget, talk, say)
        self._caller = Caller(door, say)
        self._executed = self._idle = self._looping = self._unreadable = 0

    async def run(self) -> Run:
        """Go on until the run ends; gives how, unless it is cancelled."""
        self._door.ares.wires.format(self._model.provider.wire)  # says what to install if nothing speaks it
        try:
            ended = await self._go_on_with_approvals() if self.talk.pending else None
            while ended is None:
                ended = await self._turn()
            return await self._second_opinion(ended)
        except Spent as spent:
            return self._over(spent.failure)
        except Trouble as trouble:
            return self.end("failed", f"The model gave no answer: {trouble}.")

    async def _turn(self) -> Run | None:
        """Ask the model once, and do what it says."""
        if failure := self._budget.spend(iterations=1):
            return self._over(failure)
        self.talk.turns += 1
        # in a thread: servers that bring tools may have to be started first
        turn = await self._asker.ask(await asyncio.to_thread(self._question))
        self.said = turn.text or self.said
        if turn.calls:
            return await self._call(turn)
        if turn.outcome == "malformed" or turn.outcome == "final" and not turn.text.strip():
            return self._ask_again(turn)
        self.talk.messages += self._door.answer(turn, [])
        if turn.outcome == "calls":  # the provider has work of its own under way
            return None
        return self.end(*_verdict(turn))

    def _question(self) -> Question:
        """Put together what the model is asked."""
        model, settings = self._model, self._settings
        wire = "text" if settings.tools_in_words else model.provider.wire
        tools = self._door.definitions(wire, model=model.name)
        words = [settings.system, tools.prompt if tools else ""]
        system = "\n\n".join(word for word in words if word)
        return Question(
            model.name, system, self.talk.messages, tools.request, model.provider.streams, settings.max_output_tokens
        )

    async def _call(self, turn: Turn) -> Run | None:
        def leave(results: list[Result]) -> None:
            self.talk.messages += self._door.answer(turn, results)

        self._unreadable = 0
        left = self._budget.left()["time"]
        request = None if self._settings.planner == "off" else self.talk.request or None
        results = await self._caller.run(turn, self.talk.turn, request, left, leave)
        self._count(results)
        return self._take(turn, results)

    def _take(self, turn: Turn, results: Sequence[Result]) -> Run | None:
        """Write the results down, or wait if a person has to approve some call; and see whether to go on."""
        if approvals := waiting(results):
            self.talk.pending = Pending(turn, [kept(result) for result in results], approvals)
            calls = [results[int(place)].call or turn[int(place)] for place in approvals]
            names = ", ".join(sorted({call.name for call in calls}))
            return self.end("approval_required", f"The run waits for a person's approval of {names}.")
        self.talk.pending = None
        self.talk.messages += self._door.answer(turn, results)
        over = next((r.error for r in results if r.error is not None and r.error.code == "budget_exhausted"), None)
        return self._over(over) if over else self._stuck(results)

    async def _go_on_with_approvals(self) -> Run | None:
        """Run the calls that were approved meanwhile; those not decided yet go on waiting."""
        pending = self.talk.pending
        if pending is None:
            return None
        results = await resumed(self._door.ares, pending)
        self._count([results[int(place)] for place in pending.approvals])
        return self._take(pending.turn, results)

    def _count(self, results: Sequence[Result]) -> None:
        executed = sum(map(_is_executed, results))
        self._executed += executed
        self.talk.calls += executed

    def _stuck(self, results: Sequence[Result]) -> Run | None:
        """End a run that gets nowhere: the guard has told the model what to do instead, and it did not listen."""
        self._latest = next((r.text[:2000] for r in reversed(results) if r.success), self._latest)
        codes = {result.error.code if result.error else "" for result in results}
        self._idle = 0 if any(map(_is_executed, results)) else self._idle + 1
        self._looping = self._looping + 1 if codes == {"loop_detected"} else 0
        if self._looping >= MOST_LOOPING:
            why = "The model made the same calls over and over, with the same outcome, and was told so."
            latest = f" The last result was: {self._latest}" if self._latest else ""
            return self.end("loop_detected", f"{why} Ask in other words, or give it other tools.{latest}")
        if self._idle >= MOST_IDLE:
            why = f"None of the model's calls in its last {MOST_IDLE} turns could be executed"
            return self.end("loop_detected", f"{why} ({', '.join(sorted(codes))}). Ask in other words.")
        return None

    def _ask_again(self, turn: Turn) -> Run | None:
        self._unreadable += 1
        if self._unreadable >= MOST_UNREADABLE:
            why = turn.reason or "it was empty"
            return self.end("failed", f"The model gave {MOST_UNREADABLE} answers that can't be used ({why}).")
        if turn.outcome == "malformed":
            self.talk.messages += self._door.answer(turn, [])
            note = f"Your last answer could not be read ({turn.reason[:300]}). Nothing was executed. Send it again."
            self.talk.messages.append(self._model.provider.user(note))
        return None

    async def _second_opinion(self, run: Run) -> Run:
        """Let the planner answer where the model came to no answer, or, if that is wanted, to one without any call."""
        wanted = {"off": (), "fallback": ("failed", "loop_detected"), "check": ("failed", "loop_detected", "final")}
        if self._executed and run.success or run.outcome not in wanted[self._settings.planner]:
            return run
        result = await planned(self._door, self.talk.request, self.talk.session)
        if result is None:
            return run
        self.talk.calls += len(result.steps) or 1
        return msgspec.structs.replace(self.end("final", result.text), planned=True)

    def _over(self, failure: Failure) -> Run:
        return self.end("budget_exhausted", f"{failure.message.partition('. ')[0]}, and the run ended there.")

    def end(self, outcome: Outcome, text: str) -> Run:
        """Say how the run ended."""
        talk = self.talk
        talk.tokens += self._asker.tokens
        talk.is_estimate = talk.is_estimate or self._asker.untold > 0
        self._asker.tokens = 0
        approvals = tuple(talk.pending.approvals.values()) if talk.pending else ()
        counts = (talk.turns, talk.calls, talk.tokens)
        return Run(outcome, text, self.said, *counts, False, approvals, talk.written(), talk.is_estimate)


def _is_executed(result: Result) -> bool:
    return result.success or bool(result.metadata.get("attempts"))


def _verdict(turn: Turn) -> tuple[Outcome, str]:
    """Say what a turn without calls means."""
    if turn.outcome == "refused":
        return "refused", f"The model refused: {turn.text or turn.reason}"
    if turn.outcome == "filtered":
        return "filtered", f"The provider's filter withheld the answer ({turn.reason})."
    if turn.outcome == "truncated":
        why = "agent.max_output_tokens" if "length" in turn.reason or "max" in turn.reason.lower() else turn.reason
        return "failed", f"The answer was cut off at the output limit ({why}): {turn.text[:2000]}"
    return "final", turn.text
