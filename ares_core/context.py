"""What a tool is given about the call it serves."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Mapping
from typing import Any, Protocol

from msgspec import Struct

from ares_core.budget import Budget
from ares_core.calls import Result, ToolCall
from ares_core.protocols import FileAccess, Network


class ResultPage(Struct, frozen=True):
    """A part of a result that was too long to be shown at once.

    It reaches from character ``offset`` to ``end`` of ``total``. ``shown`` is the text as a model should read it: what
    came from the open world is marked as data of the tool that brought it.
    """

    text: str
    shown: str
    tool: str
    offset: int
    end: int
    total: int


class Services(Protocol):
    """What stands behind a context: the running call and its Ares."""

    deadline: float
    cancelled: bool

    @property
    def files(self) -> FileAccess: ...
    @property
    def network(self) -> Network: ...
    @property
    def tools(self) -> Mapping[str, Any]: ...
    @property
    def log(self) -> logging.Logger: ...
    @property
    def user(self) -> str | None: ...
    @property
    def secrets(self) -> Mapping[str, str]: ...
    @property
    def idempotency_key(self) -> str: ...
    @property
    def spending(self) -> Budget: ...
    def call_tool(
        self, name: str, arguments: Mapping[str, Any] | str | None, timeout: float | None
    ) -> Awaitable[Result]: ...
    @property
    def is_heard(self) -> bool: ...
    def emit(self, message: str, data: Mapping[str, Any]) -> None: ...
    def page_of(self, handle: str, offset: int, limit: int | None) -> ResultPage: ...


class ToolContext(Struct, eq=False):
    """Given to the parameter of a tool that is annotated ``ToolContext``; the model never sees it.

    Example::

        @tool
        async def digest(path: str, context: ToolContext) -> str:
            with context.files.open(path) as file:
                ...
    """

    call: ToolCall
    _services: Services

    def __repr__(self) -> str:
        return f"ToolContext({self.call.name!r})"

    @property
    def session(self) -> str | None:
        """The session that the call belongs to."""
        return self.call.session

    @property
    def user(self) -> str | None:
        """Who asks, if the program said so."""
        return self._services.user

    @property
    def secrets(self) -> Mapping[str, str]:
        """Secrets that the program handed to Ares; never shown to the model."""
        return self._services.secrets

    @property
    def tools(self) -> Mapping[str, Any]:
        """Every ``Tool`` that the caller can reach, by the name it has there; one mapping until tools come or go."""
        return self._services.tools

    @property
    def log(self) -> logging.Logger:
        """A logger of the tool's own."""
        return self._services.log

    @property
    def files(self) -> FileAccess:
        """The way to files; raises ``ToolError`` when no file provider is installed."""
        return self._services.files

    @property
    def network(self) -> Network:
        """The way to the network; raises ``ToolError`` when no network provider is installed."""
        return self._services.network

    @property
    def idempotency_key(self) -> str:
        """A key for the outside world that stays the same when this very call is tried again."""
        return self._services.idempotency_key

    @property
    def budget(self) -> Budget:
        """What this call and all it starts may use up; a sub-agent gets ``context.budget.child(…)``."""
        return self._services.spending

    @property
    def deadline(self) -> float:
        """When the call must be done, on the clock of ``time.monotonic``."""
        return self._services.deadline

    @property
    def remaining(self) -> float:
        """Seconds left until the deadline."""
        return self.deadline - time.monotonic()

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for the answer any more; a tool in a thread should look now and then."""
        return self._services.cancelled

    def call_tool(
        self, name: str, arguments: Mapping[str, Any] | str | None = None, *, timeout: float | None = None
    ) -> Awaitable[Result]:
        """Call another tool as a child: same session, scope, budget and deadline."""
        return self._services.call_tool(name, arguments, timeout)

    @property
    def is_heard(self) -> bool:
        """Whether anybody listens to what ``emit`` tells."""
        return self._services.is_heard

    def page_of_result(self, handle: str, offset: int = 0, limit: int | None = None) -> ResultPage:
        """Read on in a result of this session that was cut; ``limit`` is in characters, as is ``offset``.

        A handle that is not this session's, or was forgotten, raises ``ToolError``.
        """
        return self._services.page_of(handle, offset, limit)

    def emit(self, message: str, **data: Any) -> None:
        """Tell those who listen how far the work has come."""
        self._services.emit(message, data)
