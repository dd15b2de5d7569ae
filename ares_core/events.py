"""One vocabulary of events for every path a call can take."""

from __future__ import annotations

from typing import Any, Literal, get_args

from msgspec import Struct, field

EventKind = Literal[
    "requested", "resolved", "repaired", "validated", "rewritten", "denied", "approval_requested", "approved",
    "queued", "started", "progress", "retried", "finished", "failed", "unknown",
]  # fmt: skip
EVENT_KINDS: tuple[str, ...] = get_args(EventKind)


class Event(Struct, frozen=True):
    """Something that happened to a call. ``time`` is seconds since the epoch; ``data`` is redacted plain JSON."""

    kind: EventKind
    execution_id: str
    time: float
    tool: str
    call_id: str | None = None
    session: str | None = None
    turn: str | None = None
    parent: str | None = None
    data: dict[str, Any] = field(default_factory=dict)
