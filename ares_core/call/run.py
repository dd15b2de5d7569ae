"""The record of one running call: everything that the stages find out, and what a tool's context reads."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Awaitable, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol

import msgspec
from msgspec import Struct

from ares_core.budget import Budget
from ares_core.calls import ArgumentEdit, Result, ToolCall
from ares_core.context import ResultPage
from ares_core.errors import ToolError
from ares_core.protocols import FileAccess, Network
from ares_core.stores import LedgerRow, PendingApproval

if TYPE_CHECKING:
    from ares_core.call.gate import Gate
    from ares_core.call.guard import Session
    from ares_core.call.limit import Holding
    from ares_core.call.route import Route
    from ares_core.call.runner import Runner
    from ares_core.table import View
    from ares_core.tools import Tool

NONE_YET: Mapping[str, Any] = {}
NOT_GIVEN = ToolCall("")
SORTED = msgspec.json.Encoder(order="sorted")


class Services(Protocol):
    """What tools are given besides their arguments."""

    user: str | None
    secrets: Mapping[str, str]

    @property
    def files(self) -> FileAccess: ...
    @property
    def network(self) -> Network: ...


class Run(Struct, eq=False):
    """One call on its way; mutable, and seen by nobody but the stages and, through its context, the tool."""

    runner: Runner
    number: int
    call: ToolCall
    started: float
    view: View
    session: Session | None = None
    parent: Run | None = None
    budget: Budget | None = None
    route: Route | None = None
    edits: tuple[ArgumentEdit, ...] = ()
    executing_since: float = 0.0
    waited: float = 0.0
    deadline: float = 0.0
    until: float | None = None
    attempts: int = 0
    fields: tuple[str, ...] = ()
    held: Holding | None = None
    executed: bool = False
    cancelled: bool = False
    done: bool = False
    arguments: Mapping[str, Any] = NONE_YET
    canonical: bytes | None = None
    given: ToolCall = NOT_GIVEN
    kept: LedgerRow | None = None
    claimed: bool = False
    approved: PendingApproval | None = None
    notes: dict[str, Any] | None = None
    trace: str = ""
    known_as: str = ""
    shown_name: str = ""

    @property
    def execution_id(self) -> str:
        """What events and children call this run."""
        if not self.known_as:
            self.known_as = f"{self.runner.prefix}-{self.number:x}"
        return self.known_as

    @property
    def parent_id(self) -> str | None:
        """What the run that this one was called from is called."""
        return None if self.parent is None else self.parent.execution_id

    @property
    def canonical_arguments(self) -> bytes:
        """The final arguments as sorted JSON: what approvals, guards and keys are bound to."""
        if self.canonical is None:
            self.canonical = SORTED.encode(self.arguments)
        return self.canonical

    def is_inside(self, gate: Gate) -> bool:
        """Whether a call above this one holds a place of this gate: waiting for another would be for ever."""
        above = self.parent
        while above is not None and not above.done:
            if above.route is not None and above.route.gate is gate:
                return True
            above = above.parent
        return False

    @property
    def idempotency_key(self) -> str:
        """A key that is the same for the same call of the same turn: hash(session, turn, call id, tool, arguments)."""
        return key_of(self.call, self.canonical_arguments)

    @property
    def spending(self) -> Budget:
        """The budget that this call and those below spend from; one without limits if there is none."""
        if self.budget is None:
            self.budget = Budget()
        return self.budget

    @property
    def files(self) -> FileAccess:
        """The file provider, or a ``ToolError`` that says there is none."""
        return self.runner.services.files

    @property
    def network(self) -> Network:
        """The network provider, or a ``ToolError`` that says there is none."""
        return self.runner.services.network

    @property
    def tools(self) -> Mapping[str, Tool]:
        """The tools that the call can reach."""
        return self.view.tools(self.runner.table.version)

    @property
    def log(self) -> logging.Logger:
        """The tool's own logger."""
        return logging.getLogger(f"ares.tool.{self.call.name}")

    @property
    def user(self) -> str | None:
        """Who asks, if the program said so."""
        return self.runner.services.user

    @property
    def secrets(self) -> Mapping[str, str]:
        """The program's secrets."""
        return self.runner.services.secrets

    def call_tool(
        self, name: str, arguments: Mapping[str, Any] | str | None, timeout: float | None
    ) -> Awaitable[Result]:
        """Run a child call: same session, scope, budget and deadline."""
        if self.done:
            raise ToolError(f"call {self.execution_id} is over; it can't call {name!r} any more")
        call = ToolCall(name, {} if arguments is None else arguments, timeout=timeout)
        return self.runner.run(call, parent=self)

    @property
    def is_heard(self) -> bool:
        """Whether anybody listens to events."""
        return bool(self.runner.listeners)

    def page_of(self, handle: str, offset: int, limit: int | None) -> ResultPage:
        """Give a part of a result that was too long."""
        from ares_core.call.paging import page_of

        return page_of(self, handle, offset, limit)

    def emit(self, message: str, data: Mapping[str, Any]) -> None:
        """Tell listeners how far the work has come."""
        if self.runner.listeners and not self.done:
            self.runner.tell_progress(self, {"message": message, **data})


def key_of(call: ToolCall, canonical: bytes) -> str:
    """The idempotency key of a call with these final arguments."""
    if call.key is not None:
        return call.key
    named = repr((call.session, call.turn, call.id, call.name)).encode("utf-8", "backslashreplace")
    return hashlib.sha256(named + canonical).hexdigest()


CURRENT: ContextVar[Run | None] = ContextVar("ares_current_run", default=None)
"""The call that is running here, so that a call made inside a tool becomes its child."""
