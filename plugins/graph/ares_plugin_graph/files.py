"""A graph as a YAML or JSON file: read whole, every key checked, all that is wrong told at once with its line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ares_core import ConfigError, read_yaml
from ares_plugin_graph.check import meant
from ares_plugin_graph.graph import LIMIT, Graph, GraphError, GraphProblem
from ares_plugin_graph.nodes import AgentNode, AskNode, Edge, Node, SubGraph, ToolNode

if TYPE_CHECKING:
    from ares_core import Ares, Scoped

LARGEST = 1_000_000
Path = tuple[str | int, ...]
Lines = Mapping[Path, int]
Known = dict[int, dict[str, Path]]
TEXT, NUMBER, COUNT, FLAG = "text", "a number", "a whole number", "true or false"
TEXTS, OBJECT, ANY = "a list of texts", "an object", "anything"
COMMON = {"id": TEXT, "after": TEXTS, "when": TEXT, "join": TEXT, "writes": "a text or an object of texts",
          "route": "a list of {when, to}", "may_fail": FLAG}  # fmt: skip
KINDS: Mapping[str, Mapping[str, str]] = {
    "tool": {"tool": TEXT, "arguments": OBJECT, "request": TEXT, "retries": COUNT, "timeout": NUMBER,
             "undo": "true, or {tool, arguments}"},
    "graph": {"graph": OBJECT, "input": OBJECT, "until": TEXT, "max_iterations": COUNT, "carry": OBJECT},
    "ask": {"ask": TEXT, "show": OBJECT},
    "prompt": {"prompt": TEXT, "tools": TEXTS, "timeout": NUMBER},
}  # fmt: skip
TOP = {"name": TEXT, "description": TEXT, "input": OBJECT, "nodes": "a list of nodes", "edges": "a list of edges",
       "reducers": "an object of texts", "limit": COUNT, "deadline": NUMBER, "output": ANY}  # fmt: skip
EDGE = {"from": TEXT, "to": TEXT, "when": TEXT}


def _texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())


FITS: Mapping[str, Callable[[Any], bool]] = {
    TEXT: lambda value: isinstance(value, str),
    NUMBER: lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    COUNT: lambda value: isinstance(value, int) and not isinstance(value, bool),
    FLAG: lambda value: isinstance(value, bool),
    TEXTS: lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value),
    OBJECT: lambda value: isinstance(value, dict),
    ANY: lambda value: True,
    "a text or an object of texts": lambda value: isinstance(value, str) or _texts(value),
    "an object of texts": _texts,
    "true, or {tool, arguments}": lambda value: isinstance(value, bool) or _is_undo(value),
    "a list of {when, to}": lambda value: isinstance(value, list) and all(_is_route(one) for one in value),
    "a list of nodes": lambda value: isinstance(value, list),
    "a list of edges": lambda value: isinstance(value, list),
}


def read_graph(
    source: str | os.PathLike[str] | Mapping[str, Any], ares: Ares | Scoped | None = None
) -> Graph:  # fmt: skip
    """Read a graph from a file, or from the document that a file holds.

    Raises ``GraphError`` with everything that is wrong, each with its line; with an Ares also what doesn't fit its
    tools.

    >>> read_graph({"nodes": [{"id": "sum", "tool": "calculator", "arguments": {"expression": "1+2"}}]}).name
    'graph'
    """
    none: Lines = {}
    document, lines, name = (source, none, "graph") if isinstance(source, Mapping) else _read(source)
    problems: list[GraphProblem] = []
    graph = _graph(document, (), problems)
    if graph is not None:
        problems += _checked(graph, document, ares)
    if problems or graph is None:
        raise GraphError(name, sorted({_located(one, lines) for one in problems}, key=_by_line))
    return graph


def document_of(source: str | os.PathLike[str]) -> Any:
    """Give the plain data of a graph's file."""
    return _read(source)[0]


