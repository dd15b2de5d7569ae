"""A graph written back as the document of a file, so that another process can go on with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import asdict

from ares_plugin_graph.graph import LIMIT, Graph, GraphError, GraphProblem
from ares_plugin_graph.nodes import AgentNode, AskNode, Edge, FunctionNode, Node, SubGraph


def written(graph: Graph) -> dict[str, Any]:
    """Give the document that ``read_graph`` makes the same graph of; a function in it raises ``GraphError``.

    >>> from ares_plugin_graph import ToolNode, read_graph
    >>> graph = Graph([ToolNode("a", "calculator", {"expression": "1+2"}, retries=1)])
    >>> written(graph)
    {'nodes': [{'id': 'a', 'tool': 'calculator', 'arguments': {'expression': '1+2'}, 'retries': 1}]}
    >>> read_graph(written(graph)).nodes == tuple(graph.nodes)
    True
    """
    top: dict[str, Any] = {
        "name": graph.name, "description": graph.description, "input": graph.input, "reducers": dict(graph.reducers),
        "limit": graph.limit, "deadline": graph.deadline, "output": graph.output,
    }  # fmt: skip
    plain: dict[str, Any] = {
        "name": "graph",
        "description": "",
        "input": None,
        "reducers": {},
        "limit": LIMIT,
        "deadline": None,
    }
    kept = {key: value for key, value in top.items() if value != plain.get(key)}
    _check(graph, kept)
    edges = {"edges": [_edge(edge) for edge in graph.edges]} if graph.edges else {}
    return {**kept, "nodes": [_node(node) for node in graph.nodes], **edges}


def _check(graph: Graph, kept: Mapping[str, Any]) -> None:
    """Raise ``GraphError`` for what a document has no words for."""
    found = [GraphProblem("reducers", f"{key} is a function") for key, one in graph.reducers.items() if callable(one)]
    for node in graph.nodes:
        if isinstance(node, FunctionNode) or (isinstance(node, AgentNode) and node.agent is not None):
            found.append(GraphProblem(node.id, "it is made of Python objects"))
        elif callable(node.when) or callable(node.route) or any(callable(when) for when, _ in node.route or ()):
            found.append(GraphProblem(node.id, "its condition or route is a function"))
        elif isinstance(node, SubGraph) and callable(node.until):
            found.append(GraphProblem(node.id, "its until is a function"))
    found += [GraphProblem(f"{one.source}->{one.target}", "a function") for one in graph.edges if callable(one.when)]
    if found:
        raise GraphError(graph.name, [*found, GraphProblem("", "a graph from a file can hold no functions")])


def _node(node: Node) -> dict[str, Any]:
    given = {name: value for name, value in asdict(node).items() if not _is_usual(node, name, value)}
    if isinstance(node, AskNode):
        given["ask"] = given.pop("question")
    if isinstance(node, SubGraph):
        given["graph"] = written(node.graph)
    if node.route is not None and not callable(node.route):
        given["route"] = [{"to": to, **({"when": when} if when is not None else {})} for when, to in node.route]
    kept: dict[str, Any] = {
        name: list(value) if isinstance(value, tuple) else value for name, value in given.items() if name != "agent"
    }
    return {"id": kept.pop("id"), **kept}


def _is_usual(node: Node, name: str, value: Any) -> bool:
    names, usual = node.__struct_fields__, node.__struct_defaults__  # the last names are those with defaults
    place = names.index(name) - (len(names) - len(usual))
    return value in ({}, ()) or (place >= 0 and bool(value == usual[place]))


def _edge(edge: Edge) -> dict[str, Any]:
    return {"from": edge.source, "to": edge.target, **({"when": edge.when} if edge.when is not None else {})}


__all__ = ["written"]
