"""A run: how it ended, what was said, and the state from which it can be gone on with."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any, Literal, Self, get_args

import msgspec
from msgspec import Struct, field

from ares_core import Result, Turn, UsageError

Outcome = Literal[
    "final", "budget_exhausted", "loop_detected", "refused", "filtered", "approval_required", "failed", "cancelled",
]  # fmt: skip
OUTCOMES: tuple[str, ...] = get_args(Outcome)
VERSION = 1


class Pending(Struct):
    """A turn that waits for a person: its calls, the results so far, and the approvals by the place of their call."""

    turn: Turn
    results: list[Result]
    approvals: dict[str, str]


class Talk(Struct):
    """A conversation on its way, as it is written down; ``messages`` are in the provider's own form."""

    model: str
    wire: str
    session: str
    id: str
    request: str = ""
    messages: list[dict[str, Any]] = field(default_factory=list)
    turns: int = 0
    calls: int = 0
    tokens: int = 0
    is_estimate: bool = False
    pending: Pending | None = None
    version: int = VERSION

    @property
    def turn(self) -> str:
        """What the calls of the turn that is under way call it."""
        return f"{self.id}-{self.turns}"

    @classmethod
    def begin(cls, model: str, wire: str, session: str | None) -> Self:
        """Begin a conversation; without a session it gets one of its own."""
        name = secrets.token_hex(6)
        return cls(model, wire, session or f"agent-{name}", name)

    @classmethod
    def read(cls, state: Mapping[str, Any] | str, wire: str) -> Self:
        """Read a conversation that was written down, for a model that speaks this wire."""
        try:
            talk = msgspec.convert(json.loads(state) if isinstance(state, str) else dict(state), cls)
        except (ValueError, TypeError, RecursionError) as error:
            raise UsageError(f"this is no state of a run ({error}); give what run.state was") from None
        if talk.version != VERSION:
            raise UsageError(f"the state is of version {talk.version}, but this plugin reads version {VERSION}")
        if talk.wire != wire:
            raise UsageError(f"the state is a conversation over {talk.wire}; go on with a model of that, not of {wire}")
        return talk

    def written(self) -> dict[str, Any]:
        """Write it down as plain JSON."""
        plain: dict[str, Any] = json.loads(msgspec.json.encode(self, enc_hook=str))
        return plain


class Run(Struct, frozen=True):
    """What became of a run.

    ``outcome`` is ``final`` when the model gave its answer; ``text`` then is that answer, and otherwise a sentence that
    says why the run ended. ``said`` is the model's last text in any case. ``is_estimate`` says that ``tokens`` is
    reckoned from the length of what was said, because the provider did not always tell how many it took. ``planned``
    says that the planner gave the answer, because the model gave none that could be used. ``state`` is plain JSON from
    which ``Agent.resume`` goes on, in another process if need be.

    >>> Run("final", "42").success
    True
    """

    outcome: Outcome
    text: str
    said: str = ""
    turns: int = 0
    calls: int = 0
    tokens: int = 0
    planned: bool = False
    approvals: tuple[str, ...] = ()
    state: dict[str, Any] = field(default_factory=dict)
    is_estimate: bool = False

    @property
    def told_tokens(self) -> int | None:
        """How many tokens the provider says the run took; ``None`` if it did not tell."""
        return None if self.is_estimate else self.tokens

    @property
    def success(self) -> bool:
        """Whether the model gave its answer."""
        return self.outcome == "final"

    def __str__(self) -> str:
        return self.text


def kept(result: Result) -> Result:
    """Give what of a result the model still has to be told; data may be anything, and is not kept."""
    images = result.metadata.get("images")
    metadata = {"images": images} if images else {}
    return msgspec.structs.replace(result, data=None, edits=(), steps=(), metadata=metadata)
