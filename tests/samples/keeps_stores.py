"""Keeps evidence and events in lists."""

from __future__ import annotations

from collections.abc import Sequence

from ares_core import Event, EventStore, Evidence, EvidenceRow, EvidenceStore, Host, StoreKind, hookimpl


class Evidences:
    def __init__(self) -> None:
        self.rows: list[EvidenceRow] = []
        self.closed = False

    def record(self, rows: Sequence[EvidenceRow]) -> None:
        self.rows += rows

    def read(self, tool: str) -> Evidence:
        return Evidence(n=float(sum(row.tool == tool for row in self.rows)))

    def all(self) -> dict[str, Evidence]:
        return {row.tool: self.read(row.tool) for row in self.rows}

    def reset(self, tool: str | None = None) -> None:
        self.rows.clear()

    def close(self) -> None:
        self.closed = True


class Events:
    def __init__(self) -> None:
        self.events: list[Event] = []
        self.closed = False

    def append(self, events: Sequence[Event]) -> None:
        self.events += events

    def query(
        self, *, limit: int = 50, tool: str | None = None, session: str | None = None,
        execution_id: str | None = None, run: str | None = None,
    ) -> list[Event]:  # fmt: skip
        return self.events[-limit:]

    def close(self) -> None:
        self.closed = True


evidence = Evidences()
events = Events()


@hookimpl
def open_store(kind: StoreKind, host: Host) -> EvidenceStore | EventStore | None:
    return evidence if kind == "evidence" else events if kind == "events" else None
