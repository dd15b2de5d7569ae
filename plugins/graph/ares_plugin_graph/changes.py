"""Changes to a graph, also while it runs: each can be taken back by its inverse."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from ares_plugin_graph.graph import Graph, GraphError, GraphProblem
from ares_plugin_graph.nodes import Edge, Node


class Change(Struct, frozen=True):
    """What all changes have: ``applied(graph)`` gives the graph after it, and its inverse."""

    def applied(self, graph: Graph) -> tuple[Graph, Change]:
        """Give the graph after the change, and the change that takes it back."""
        raise TypeError(f"{type(self).__name__} is no change by itself")

    def touches(self) -> frozenset[str]:
        """Give the nodes that must not have begun."""
        return frozenset()


class InsertNode(Change, frozen=True):
    """Put a node in, with edges to and from it."""

    node: Node
    edges: Sequence[Edge] = ()
    place: int | None = None

    def applied(self, graph: Graph) -> tuple[Graph, Change]:
        """Give the graph with the node."""
        nodes = list(graph.nodes)
        nodes.insert(len(nodes) if self.place is None else self.place, self.node)
        return graph.with_nodes(nodes, (*graph.edges, *self.edges)), RemoveNode(self.node.id)

    def touches(self) -> frozenset[str]:
        """Give the nodes that get a new way in."""
        return frozenset({self.node.id, *(edge.target for edge in self.edges), *_routed(self.node)})


class RemoveNode(Change, frozen=True):
    """Take a node out, with its edges. Others must not refer to it."""

    id: str

    def applied(self, graph: Graph) -> tuple[Graph, Change]:
        """Give the graph without the node."""
        place, node = _found(graph, self.id)
        gone = tuple(edge for edge in graph.edges if self.id in (edge.source, edge.target))
        kept = tuple(edge for edge in graph.edges if edge not in gone)
        return graph.with_nodes([one for one in graph.nodes if one.id != self.id], kept), InsertNode(node, gone, place)

    def touches(self) -> frozenset[str]:
        """Give the node."""
        return frozenset({self.id})


class ReplaceNode(Change, frozen=True):
    """Put another node in the place of the one with the same id."""

    node: Node

    def applied(self, graph: Graph) -> tuple[Graph, Change]:
        """Give the graph with the other node."""
        place, old = _found(graph, self.node.id)
        nodes = list(graph.nodes)
        nodes[place] = self.node
        return graph.with_nodes(nodes), ReplaceNode(old)

    def touches(self) -> frozenset[str]:
        """Give the node, and those that its route leads to."""
        return frozenset({self.node.id, *_routed(self.node)})


class AddEdge(Change, frozen=True):
    """Add an edge."""

    edge: Edge

    def applied(self, graph: Graph) -> tuple[Graph, Change]:
        """Give the graph with the edge."""
        return replace(graph, edges=(*graph.edges, self.edge)), RemoveEdge(self.edge.source, self.edge.target)

    def touches(self) -> frozenset[str]:
        """Give the node that gets a new way in."""
        return frozenset({self.edge.target})


class RemoveEdge(Change, frozen=True):
    """Take the last edge between two nodes out."""

    source: str
    target: str

    def applied(self, graph: Graph) -> tuple[Graph, Change]:
        """Give the graph without the edge."""
        edges = list(graph.edges)
        for place in range(len(edges) - 1, -1, -1):
            if (edges[place].source, edges[place].target) == (self.source, self.target):
                gone = edges.pop(place)
                return replace(graph, edges=tuple(edges)), AddEdge(gone)
        problem = GraphProblem(f"{self.source}->{self.target}", "there is no such edge")
        raise GraphError(graph.name, [problem])

    def touches(self) -> frozenset[str]:
        """Give the node that loses a way in."""
        return frozenset({self.target})


def _routed(node: Node) -> tuple[str, ...]:
    return () if node.route is None or callable(node.route) else tuple(target for _, target in node.route)


def _found(graph: Graph, name: str) -> tuple[int, Node]:
    for place, node in enumerate(graph.nodes):
        if node.id == name:
            return place, node
    raise GraphError(graph.name, [GraphProblem(name, "there is no such node")])


__all__ = ["AddEdge", "Change", "InsertNode", "RemoveEdge", "RemoveNode", "ReplaceNode"]
