"""What becomes of nodes and runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct, field

NodeStatus = Literal["done", "failed", "skipped", "cancelled", "waiting", "unknown"]
RunStatus = Literal["done", "failed", "cancelled", "waiting"]
UNDONE = "undone"
"""The code of a node that was done and taken back."""


class NodeError(Struct, frozen=True):
    """Why a node is not done: a result's code and its sentence."""

    code: str
    message: str


class NodeResult(Struct, frozen=True):
    """What became of one node. Only a node that is ``done`` has data; of the others ``error`` says why.

    ``tool`` is the tool that ran, ``planned`` whether the planner chose it in place of one that doesn't exist.
    ``unknown`` means: it was cut off while it changed something, and nobody knows whether it did.
    """

    status: NodeStatus
    data: Any = None
    error: NodeError | None = None
    tool: str | None = None
    duration_ms: float = 0.0
    attempts: int = 0
    planned: bool = False
    approval: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain JSON values."""
        error = None if self.error is None else {"code": self.error.code, "message": self.error.message}
        found: dict[str, Any] = {
            "status": self.status, "data": self.data, "error": error, "tool": self.tool,
            "duration_ms": round(self.duration_ms, 3),
        }  # fmt: skip
        more = {"attempts": self.attempts > 1 and self.attempts, "planned": self.planned, "approval": self.approval}
        return {**found, **{name: value for name, value in more.items() if value}}


class RunResult(Struct, frozen=True):
    """What became of a run: each node by its id, the answer, and the state that nodes wrote.

    ``output`` is what the graph's ``output`` names, else what its last nodes gave: one's data by itself, or
    ``{id: data}``.
    """

    run_id: str
    status: RunStatus
    nodes: Mapping[str, NodeResult]
    output: Any = None
    state: Mapping[str, Any] = field(default_factory=dict)
    error: NodeError | None = None
    duration_ms: float = 0.0

    def __getitem__(self, node: str) -> NodeResult:
        return self.nodes[node]

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain JSON values."""
        error = None if self.error is None else {"code": self.error.code, "message": self.error.message}
        return {
            "run_id": self.run_id, "status": self.status,
            "nodes": {name: result.to_dict() for name, result in self.nodes.items()},
            "output": self.output, "state": dict(self.state), "error": error,
            "duration_ms": round(self.duration_ms, 3),
        }  # fmt: skip


def not_done(status: NodeStatus, code: str, message: str, **more: Any) -> NodeResult:
    """Make the result of a node without data."""
    return NodeResult(status, None, NodeError(code, message), **more)


__all__ = ["UNDONE", "NodeError", "NodeResult", "NodeStatus", "RunResult", "RunStatus", "not_done"]
