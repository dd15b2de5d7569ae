"""Where runs are kept, node by node, so that they can go on: in memory, or in a SQLite file."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any, Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from ares_plugin_graph.results import NodeResult


class Saved(Struct, frozen=True):
    """One run as it is kept.

    ``started`` names the nodes that began and may have changed something; those without a result were cut off.
    ``graph`` is the graph's document if it came from a file, ``fingerprint`` its hash.
    """

    run_id: str
    name: str
    fingerprint: str
    input: dict[str, Any] = field(default_factory=dict)
    status: str = "running"
    results: dict[str, NodeResult] = field(default_factory=dict)
    started: frozenset[str] = frozenset()
    graph: Any = None
    begun: float = 0.0
    ended: float | None = None


class Checkpoints(Protocol):
    """What a store of runs does; an error means that it could not, and the run stops rather than go on unkept."""

    def begin(self, run: Saved) -> None:
        """Keep a new run; a run id that is there already raises ``ValueError``."""

    def start(self, run_id: str, node: str) -> None:
        """Note that a node begins that may change something."""

    def save(self, run_id: str, node: str, result: NodeResult) -> None:
        """Keep what became of a node."""

    def forget(self, run_id: str, nodes: tuple[str, ...]) -> None:
        """Drop what was kept of nodes that are to run again."""

    def drop_inside(self, run_id: str, node: str) -> None:
        """Drop the runs of the graphs inside a node that is to begin anew: those below ``run_id/node``."""

    def status(self, run_id: str, status: str) -> None:
        """Keep what became of the run."""

    def regraph(self, run_id: str, fingerprint: str, graph: Any) -> None:
        """Keep that the run has another graph from here on."""

    def load(self, run_id: str) -> Saved | None:
        """Give a run, if it is there."""

    def newest(self, limit: int = 50) -> list[Saved]:
        """Give the newest runs, without their nodes, newest first."""

    def take(self, run_id: str) -> bool:
        """Make the run this process's own; false while another one runs it."""

    def release(self, run_id: str) -> None:
        """Give the run up."""

    def cancel(self, run_id: str) -> None:
        """Ask whoever runs it to stop."""

    def is_cancelled(self, run_id: str) -> bool:
        """Whether somebody asked for that."""


class MemoryCheckpoints:
    """Runs in memory, the last thousand."""

    def __init__(self, most: int = 1000) -> None:
        self._most = most
        self._runs: dict[str, Saved] = {}
        self._started: dict[str, set[str]] = {}
        self._taken: set[str] = set()
        self._cancelled: set[str] = set()
        self._lock = threading.Lock()

    def begin(self, run: Saved) -> None:
        """Keep a new run."""
        with self._lock:
            if run.run_id in self._runs:
                raise ValueError(f"there is a run {run.run_id!r} already")
            self._runs[run.run_id] = replace(run, begun=time.time(), results=dict(run.results))
            self._started[run.run_id] = set(run.started)
            while len(self._runs) > self._most and (old := self._oldest_ended()):
                self._drop(old)

    def _oldest_ended(self) -> str | None:
        return next((name for name in self._runs if name not in self._taken), None)

    def _drop(self, run_id: str) -> None:
        del self._runs[run_id]
        self._started.pop(run_id, None)
        self._cancelled.discard(run_id)

    def start(self, run_id: str, node: str) -> None:
        """Note that a node begins."""
        self._started[run_id].add(node)

    def save(self, run_id: str, node: str, result: NodeResult) -> None:
        """Keep what became of a node."""
        self._runs[run_id].results[node] = result

    def forget(self, run_id: str, nodes: tuple[str, ...]) -> None:
        """Drop what was kept of nodes."""
        for node in nodes:
            self._runs[run_id].results.pop(node, None)
            self._started[run_id].discard(node)

    def drop_inside(self, run_id: str, node: str) -> None:
        """Drop the runs of the graphs inside a node."""
        inner = f"{run_id}/{node}"
        with self._lock:
            for name in [name for name in self._runs if name == inner or name.startswith(f"{inner}/")]:
                self._drop(name)

    def status(self, run_id: str, status: str) -> None:
        """Keep what became of the run."""
        ended = None if status == "running" else time.time()
        self._runs[run_id] = replace(self._runs[run_id], status=status, ended=ended)

    def regraph(self, run_id: str, fingerprint: str, graph: Any) -> None:
        """Keep that the run has another graph."""
        self._runs[run_id] = replace(self._runs[run_id], fingerprint=fingerprint, graph=graph)

    def load(self, run_id: str) -> Saved | None:
        """Give a run."""
        run = self._runs.get(run_id)
        return replace(run, results=dict(run.results), started=frozenset(self._started[run_id])) if run else None

    def newest(self, limit: int = 50) -> list[Saved]:
        """Give the newest runs."""
        outer = (run for run in self._runs.values() if "/" not in run.run_id)
        newest = sorted(outer, key=lambda run: run.begun, reverse=True)
        return [replace(run, results={}, graph=None) for run in newest[:limit]]

    def take(self, run_id: str) -> bool:
        """Make the run one's own."""
        with self._lock:
            if run_id in self._taken:
                return False
            self._taken.add(run_id)
            self._cancelled.discard(run_id)
            return True

    def release(self, run_id: str) -> None:
        """Give the run up."""
        self._taken.discard(run_id)

    def cancel(self, run_id: str) -> None:
        """Ask whoever runs it to stop."""
        self._cancelled.add(run_id)

    def is_cancelled(self, run_id: str) -> bool:
        """Whether somebody asked for that."""
        return run_id in self._cancelled


def fork(checkpoints: Checkpoints, run_id: str, new_id: str, keep: Mapping[str, NodeResult]) -> Saved:
    """Begin a new run with the input and some of the results of another."""
    run = checkpoints.load(run_id)
    if run is None:
        raise LookupError(f"there is no run {run_id!r}")
    made = replace(run, run_id=new_id, results=dict(keep), started=frozenset(), status="running", ended=None)
    checkpoints.begin(made)
    for node, result in keep.items():
        if node in run.started:
            checkpoints.start(new_id, node)
        checkpoints.save(new_id, node, result)
    return made


__all__ = ["Checkpoints", "MemoryCheckpoints", "Saved", "fork"]
