"""Stage 12, record: evidence and events. A sink that fails loses nothing for the others."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence

from ares_core.counts import counted
from ares_core.protocols import Evidence, EvidenceRow, EvidenceStore

log = logging.getLogger("ares")
DECAY = 0.98
PRIOR = 5
COUNTED = frozenset({"timeout", "outcome_unknown"})


class MemoryEvidence:
    """Evidence of one process: an aggregate for each tool, so that reading costs the same however long the history.

    >>> store = MemoryEvidence()
    >>> store.record([EvidenceRow("add", True, 1.0, 0.0)])
    >>> store.read("add").successes
    1.0
    """

    def __init__(self) -> None:
        self._known: dict[str, list[float]] = {}

    def add(self, tool: str, success: bool, latency_ms: float, declared_ms: float) -> None:
        """Take in one outcome: older counts weigh 0.98 as much, latency moves towards the new."""
        known = self._known.get(tool)
        if known is None:
            known = self._known[tool] = [0.0, 0.0, 0.0, declared_ms]
        n = known[0] = known[0] * DECAY + 1
        known[1] = known[1] * DECAY + success
        known[2] = known[2] * DECAY + (not success)
        known[3] += (latency_ms - known[3]) / (n + PRIOR)

    def record(self, rows: Sequence[EvidenceRow]) -> None:
        """Take in outcomes, oldest first."""
        for row in rows:
            self.add(row.tool, row.success, row.latency_ms, row.declared_latency_ms)

    def read(self, tool: str) -> Evidence:
        """Give what is known of a tool."""
        return Evidence(*self._known[tool]) if tool in self._known else Evidence()

    def all(self) -> dict[str, Evidence]:
        """Give what is known of every tool."""
        return {tool: Evidence(*self._known[tool]) for tool in sorted(self._known)}

    def reset(self, tool: str | None = None) -> None:
        """Forget one tool, or all."""
        if tool is None:
            self._known.clear()
        else:
            self._known.pop(tool, None)

    def close(self) -> None:
        """Nothing is kept beyond the process."""


def counts(code: str | None, blame: str) -> bool:
    """Whether an outcome is evidence: successes, timeouts, unknown outcomes, errors that are not the caller's."""
    return code is None or code in COUNTED or (code == "tool_error" and blame in ("tool", "world"))


class Recorder:
    """Takes in outcomes at once and gives them to the store in batches."""

    BATCH = 256

    def __init__(self, store: EvidenceStore) -> None:
        self.store: EvidenceStore = store
        self._waiting: list[EvidenceRow] = []

    def add(self, tool: str, success: bool, latency_ms: float, code: str | None, declared_ms: float) -> None:
        """Take in one outcome."""
        if type(self.store) is MemoryEvidence:
            self.store.add(tool, success, latency_ms, declared_ms)
            return
        self._waiting.append(EvidenceRow(tool, success, latency_ms, time.time(), code, declared_ms))
        if len(self._waiting) >= self.BATCH:
            self.flush()

    def forget_waiting(self) -> None:
        """Leave what waits to another process, after a fork."""
        self._waiting = []

    def flush(self) -> None:
        """Give what waits to the store; a store that fails is logged and loses only these rows."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        try:
            self.store.record(waiting)
        except Exception:
            log.exception("the evidence store failed; lost: %s", counted(len(waiting), "outcome"))

    def read(self, tool: str) -> Evidence:
        """Give what is known of a tool, including what waits."""
        self.flush()
        return self.store.read(tool)
