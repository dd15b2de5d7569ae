"""A checked graph made ready to run: dependencies, ways in, compiled templates and conditions."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from ares_plugin_graph.conditions import Condition
from ares_plugin_graph.graph import Graph
from ares_plugin_graph.nodes import AgentNode, AskNode, FunctionNode, Node, SubGraph, ToolNode, When
from ares_plugin_graph.references import Lookup, Reference, compiled, references

if TYPE_CHECKING:
    from ares_core import Ares, Scoped

RESERVED = ("input", "state")
Test = Callable[[Lookup], bool]


class Way:
    """One way into a node: from which node, and what must hold for it to be taken."""

    __slots__ = ("source", "test")

    def __init__(self, source: str, test: Test | None) -> None:
        self.source, self.test = source, test


class Step:
    """One node, ready to run; ``depends_on`` is what the scheduler goes by."""

    __slots__ = ("arguments", "constant", "depends_on", "id", "node", "test", "ways", "writes")

    def __init__(self, node: Node, depends_on: tuple[str, ...], ways: tuple[Way, ...]) -> None:
        self.node, self.id, self.depends_on, self.ways = node, node.id, depends_on, ways
        self.test = test_of(node.when)
        self.constant = template_of(node)
        self.arguments = compiled(self.constant)
        self.writes = written_by(node)


def template_of(node: Node) -> Any:
    """Give the part of a node that may hold references."""
    if isinstance(node, ToolNode | FunctionNode):
        return node.arguments
    if isinstance(node, SubGraph):
        return node.input
    if isinstance(node, AskNode):
        return {"question": node.question, **({"show": node.show} if node.show else {})}
    return {"prompt": node.prompt} if isinstance(node, AgentNode) else {}


def test_of(when: When | None) -> Test | None:
    """Make what tells whether a condition holds."""
    if when is None:
        return None
    return Condition(when).holds if isinstance(when, str) else lambda lookup: bool(when(Seen(lookup)))


class Seen(Mapping[str, Any]):
    """The outputs so far, as a mapping for conditions that are functions."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup

    def __getitem__(self, name: str) -> Any:
        try:
            return self._lookup(name)
        except ValueError as error:
            raise KeyError(str(error)) from None

    def __iter__(self) -> Iterator[str]:
        raise TypeError("a condition asks for nodes by their ids")

    def __len__(self) -> int:
        raise TypeError("a condition asks for nodes by their ids")


def written_by(node: Node) -> tuple[tuple[str, str], ...]:
    """Give the keys of the state that a node writes, each with the path into its data."""
    if node.writes is None:
        return ()
    return ((node.writes, ""),) if isinstance(node.writes, str) else tuple(node.writes.items())


def referred_by(node: Node) -> Iterator[Reference]:
    """Give every reference that a node waits for: in its arguments, its request and its condition."""
    yield from references(template_of(node))
    if isinstance(node, ToolNode) and node.request is not None:
        yield from references(node.request)
    if isinstance(node.when, str):
        yield from Condition(node.when)


def writers(graph: Graph) -> dict[str, list[str]]:
    """Give the nodes that write each key of the state."""
    found: dict[str, list[str]] = {}
    for node in graph.nodes:
        for key, _ in written_by(node):
            found.setdefault(key, []).append(node.id)
    return found


def dependencies(graph: Graph, node: Node, keys: Mapping[str, list[str]]) -> tuple[str, ...]:
    """Give the nodes that come before one: those it refers to, those it names, those with an edge or route to it."""
    found: dict[str, None] = {}
    for reference in referred_by(node):
        if reference.name == "state" and reference.path:
            found.update((name, None) for name in keys.get(str(reference.path[0]), ()) if name != node.id)
        elif reference.name not in RESERVED:
            found[reference.name] = None
    found.update((name, None) for name in node.after)
    return tuple(found)


def prepare(graph: Graph) -> list[Step]:
    """Make the steps of a checked graph."""
    keys = writers(graph)
    ways: dict[str, list[Way]] = {node.id: [] for node in graph.nodes}
    for edge in graph.edges:
        ways[edge.target].append(Way(edge.source, test_of(edge.when)))
    for node in graph.nodes:
        if node.route is not None and not callable(node.route):
            for target in dict.fromkeys(target for _, target in node.route):
                ways[target].append(Way(node.id, None))
    steps = []
    for node in graph.nodes:
        known = {way.source for way in ways[node.id]}
        plain = [Way(name, None) for name in dependencies(graph, node, keys) if name not in known]
        every = (*ways[node.id], *plain)
        steps.append(Step(node, tuple(dict.fromkeys(way.source for way in every)), every))
    return steps


Known = OrderedDict[int, tuple[Graph, Any]]
MOST_READY = 64
_READY: Known = OrderedDict()
_MARKS: Known = OrderedDict()
_GOOD: Known = OrderedDict()


def _kept(known: Known, graph: Graph, make: Callable[[Graph], Any]) -> Any:
    """Give what is made of a graph, made once for the graphs that were run last."""
    found = known.get(id(graph))
    if found is None or found[0] is not graph:
        found = _keep(known, graph, make(graph))
    return found[1]


def _keep(known: Known, graph: Graph, made: Any) -> tuple[Graph, Any]:
    known[id(graph)] = found = (graph, made)
    while len(known) > MOST_READY:
        known.popitem(last=False)
    return found


def ready_steps(graph: Graph) -> list[Step]:
    """Give the steps of a checked graph."""
    steps: list[Step] = _kept(_READY, graph, prepare)
    return steps


def is_known_good(graph: Graph, ares: Ares | Scoped) -> bool:
    """Whether a graph was checked with these very tools before, and nothing was wrong with it."""
    known = _GOOD.get(id(graph))
    return known is not None and known[0] is graph and known[1] == _tools_of(graph, ares)


def note_good(graph: Graph, ares: Ares | Scoped) -> None:
    """Remember that nothing is wrong with a graph."""
    _keep(_GOOD, graph, _tools_of(graph, ares))


def _tools_of(graph: Graph, ares: Ares | Scoped) -> list[Any]:
    entries = ares.view.entries
    return [entries.get(node.tool) for node in graph.nodes if isinstance(node, ToolNode)]


def fingerprint(graph: Graph) -> str:
    """Hash a graph: a run goes on only with the graph that it began with."""
    mark: str = _kept(_MARKS, graph, _hashed)
    return mark


def _hashed(graph: Graph) -> str:
    return hashlib.sha256(msgspec.json.encode(msgspec.to_builtins(graph, enc_hook=_named), order="sorted")).hexdigest()


def _named(value: Any) -> str:
    where = getattr(value, "__module__", type(value).__module__)
    return f"{where}.{getattr(value, '__qualname__', type(value).__qualname__)}"


__all__ = ["RESERVED", "Seen", "Step", "Way", "dependencies", "fingerprint", "prepare", "ready_steps",
           "referred_by", "template_of", "writers", "written_by"]  # fmt: skip
