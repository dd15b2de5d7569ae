"""What a graph consists of: nodes, edges, and how branches come together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct, field
from msgspec.structs import force_setattr

if TYPE_CHECKING:
    from ares_plugin_graph.graph import Graph

Join = Literal["all", "any", "none_failed"]
AllOf: Join = "all"
"""Run when every branch that leads here is done."""
AnyOf: Join = "any"
"""Run when at least one branch is done, once all have ended or wait."""
NoneFailed: Join = "none_failed"
"""Run when no branch failed or was cancelled; those that were skipped don't count."""
JOINS: tuple[Join, ...] = (AllOf, AnyOf, NoneFailed)
When = str | Callable[[Mapping[str, Any]], bool]
"""A condition in words (see ``conditions``), or a function of ``{node: data, "input": …, "state": …}``."""
Route = Sequence[tuple[When | None, str]] | Callable[[Any], "str | Sequence[str] | None"]
"""Which followers go on: the first whose condition holds (``None``: otherwise), or what a function gives."""


class Node(Struct, frozen=True, kw_only=True):
    """What all nodes have.

    ``after`` names nodes that come first, besides those that are referred to. ``when`` is a condition; a node whose
    condition doesn't hold is skipped. ``join`` says what the branches that lead here must have come to. ``writes``
    names the key of the state that takes the node's data, or keys with parts of it: ``{"total": "result"}``. With
    ``route`` only the chosen followers go on. ``may_fail`` lets a run succeed although this node failed.
    """

    id: str
    after: Sequence[str] = ()
    when: When | None = None
    join: Join = AllOf
    writes: str | Mapping[str, str] | None = None
    route: Route | None = None
    may_fail: bool = False

    def __post_init__(self) -> None:
        if self.after is None or isinstance(self.after, str):  # one name is meant, not its letters
            force_setattr(self, "after", () if self.after is None else (self.after,))


class ToolNode(Node, frozen=True):
    """A call of a tool, through the whole life of a call.

    ``arguments`` are values and references. A tool that doesn't exist is planned for from ``request``, or from its
    name and arguments; the result then says ``planned``. ``retries`` are further attempts after a failure that may
    pass, of calls that may be made twice. ``timeout`` is in seconds. ``undo`` takes back what the node did when the
    run fails: ``True`` by the tool's own ``undo``, or by a call ``{"tool": …, "arguments": …}``.

    >>> ToolNode("digest", "hash_tool", {"operation": "sha256", "input": "${sum.result}"}).join
    'all'
    """

    id: str
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    request: str | None = None
    retries: int = 0
    timeout: float | None = None
    undo: bool | Mapping[str, Any] = False


class FunctionNode(Node, frozen=True):
    """A function of the program's own, sync or async, called with ``arguments`` by keyword; for Python only.

    It is taken for one that changes something, so when it is cut off its outcome is ``unknown``; with ``read_only``
    it simply runs again when the run is resumed.
    """

    id: str
    fn: Callable[..., Any]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    retries: int = 0
    timeout: float | None = None
    read_only: bool = False


class AgentNode(Node, frozen=True):
    """A model that works on ``prompt`` with tools: an ``agent`` with ``run(prompt)``, or the tool ``delegate_task``."""

    id: str
    prompt: str
    agent: Any = None
    tools: Sequence[str] = ()
    timeout: float | None = None


class SubGraph(Node, frozen=True):
    """A graph within a graph; its answer is the node's data.

    With ``until``, a condition on the inner graph's nodes, it runs again and again, at most ``max_iterations`` times;
    ``carry`` are the inputs of the next round, referring to the inner graph's nodes.
    """

    id: str
    graph: Graph
    input: Mapping[str, Any] = field(default_factory=dict)
    until: When | None = None
    max_iterations: int | None = None
    carry: Mapping[str, Any] = field(default_factory=dict)


class AskNode(Node, frozen=True):
    """A question to a person, with what they need to see. The run waits until it is answered.

    A yes lets the run go on, with the data ``{"approved": true}``; a no is a failure with the code ``denied``.
    """

    id: str
    question: str
    show: Mapping[str, Any] = field(default_factory=dict)


class Edge(Struct, frozen=True):
    """A way from one node to another, which may have a condition."""

    source: str
    target: str
    when: When | None = None


__all__ = [
    "JOINS", "AgentNode", "AllOf", "AnyOf", "AskNode", "Edge", "FunctionNode", "Join", "Node", "NoneFailed",
    "Route", "SubGraph", "ToolNode", "When",
]  # fmt: skip
