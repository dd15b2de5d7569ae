"""Workflow graphs of tool calls: in Python or in a file, checked, kept node by node, resumed, changed while they run.

::

    from ares_core import Ares
    from ares_plugin_graph import Graph, ToolNode

    graph = Graph([
        ToolNode("sum", "calculator", {"expression": "1+2"}),
        ToolNode("digest", "hash_tool", {"operation": "sha256", "input": "${sum.result}"}),
    ])
    with Ares() as ares:
        result = graph.run_sync(ares)
    result["digest"].data
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from ares_core import hookimpl

if TYPE_CHECKING:
    from ares_plugin_graph.changes import AddEdge, Change, InsertNode, RemoveEdge, RemoveNode, ReplaceNode
    from ares_plugin_graph.checkpoints import Checkpoints, MemoryCheckpoints, Saved
    from ares_plugin_graph.files import read_graph
    from ares_plugin_graph.graph import Graph, GraphError, GraphProblem
    from ares_plugin_graph.nodes import (
        AgentNode,
        AllOf,
        AnyOf,
        AskNode,
        Edge,
        FunctionNode,
        NoneFailed,
        SubGraph,
        ToolNode,
    )
    from ares_plugin_graph.results import NodeError, NodeResult, RunResult
    from ares_plugin_graph.run import Run
    from ares_plugin_graph.sqlite import SqliteCheckpoints

_HOMES = {
    "changes": "AddEdge Change InsertNode RemoveEdge RemoveNode ReplaceNode",
    "checkpoints": "Checkpoints MemoryCheckpoints Saved",
    "files": "read_graph",
    "graph": "Graph GraphError GraphProblem",
    "nodes": "AgentNode AllOf AnyOf AskNode Edge FunctionNode NoneFailed SubGraph ToolNode",
    "results": "NodeError NodeResult RunResult",
    "run": "Run",
    "sqlite": "SqliteCheckpoints",
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = [
    "AddEdge", "AgentNode", "AllOf", "AnyOf", "AskNode", "Change", "Checkpoints", "Edge", "FunctionNode", "Graph",
    "GraphError", "GraphProblem", "InsertNode", "MemoryCheckpoints", "NodeError", "NodeResult", "NoneFailed",
    "RemoveEdge", "RemoveNode", "ReplaceNode", "Run", "RunResult", "Saved", "SqliteCheckpoints", "SubGraph", "ToolNode",
    "configuration", "read_graph",
]  # fmt: skip


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The section ``graph``: where ``ares graph`` keeps runs, and how many.

    An empty ``path`` is a file in the user's state folder. When there are more than ``keep`` runs, the oldest that
    have ended are dropped.
    """

    path: Annotated[str, msgspec.Meta(pattern=r"\A(|~?/.+|[A-Za-z]:.+)\Z", description="the full path of a file")] = ""
    keep: Annotated[int, msgspec.Meta(ge=1, le=10_000_000, description="a whole number from 1")] = 10_000


@hookimpl
def configuration() -> type[Settings]:
    """Give what the section may say."""
    return Settings


def __getattr__(name: str) -> Any:
    """Import a part when it is first asked for: most programs that have the plugin run no graph."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'ares_plugin_graph' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"ares_plugin_graph.{_HOME_OF[name]}"), name)
    return value
