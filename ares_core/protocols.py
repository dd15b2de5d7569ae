"""What plugins bring and what they are given: files, network, stores, layers, and the host."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, Protocol, runtime_checkable

from msgspec import Struct

from ares_core.calls import Approval, Ask, Defer, Deny, Failure, Result, ToolCall
from ares_core.events import Event

if TYPE_CHECKING:
    from concurrent.futures import Future

    from ares_core.budget import Budget
    from ares_core.errors import ToolError

LayerKind = Literal["llm_request", "llm_execution", "tool_request", "tool_execution"]
StoreKind = Literal["evidence", "events", "ledger", "approvals"]
Purpose = Literal["argument", "operator"]


class FileStat(Struct, frozen=True):
    """One file or folder: its path as a caller may give it back, size in bytes, time in seconds since the epoch.

    ``mode`` holds the permission bits, where the provider knows them. Only a list has entries of the kind
    ``"link"``; everywhere else a link stands for what it leads to.
    """

    path: str
    kind: Literal["file", "directory", "link", "other"]
    size: int
    modified: float
    mode: int | None = None


@runtime_checkable
class FileAccess(Protocol):
    """The only way tools reach files.

    Paths outside what the provider allows raise ``ToolError``. What is not there, in the way or full raises the
    ``OSError`` that the built-in functions raise, such as ``FileNotFoundError``, with the path as it was given.
    """

    def open(self, path: str, mode: Literal["rb", "wb", "ab", "xb"] = "rb") -> BinaryIO:
        """Open a file; the handle is the very object that was checked."""

    def write(self, path: str, data: bytes | Iterable[bytes], mode: int | None = None) -> int:
        """Put a whole file in place in one step, and tell its size in bytes.

        Readers see the old file or the new one, and a failure leaves the old one. A file that was there keeps its
        permissions; ``mode`` is for a new one.
        """

    def stat(self, path: str) -> FileStat:
        """Tell kind, size and time."""

    def list(self, path: str = ".") -> Iterator[FileStat]:
        """List a folder, in name order, not its sub-folders."""

    def mkdir(self, path: str) -> None:
        """Make a folder and those above it."""

    def rename(self, source: str, destination: str, overwrite: bool = True) -> None:
        """Move a file or folder in one step; without ``overwrite`` never over what is there already."""

    def remove(self, path: str) -> None:
        """Delete a file, a link (not what it leads to) or an empty folder."""


@runtime_checkable
class Network(Protocol):
    """The only way plugins open connections.

    ``"argument"``: the address came from a call and is guarded. ``"operator"``: it was configured, is pinned to
    that host and port and may be private. What is refused or fails is a ``ToolError``; ``error.sent`` tells whether
    the request may have reached the server, so that a change is not made twice.
    """

    def client(self, purpose: Purpose, base_url: str | None = None) -> Any:
        """Give an ``httpx.AsyncClient``, to be closed after use; ``"operator"`` needs ``base_url``."""

    async def connect(self, purpose: Purpose, host: str, port: int) -> Any:
        """Open a checked stream (``read``, ``write``, ``start_tls``, ``get_extra_info``, ``aclose``, as httpcore has).

        It is for libraries that bring their own client.
        """


class Evidence(Struct, frozen=True):
    """What is remembered of a tool's runs; all counts are multiplied by 0.98 at each execution.

    ``latency_ms`` is an average that starts at the declared latency.
    """

    n: float = 0.0
    successes: float = 0.0
    failures: float = 0.0
    latency_ms: float | None = None


class EvidenceRow(Struct, frozen=True):
    """The outcome of one execution, as it goes into a store."""

    tool: str
    success: bool
    latency_ms: float
    time: float
    code: str | None = None
    declared_latency_ms: float = 100.0


class EvidenceStore(Protocol):
    """Keeps evidence; reading costs the same however long the history."""

    def record(self, rows: Sequence[EvidenceRow]) -> None:
        """Take in outcomes, oldest first."""

    def read(self, tool: str) -> Evidence:
        """Give what is known of a tool; an unknown tool has empty evidence."""

    def all(self) -> dict[str, Evidence]:
        """Give what is known of every tool, by name."""

    def reset(self, tool: str | None = None) -> None:
        """Forget one tool, or all."""

    def close(self) -> None:
        """Write what is buffered and let go."""


class EventStore(Protocol):
    """Keeps events."""

    def append(self, events: Sequence[Event]) -> None:
        """Take in events, oldest first."""

    def query(
        self, *, limit: int = 50, tool: str | None = None, session: str | None = None,
        execution_id: str | None = None, run: str | None = None,
    ) -> list[Event]:  # fmt: skip
        """Give the newest ``limit`` events that fit, oldest first."""

    def close(self) -> None:
        """Write what is buffered and let go."""


RequestLayer = Callable[[ToolCall], Awaitable["ToolCall | Deny | Ask | None"]]
ExecutionLayer = Callable[[Any, Callable[[], Awaitable[Any]]], Awaitable[Any]]


class Layer(Struct, frozen=True, eq=False):
    """One layer of middleware.

    A ``tool_request`` layer is ``async run(call)`` and answers like ``pre_tool_call``; an ``llm_request`` layer is
    ``async run(request)`` and answers ``None``, a changed request or ``Deny``. A ``tool_execution`` layer is
    ``async run(call, next_call)``, an ``llm_execution`` layer ``async run(request, next_call)``: ``await next_call()``
    exactly once, or not at all to answer in its place. What a layer is shown is a copy.

    Lower ``order`` lies further out. ``tools`` limits it to those tools (names, or patterns such as ``mcp.*``).
    ``on_error`` says what its own failure means: the call fails, or goes on as if the layer were not there.
    """

    name: str
    kind: LayerKind
    run: Callable[..., Awaitable[Any]]
    order: int = 0
    tools: tuple[str, ...] = ()
    on_error: Literal["fail", "skip"] = "fail"


Answer = bool | Deny | Defer | Mapping[str, Any]
"""What an approver says; a mapping only to a request with a ``form``."""
Approver = Callable[[Approval], "Answer | Awaitable[Answer]"]


class ToolSource(Protocol):
    """Where tools come from that can't be known without asking somebody, such as a server that has to be started.

    A plugin gives it to ``host.add_source``. It is asked when a tool may be needed that isn't there: before
    definitions are made, before a request is planned, and when a call has a name that no tool has.

    One whose answers take long may have a method ``bring_for_plan(by_rules)``, which is asked in place of ``bring()``
    for a request in words; ``by_rules`` tells that rules have led to a plan with tools that are here.
    """

    def waiting(self) -> Mapping[str, str]:
        """Give what has not been asked yet, each with why in a few words; asks nobody."""

    def bring(self, name: str | None = None) -> Future[None] | None:
        """Bring in the tools that a name may mean, or all; ``None`` when there is nothing to wait for."""

    def why_not(self, name: str) -> Failure | ToolError | None:
        """Say why the tool that this name means can't be called, if it is one of this source's.

        A ``ToolError`` that is given back may have the words of somebody else, which a model reads as data.
        """


class ToolFinder(Protocol):
    """Stands in for tools whose definitions are too many for a model, which looks up and calls them through it.

    A plugin gives it to ``host.add_finder``. Its own ``tools`` are in no list of tools: definitions show them where
    the finder leaves others out, and there they can be called.
    """

    @property
    def tools(self) -> Sequence[Any]:
        """Its own tools."""

    def shown(self, tools: Mapping[str, Any], context: int | None) -> Collection[str] | None:
        """Name those that definitions still show; ``None``: all, and the finder is not needed.

        ``context`` is how many tokens the model can read, if its profile says so.
        """

    def meant(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, Any] | None:
        """Give name and arguments of the call that is meant by one of its own tools; ``None``: that very call."""


class Caller(Protocol):
    """How a plugin or a tool calls another tool: through the same life as every call."""

    def __call__(
        self, call: str | ToolCall, arguments: Mapping[str, Any] | str | None = None, *,
        session: str | None = None, timeout: float | None = None,
    ) -> Awaitable[Result]:  # fmt: skip
        """Call a tool by name."""


class Host(Protocol):
    """What a plugin is given: one per plugin and Ares."""

    name: str
    config: Any
    """This plugin's section, checked against the model that its ``configuration()`` returns (else a dict)."""
    settings: Any
    """The core's settings, read only."""
    registry: Any
    log: logging.Logger

    approver: Approver | None
    """Who approves calls, if anybody does: also for what a server asks in the middle of one."""
    secrets: Mapping[str, str]
    """Secrets that the program handed to Ares."""

    @property
    def call(self) -> Caller:
        """Call a tool, through the one life of a call."""

    @property
    def files(self) -> FileAccess:
        """The file provider; raises ``ToolError`` when none is installed."""

    @property
    def network(self) -> Network:
        """The network provider; raises ``ToolError`` when none is installed."""

    @property
    def events(self) -> EventStore | None:
        """The store of events, if there is one."""

    def bind(
        self, tools: Iterable[Any] | None = None, *, session: str | None = None, budget: Budget | None = None
    ) -> Any:  # fmt: skip
        """Give a part of the tools that may be called here, a ``Scoped``: inside a call never more than its caller's.

        Calls through it that are made inside a call are its children. ``session`` counts there if it lies below the
        caller's, as ``"s/part"`` does below ``"s"``; otherwise they belong to the caller's.
        """

    def on_event(
        self, listener: Callable[[Event], Any], *, kinds: Collection[str] | None = None
    ) -> Callable[[], None]:  # fmt: skip
        """Give every event, or those of some kinds, to ``listener(event)``, until the plugin is taken out.

        Unlike the hook of that name it can be begun when it is known that somebody wants it.
        """

    def add_source(self, source: ToolSource) -> None:
        """Have ``source`` asked when a tool may be needed that isn't there."""

    def add_finder(self, finder: ToolFinder) -> None:
        """Have ``finder`` stand in for tools that are too many to be shown; there is one for each Ares."""

    def tools_changed(self) -> None:
        """Have ``register_tools`` asked again: tools of this plugin came, went or became others."""

    def on_close(self, fn: Callable[[], None]) -> None:
        """Run ``fn`` when the plugin is taken out or Ares closes, last given first."""


__all__ = [
    "Answer", "Approval", "Approver", "Caller", "EventStore", "Evidence", "EvidenceRow",
    "EvidenceStore", "ExecutionLayer", "FileAccess", "FileStat", "Host", "Layer", "LayerKind", "Network", "Purpose",
    "RequestLayer", "StoreKind", "ToolFinder", "ToolSource",
]  # fmt: skip
