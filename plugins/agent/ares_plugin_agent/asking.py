"""Asking a model once, as often as it takes: what fails in passing is tried again, what was read is a ``Turn``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from ares_core import Ares, Budget, EventKind, Failure, LayerError, Network, Scoped, ToolError, Turn, WireError
from ares_plugin_agent.happenings import Happening, Retrying, TextPiece
from ares_plugin_agent.models import Model
from ares_plugin_agent.providers import Question
from ares_plugin_agent.run import Talk
from ares_plugin_agent.sending import Hearer, Reply, Trouble, beginning, exchange, refusal, unreadable
from ares_plugin_agent.settings import Settings
from ares_plugin_agent.waiting import MOST_ASKED_FOR, backoff

Say = Callable[[Happening], None]


class Spent(Exception):
    """A budget came to its end while the model was speaking."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Asker:
    """Asks one model for one run."""

    def __init__(
        self, door: Ares | Scoped, model: Model, settings: Settings, budget: Budget, talk: Talk, say: Say
    ) -> None:  # fmt: skip
        self._door = door
        self._talk = talk
        self._model = model
        self._settings = settings
        self._budget = budget
        self._say = say
        self._writes_calls = bool(door.ares.wires.dialect(model.name))
        self.tokens = 0
        self.untold = 0

    async def ask(self, question: Question) -> Turn:
        """Ask; gives the model's turn, or raises ``Trouble`` or ``Spent``.

        Layers around models see the body; one that answers in the model's place gives a ``Turn`` or a body.
        """
        body = self._model.provider.body(question)

        async def send(body: Mapping[str, Any]) -> Any:
            return await self._send(question, body)

        self._tell("turn.started")
        try:
            answer = await self._door.call_model(body, send)
        except (LayerError, Trouble) as error:
            self._tell("turn.failed", reason=str(error)[:500])
            raise error if isinstance(error, Trouble) else Trouble(str(error)) from error
        turn = answer if isinstance(answer, Turn) else self._from_layer(answer)
        tokens = None if self.untold else self.tokens
        self._tell("turn.finished", outcome=turn.outcome, calls=[call.name for call in turn], tokens=tokens)
        return turn

    def _from_layer(self, body: Any) -> Turn:
        try:
            return self._door.parse(body, self._model.provider.wire)
        except WireError as error:
            raise Trouble(f"a layer answered in the model's place, and that can't be read: {error}") from error

    def _tell(self, kind: EventKind, **data: Any) -> None:
        talk = self._talk
        told = {"model": self._model.full_name, "turn": talk.turn, **data}
        self._door.ares.tell(kind, told, run=talk.id, session=talk.session)

    async def _send(self, question: Question, body: Mapping[str, Any]) -> Turn:
        retries = self._settings.retries
        for attempt in range(retries + 1):
            try:
                return await self._once(question, body)
            except Trouble as trouble:
                seconds = backoff(attempt) if trouble.after is None else trouble.after
                most = retries if trouble.most is None else min(trouble.most, retries)
                if not trouble.again or attempt >= most or seconds > MOST_ASKED_FOR:
                    raise _last(trouble, attempt, seconds) from trouble
                self._say(Retrying(str(trouble), seconds))
                await self._pause(seconds)
        raise AssertionError("the last attempt either answers or raises")

    async def _once(self, question: Question, body: Mapping[str, Any]) -> Turn:
        hearer = Hearer(self._ignore if self._writes_calls else self._hear, self._spend, self._settle, self._patience)
        path = self._model.provider.path(question)
        reply = await exchange(self._network(), self._model, path, body, hearer)
        turn = self._read(reply)
        if turn.text and (self._writes_calls or not reply.streamed):
            self._hear(turn.text)
        return turn

    def _network(self) -> Network:
        try:
            return self._door.ares.host("agent").network
        except ToolError as error:
            raise Trouble(str(error)) from error

    def _read(self, reply: Reply) -> Turn:
        """Read what came. An error that carries a call or a verdict is a turn too; what is cut off is asked again."""
        if reply.status < 400 and not any(map(bytes.strip, reply.chunks)):
            raise unreadable(reply, self._model, "it is empty")
        try:
            turn = self._door.parse(reply.chunks, self._model.provider.wire, model=self._model.name)
        except WireError as error:
            if reply.status >= 400:
                raise refusal(reply, self._model, beginning(reply)) from error
            raise unreadable(reply, self._model, "it is no JSON") from error
        if reply.status >= 400 and turn.outcome not in ("malformed", "filtered"):
            raise refusal(reply, self._model, turn.reason[:500])
        if reply.status < 400 and not reply.ended and turn.outcome in ("calls", "truncated", "final"):
            raise Trouble(f"the answer of {self._model.address} was cut off", again=True)
        if turn.outcome == "failed":
            if b'"error"' not in b"".join(reply.chunks) and not turn.text:
                raise unreadable(reply, self._model, turn.reason)
            raise Trouble(f"{self._model.address} failed: {turn.reason}", again=True)
        return turn

    def _hear(self, text: str) -> None:
        self._say(TextPiece(text))

    def _ignore(self, text: str) -> None:
        """Show nothing yet: calls may be written into the text."""

    def _spend(self, tokens: int) -> None:
        self.tokens += tokens
        self.untold += tokens
        if failure := self._budget.spend(tokens=tokens) or self._budget.exhausted:
            raise Spent(failure)

    def _settle(self, heard: int, took: int, is_told: bool) -> None:
        """Count what is known at the end of an answer, which is there by now: a budget ends the run after it."""
        self.tokens += took - heard
        self.untold += -heard if is_told else took - heard
        self._budget.spend(tokens=max(took - heard, 0))

    def _patience(self) -> float:
        left = self._budget.left()["time"]
        return self._settings.timeout if left is None else min(self._settings.timeout, max(left, 0.001))

    async def _pause(self, seconds: float) -> None:
        """Wait, but not longer than the budget."""
        left = self._budget.left()["time"]
        await asyncio.sleep(seconds if left is None else min(seconds, left))
        self._spend(0)


def _last(trouble: Trouble, attempt: int, seconds: float) -> Trouble:
    """Say how often it was tried, or that the provider asks for too long a pause."""
    if trouble.again and trouble.after is not None and seconds > MOST_ASKED_FOR:
        return Trouble(f"{trouble}; it asks to be left alone for {seconds:.0f} s, so try again after that")
    return Trouble(f"{trouble} (tried {attempt + 1} times)") if attempt else trouble