def _read(source: str | os.PathLike[str]) -> tuple[Any, Lines, str]:
    name = os.fspath(source)
    try:
        with open(name, "rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise GraphError(name, [GraphProblem("", f"{name} can't be read: {error.strerror}")]) from None
    if len(data) > LARGEST:
        raise GraphError(name, [GraphProblem("", f"{name} is larger than {LARGEST:,} bytes")])
    try:
        document, lines = read_yaml(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise GraphError(name, [GraphProblem("", f"byte {error.start} is no UTF-8; save the file as UTF-8")]) from None
    except ConfigError as error:
        raise GraphError(name, [GraphProblem("", str(error))]) from None
    return document, lines, name


def _graph(document: Any, path: Path, problems: list[GraphProblem]) -> Graph | None:
    """Make a graph of a document; what is wrong with its form goes to ``problems``, and what is right is kept."""
    if not isinstance(document, Mapping):
        problems.append(GraphProblem(_said(path), "a graph is an object with 'nodes'"))
        return None
    given = _fitting(document, TOP, path, problems)
    if "nodes" not in document:
        problems.append(GraphProblem(_said(path), "it has no 'nodes'"))
    nodes = [_node(one, (*path, "nodes", place), problems) for place, one in enumerate(given.pop("nodes", ()))]
    edges = [_edge(one, (*path, "edges", place), problems) for place, one in enumerate(given.pop("edges", ()))]
    whole = {"limit": LIMIT, **given}
    return Graph(nodes=tuple(one for one in nodes if one), edges=tuple(one for one in edges if one), **whole)


def _fitting(
    given: Mapping[str, Any], known: Mapping[str, str], path: Path, problems: list[GraphProblem]
) -> dict[str, Any]:
    """Give the keys whose values fit; the others go to ``problems``."""
    found = {}
    for key, value in given.items():
        if key not in known:
            problems.append(GraphProblem(_said((*path, key)), f"there is no key {key!r:.60}{meant(str(key), known)}"))
        elif not FITS[known[key]](value):
            problems.append(GraphProblem(_said((*path, key)), f"expected {known[key]}, got {_short(value)}"))
        else:
            found[key] = value
    return found


def _node(given: Any, path: Path, problems: list[GraphProblem]) -> Node | None:
    """Make a node; of one that can't be made only the id is kept, so that others may refer to it."""
    if not isinstance(given, Mapping):
        problems.append(GraphProblem(_said(path), f"a node is an object with 'id' and 'tool', got {_short(given)}"))
        return None
    kinds = [kind for kind in KINDS if kind in given]
    known = {**COMMON, **{key: kind for one in kinds for key, kind in KINDS[one].items()}}
    fitting = _fitting(given, known, path, problems)
    if len(kinds) != 1:
        says = f"it has {' and '.join(kinds)}" if kinds else "it has none"
        problems.append(GraphProblem(_said(path), f"a node has one of the keys {', '.join(KINDS)}: {says}"))
    if "id" not in given:
        problems.append(GraphProblem(_said(path), "the node has no 'id'"))
    if "id" not in fitting:
        return None
    if len(kinds) != 1 or kinds[0] not in fitting:
        return ToolNode(fitting["id"], "unknown")
    inner = _graph(given["graph"], (*path, "graph"), problems) if kinds == ["graph"] else None
    return _made(kinds[0], fitting, inner)


def _made(kind: str, given: Mapping[str, Any], inner: Graph | None) -> Node:
    common = ("id", "after", "when", "join", "writes", "may_fail")
    options: dict[str, Any] = {key: given[key] for key in common if key in given}
    if "route" in given:
        options["route"] = tuple((one.get("when"), one["to"]) for one in given["route"])
    own = {key: given[key] for key in KINDS[kind] if key in given and key not in ("graph", "ask")}
    if kind == "tool":
        return ToolNode(**options, **own)
    if kind == "ask":
        return AskNode(question=given["ask"], **options, **own)
    if kind == "prompt" or inner is None:
        return AgentNode(**options, **own)
    return SubGraph(graph=inner, **options, **own)


def _edge(given: Any, path: Path, problems: list[GraphProblem]) -> Edge | None:
    if not isinstance(given, Mapping):
        problems.append(GraphProblem(_said(path), f"an edge is an object with 'from' and 'to', got {_short(given)}"))
        return None
    fitting = _fitting(given, EDGE, path, problems)
    for key in ("from", "to"):
        if key not in given:
            problems.append(GraphProblem(_said(path), f"the edge has no {key!r}"))
    return Edge(fitting["from"], fitting["to"], fitting.get("when")) if {"from", "to"} <= set(fitting) else None


def _checked(graph: Graph, document: Any, ares: Ares | Scoped | None) -> Iterator[GraphProblem]:
    """Check the graph that the document makes; places become those of the document."""
    known: Known = {}
    for problem in graph.problems(ares):
        path = _path_of(document, problem.place, "two nodes" in problem.says, known)
        yield GraphProblem(_said(path), problem.says)


def _path_of(document: Any, place: str, is_second: bool, known: Known) -> Path:
    """Give where in a document stands what a problem is about, in graphs within it too."""
    head, _, rest = place.partition(".")
    if id(document) not in known:
        known[id(document)] = _places(document)
    is_inside = rest.startswith("graph.") and head in known[id(document)]
    name = f"twice {head}" if is_second and not is_inside else head
    path = known[id(document)].get(name, (head,) if head else ())
    if is_inside:
        node = document
        for step in path:
            node = node[step]
        return (*path, "graph", *_path_of(node["graph"], rest.removeprefix("graph."), is_second, known))
    return (*path, *rest.split(".")) if rest else path


def _places(document: Any) -> dict[str, Path]:
    """Give where the nodes and edges stand, by the names that problems have for them."""
    found: dict[str, Path] = {}
    for place, one in enumerate(_list(document, "nodes")):
        if isinstance(one, Mapping):
            name = str(one.get("id"))[:60]
            found["twice " + name if name in found else name] = ("nodes", place)
    for place, one in enumerate(_list(document, "edges")):
        if isinstance(one, Mapping):
            found[f"{one.get('from')}->{one.get('to')}"] = ("edges", place)
    return found


def _list(document: Any, key: str) -> list[Any]:
    found = document.get(key) if isinstance(document, Mapping) else None
    return found if isinstance(found, list) else []


def _located(problem: GraphProblem, lines: Lines) -> GraphProblem:
    """Add the line of the nearest part of the document that the place names."""
    path: Path = tuple(int(part) if part.isdigit() else part for part in problem.place.split(".") if part)
    while path and path not in lines:
        path = path[:-1]
    return GraphProblem(problem.place, problem.says, lines.get(path))


def _by_line(problem: GraphProblem) -> tuple[int, str, str]:
    return problem.line or 0, problem.place, problem.says


def _said(path: Path) -> str:
    return ".".join(map(str, path))


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _is_undo(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("tool"), str) and set(value) <= {"tool", "arguments"}


def _is_route(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("to"), str) or not set(value) <= {"when", "to"}:
        return False
    return value.get("when") is None or isinstance(value["when"], str)


__all__ = ["document_of", "read_graph"]
