"""One vocabulary of events for every path a call can take, and for the runs, nodes, turns and plans around calls."""

from __future__ import annotations

from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any, Literal, get_args

from msgspec import Struct, field

EventKind = Literal[
    "requested", "resolved", "repaired", "validated", "rewritten", "denied", "approval_requested", "approved",
    "queued", "started", "progress", "retried", "finished", "failed", "unknown", "undone", "not_undone",
    "plan.started", "plan.finished", "plan.failed",
    "turn.started", "turn.finished", "turn.failed",
    "run.started", "run.finished", "run.failed", "run.cancelled", "run.waiting",
    "node.started", "node.finished", "node.failed", "node.skipped", "node.cancelled", "node.waiting", "node.unknown",
]  # fmt: skip
EVENT_KINDS: tuple[str, ...] = get_args(EventKind)
ORIGIN: ContextVar[tuple[str | None, str | None]] = ContextVar("ares_origin", default=(None, None))
"""The run and the node that what happens here belongs to."""


class Event(Struct, frozen=True):
    """Something that happened to a call, or to a run, node, turn or plan.

    ``time`` is seconds since the epoch; ``data`` is redacted plain JSON. What is no call's has an empty ``tool``.
    """

    kind: EventKind
    execution_id: str
    time: float
    tool: str
    call_id: str | None = None
    session: str | None = None
    turn: str | None = None
    parent: str | None = None
    data: dict[str, Any] = field(default_factory=dict)
    run: str | None = None
    node: str | None = None


class _Within:
    """Sets the origin while it is entered; a generator would cost three times as much at every node."""

    __slots__ = ("_origin", "_token")

    def __init__(self, run: str | None, node: str | None) -> None:
        self._origin = (run, node)

    def __enter__(self) -> None:
        self._token = ORIGIN.set(self._origin)

    def __exit__(self, *raised: object) -> None:
        ORIGIN.reset(self._token)


def within(run: str | None, node: str | None = None) -> AbstractContextManager[None]:
    """Let the events of calls made in here say which run and node they belong to.

    >>> with within("run-1", "fetch"):
    ...     ORIGIN.get()
    ('run-1', 'fetch')
    """
    return _Within(run, node)
