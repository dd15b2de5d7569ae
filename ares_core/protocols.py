"""What plugins bring and what they are given: files, network, stores, layers, and the host."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, Literal, Protocol, runtime_checkable

from msgspec import Struct

from ares_core.calls import Ask, Deny, Result, ToolCall
from ares_core.events import Event

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
        execution_id: str | None = None,
    ) -> list[Event]:  # fmt: skip
        """Give the newest ``limit`` events that fit, oldest first."""

    def close(self) -> None:
        """Write what is buffered and let go."""


RequestLayer = Callable[[ToolCall], Awaitable["ToolCall | Deny | Ask | None"]]
ExecutionLayer = Callable[[Any, Callable[[], Awaitable[Any]]], Awaitable[Any]]


class Layer(Struct, frozen=True, eq=False):
    """One layer of middleware.

    A ``tool_request`` layer is ``async run(call)`` and answers like ``pre_tool_call``. The other kinds are
    ``async run(value, next_call)``: ``await next_call()`` exactly once, or not at all to answer in its place.
    Lower ``order`` lies further out. ``tools`` limits it to those tools. ``on_error`` says what its own failure
    means: the call fails, or goes on as if the layer were not there.
    """

    name: str
    kind: LayerKind
    run: Callable[..., Awaitable[Any]]
    order: int = 0
    tools: tuple[str, ...] = ()
    on_error: Literal["fail", "skip"] = "fail"


class Approval(Struct, frozen=True):
    """What an approver is shown: the final call, why it is asked, and the hash that the answer is bound to."""

    call: ToolCall
    reason: str
    fingerprint: str


Approver = Callable[[Approval], "bool | Deny | Awaitable[bool | Deny]"]


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

    @property
    def call(self) -> Caller:
        """Call a tool, through the one life of a call."""

    @property
    def files(self) -> FileAccess:
        """The file provider; raises ``ToolError`` when none is installed."""

    @property
    def network(self) -> Network:
        """The network provider; raises ``ToolError`` when none is installed."""

    def on_close(self, fn: Callable[[], None]) -> None:
        """Run ``fn`` when the plugin is taken out or Ares closes, last given first."""


__all__ = [
    "Approval", "Approver", "Caller", "EventStore", "Evidence", "EvidenceRow",
    "EvidenceStore", "ExecutionLayer", "FileAccess", "FileStat", "Host", "Layer", "LayerKind", "Network", "Purpose",
    "RequestLayer", "StoreKind",
]  # fmt: skip
