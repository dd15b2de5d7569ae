"""One call that runs elsewhere, from its caller's side: offered, taken, begun, over. Lives on the connection's loop."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Any

from msgspec import Raw, Struct

from ares_core import Effects, Failure, Result, ToolError
from ares_plugin_workers.messages import (
    Alive,
    Answer,
    Call,
    Cancel,
    Go,
    Gone,
    Probe,
    Progress,
    Reply,
    Started,
    Unreadable,
    read_data,
)

if TYPE_CHECKING:
    from ares_plugin_workers.desk import Desk

OFFER_SECONDS = 1.0
"""So long an offer waits for somebody to take it before it is made again."""
MOST_OFFERS = 5
QUIET = 0.8
"""After so many seconds without a word a worker is asked; one that is at work says so every half second."""
SETTLING = 3.0
"""So many seconds after a connection came back, that nobody is there means only that they are not back yet."""
PAUSE = 0.2
MARGIN, MOST_MARGIN = 0.05, 1.0
"""Seconds before a deadline at which an offer is given up, so that the answer can say that nothing began.

A fifth of the time that there is, between these.
"""
INLINE = 64 * 1024
"""Longer arguments go to the one worker that takes the call, in parts."""
UNKNOWN = "Whether the call took effect is unknown; look before you call it again."


class Phase(Enum):
    """How far a call has come."""

    OFFERED = "offered"
    BEGUN = "begun"
    OVER = "over"


class Wish(Struct, frozen=True):
    """What is to be done: the call, its arguments as JSON, what it does, until when, and how to tell of progress."""

    address: str
    call: Call
    arguments: bytes
    effects: Effects
    until: float
    emit: Callable[..., None] | None
    inline: int = INLINE

    @property
    def may_repeat(self) -> bool:
        """Whether a call that may have begun can safely begin again elsewhere."""
        return self.effects.read_only or self.effects.idempotent

    @property
    def holds(self) -> bool:
        """Whether the worker is told to begin only once it is known which one it is."""
        return not self.may_repeat or len(self.arguments) > self.inline


class Exchange:
    """One call. ``done`` is given its result, or the exception that says why there is none."""

    def __init__(self, desk: Desk, number: str, wish: Wish, done: Callable[[Any], None]) -> None:
        self._desk = desk
        self._number = number
        self._done = done
        self.wish = wish
        self.phase = Phase.OFFERED
        self.worker = ""
        self._offers = self._goes = 0
        self._heard_at = time.monotonic()
        self._asked_at = 0.0
        left = wish.until - self._heard_at
        margin = min(max(left / 5, MARGIN), MOST_MARGIN)
        self._timer = desk.later(max(left - margin, 0), self._give_up)

    @property
    def job(self) -> str:
        """What both sides call it: the address for what the worker has to say."""
        return f"{self._desk.inbox}.{self._number}.{self._offers}"

    def offer(self) -> None:
        """Ask for somebody to take the call."""
        if self.phase is not Phase.OFFERED:
            return
        if self._offers >= MOST_OFFERS:
            self._end(ToolError(f"no worker took {self._name} in time. Nothing was executed", True, blame="world"))
            return
        self._offers += 1
        self._goes = 0
        self._heard_at = time.monotonic()
        if not self._desk.offer(self.wish.address, self._call(), self.job):
            self._end(ToolError(f"the session, id, key or turn of {self._name} is too long, or no text", blame="input"))

    def _call(self) -> Call:
        wish = self.wish
        left = max(wish.until - self._heard_at, MARGIN)
        return Call(
            wish.call.tool, Raw(b"{}" if wish.holds else wish.arguments), wish.holds, left, wish.call.id, wish.call.key,
            wish.call.session, wish.call.turn, wish.emit is not None,
        )  # fmt: skip

    @property
    def _name(self) -> str:
        return repr(self.wish.call.tool)

    def hear(self, offer: str, reply: Reply) -> None:
        """Take in what a worker says; of an offer that was made again only an answer counts."""
        if self.phase is Phase.OVER:
            return
        if isinstance(reply, Answer):
            if self.phase is Phase.BEGUN or not self.wish.holds or not reply.success:
                self._answered(reply)
            return
        if offer != str(self._offers):
            if isinstance(reply, Started) and self.wish.holds:
                self._desk.order(reply.worker, Cancel(f"{self._desk.inbox}.{self._number}.{offer}"))
            return
        self._heard_at = time.monotonic()
        if isinstance(reply, Started):
            self._taken(reply.worker)
        elif isinstance(reply, Gone) and self.phase is Phase.BEGUN:
            self.lost("it does not know the call any more")
        elif isinstance(reply, Progress) and self.wish.emit is not None:
            data = {key: value for key, value in reply.data.items() if key not in ("self", "message")}
            self.wish.emit(str(reply.data.get("message", "progress")), **data)
        elif not isinstance(reply, Alive | Progress | Gone):
            self._desk.odd("a word that fits no call")

    def _taken(self, worker: str) -> None:
        """Let the worker begin; one that says so a second time has not heard it."""
        self.worker, self.phase = worker, Phase.BEGUN
        if self.wish.holds:
            self._goes += 1
            self._desk.order(worker, Go(self.job, Raw(self.wish.arguments)), f"{self.job}.go")

    def absent(self, offer: str, about: str) -> None:
        """Take in the server's word that nobody heard an offer, a go, or a question."""
        if offer != str(self._offers) or self.phase is not (Phase.BEGUN if about else Phase.OFFERED):
            return
        is_settling = self._desk.age < SETTLING
        if about == "go" and self._goes == 1:  # the worker went before it could hear that it may begin
            self.phase = Phase.OFFERED
            self._desk.later(PAUSE if is_settling else 0, self.offer)
        elif about:
            if not is_settling:
                self.lost("it is gone")
        elif is_settling:
            self._offers = max(self._offers - 1, 0)
            self._desk.later(PAUSE, self.offer)
        else:
            self._desk.nobody(self.wish.address)
            message = f"no worker serves {self._name} now. Nothing was sent"
            self._end(ToolError(message, blame="world", hint="Use another tool, or start a worker: ares worker."))

    def look(self, now: float, silence: float) -> None:
        """See whether it is time to ask, to offer again, or to give the worker up."""
        quiet = now - self._heard_at
        if self.phase is Phase.OFFERED and quiet > OFFER_SECONDS:
            self.offer()
        elif self.phase is Phase.BEGUN and quiet > silence:
            self.lost(f"it said nothing for {quiet:.0f} s")
        elif self.phase is Phase.BEGUN and quiet > QUIET and now - self._asked_at > PAUSE:
            self._asked_at = now
            self._desk.order(self.worker, Probe(self.job), f"{self.job}.probe")

    def hear_again(self, missed: float = math.inf) -> None:
        """Don't count time in which nothing could be heard, so many seconds."""
        self._heard_at = min(self._heard_at + missed, time.monotonic())

    def lost(self, why: str) -> None:
        """End a call whose worker went in the middle: one that only reads may begin anew, any other never does."""
        message = f"the worker {self._desk.name_of(self.worker)} was lost in the middle of {self._name}: {why}"
        if self.wish.may_repeat:
            self._end(ToolError(message, retriable=True, blame="world"))
        else:
            message = f"{message[0].upper()}{message[1:]}. {UNKNOWN}"
            self._end(ToolError(message, blame="world").with_words(code="outcome_unknown"))

    def _give_up(self) -> None:
        if self.phase is Phase.OFFERED:
            self._end(
                ToolError(f"no worker took {self._name} before its deadline. Nothing was executed", blame="world")
            )

    def _answered(self, answer: Answer) -> None:
        try:
            data = read_data(answer.data)
        except Unreadable as odd:
            self.refuse(f"its answer can't be read ({odd})")
            return
        error = answer.error or (None if answer.success else Failure("tool_error", "It failed without a word why."))
        success = error is None
        self._end(Result(success, data, error, answer.text, metadata=answer.metadata))

    def refuse(self, why: str) -> None:
        """End a call whose answer can't be used, although it ran."""
        where = f" on the worker {self._desk.name_of(self.worker)}" if self.worker else ""
        message = f"{self._name} ran{where}, but {why}"
        self._end(ToolError(f"{message}.", blame="world"))

    def cancel(self) -> None:
        """Nobody waits any more."""
        if self.phase is Phase.BEGUN:
            self._desk.order(self.worker, Cancel(self.job))
        self._end(None)

    def fail(self, error: Exception) -> None:
        """End it before it was offered."""
        self._end(error)

    def _end(self, outcome: Any) -> None:
        if self.phase is Phase.OVER:
            return
        self.phase = Phase.OVER
        self._timer.cancel()
        self._desk.forget(self._number)
        self._done(outcome)
