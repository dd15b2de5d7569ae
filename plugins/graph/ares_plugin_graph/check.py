"""Everything that is wrong with a graph, told at once, each with its place."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ares_core import check_graph, counted
from ares_plugin_graph.conditions import Condition
from ares_plugin_graph.graph import Graph, GraphProblem
from ares_plugin_graph.nodes import JOINS, Edge, FunctionNode, Node, SubGraph, ToolNode, When
from ares_plugin_graph.ordering import MOST_WRITERS, behind_cycles, side_by_side
from ares_plugin_graph.prepared import RESERVED, dependencies, referred_by, template_of, writers
from ares_plugin_graph.references import NAME, Reference, ReferenceFault, compiled, references
from ares_plugin_graph.state import REDUCERS

if TYPE_CHECKING:
    from ares_core import Ares, Scoped

DEEPEST = 10
MOST_ROUNDS = 10_000
MOST_NODES = 100_000
MOST_SUGGESTED = 20
"""How many problems are told with what may be meant: looking for that is most of the work."""


def problems(graph: Graph, ares: Ares | Scoped | None = None, depth: int = 0) -> list[GraphProblem]:
    """Say everything that is wrong with a graph, and, with an Ares, what doesn't fit its tools."""
    if shapes := list(_of_shape(graph)):
        return shapes
    if len(graph.nodes) > MOST_NODES:
        return [GraphProblem("", f"it has {counted(len(graph.nodes), 'node')}; {MOST_NODES} is the most")]
    if depth > DEEPEST:
        return [GraphProblem("", f"graphs lie in each other more than {DEEPEST} deep")]
    found = [*_of_each(graph), *_of_ends(graph), *_of_the_whole(graph)]
    found += _of_order(graph)
    for node in graph.nodes:
        if isinstance(node, SubGraph):
            found += [_below(node, one) for one in problems(node.graph, ares, depth + 1)]
    if ares is not None:
        from ares_plugin_graph.fitting import misfits

        found += misfits(graph, ares)
    return found


def _of_shape(graph: Graph) -> Iterator[GraphProblem]:
    """Tell of what is no graph at all, so that nothing else can be looked at."""
    for place, kind, what in (("nodes", Node, "nodes, such as ToolNode"), ("edges", Edge, "edges, such as Edge")):
        given = getattr(graph, place)
        if not isinstance(given, list | tuple):
            yield GraphProblem(place, f"it is {given!r:.60}; give a list of {what}(…)")
            continue
        for one in given:
            if not isinstance(one, kind):
                yield GraphProblem(place, f"{one!r:.60} is among them; give a list of {what}(…)")
            elif isinstance(one, Node) and not isinstance(one.id, Hashable):
                yield GraphProblem(place, f"{one.id!r:.60} is no id; use letters, figures, '_' and '-'")
            elif isinstance(one, Node) and not isinstance(one.after, Collection):
                yield GraphProblem(str(one.id)[:60], f"after is {one.after!r:.40}; give a list of the ids of nodes")


def _below(node: SubGraph, problem: GraphProblem) -> GraphProblem:
    place = f"{node.id}.graph" + (f".{problem.place}" if problem.place else "")
    return GraphProblem(place, problem.says, problem.line)


def _of_each(graph: Graph) -> Iterator[GraphProblem]:
    """Tell what is wrong with single nodes."""
    names = [node.id for node in graph.nodes]
    known, keys = {name for name in names if isinstance(name, str)}, writers(graph)
    near, told = {*known, *RESERVED}, 0
    for node in graph.nodes:
        if not isinstance(node.id, str) or not NAME.fullmatch(node.id) or node.id in RESERVED:
            taken = node.id in RESERVED if isinstance(node.id, str) else False
            says = "is taken; choose another id" if taken else "is no id; use letters, figures, '_' and '-'"
            yield GraphProblem(str(node.id)[:60], f"{node.id!r:.60} {says}")
        for says in (*_of_options(node), *_of_references(graph, node, known, keys, near)):
            yield GraphProblem(str(node.id)[:60], says)
            told += 1
            near = near if told < MOST_SUGGESTED else set()


def _of_options(node: Node) -> Iterator[str]:
    if node.join not in JOINS:
        yield f"join is {node.join!r:.40}; it is one of {', '.join(JOINS)}"
    timeout, retries = getattr(node, "timeout", None), getattr(node, "retries", 0)
    if timeout is not None and not (_is_number(timeout) and 0 < timeout <= 604_800):
        yield f"timeout is {timeout!r:.40}; give seconds above 0"
    if not (_is_whole(retries) and 0 <= retries <= 100):
        yield f"retries is {retries!r:.40}; give a whole number from 0 to 100"
    if isinstance(node, FunctionNode) and not callable(node.fn):
        yield f"fn is {node.fn!r:.40}, which can't be called"
    if isinstance(node, ToolNode) and not (isinstance(node.tool, str) and node.tool.strip()):
        yield f"tool is {node.tool!r:.40}; give the name of a tool"
    if isinstance(node, SubGraph):
        yield from _of_loop(node)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or _is_whole(value)


def _of_loop(node: SubGraph) -> Iterator[str]:
    if node.until is not None and node.max_iterations is None:
        yield "the loop has no bound; give max_iterations beside until"
    rounds = node.max_iterations
    if rounds is not None and not (_is_whole(rounds) and 1 <= rounds <= MOST_ROUNDS):
        yield f"max_iterations is {rounds!r:.40}; give a whole number from 1 to {MOST_ROUNDS}"
    inner = {one.id for one in node.graph.nodes}
    yield from _readable(lambda: list(references(node.carry)), inner, "carry")
    if isinstance(node.until, str):
        yield from _readable(lambda: list(Condition(str(node.until))), inner, "until")


def _readable(read: Callable[[], Sequence[Reference]], known: set[str], what: str) -> Iterator[str]:
    try:
        found = read()
    except ReferenceFault as error:
        yield f"{what}: {error}"
        return
    for reference in found:
        if reference.name not in known and reference.name not in RESERVED:
            yield f"{what}: unknown reference {reference.text!r:.80}{meant(reference.name, known)}"


def _of_references(
    graph: Graph, node: Node, known: set[str], keys: Mapping[str, list[str]], near: set[str]
) -> Iterator[str]:
    try:
        compiled(template_of(node))
        found = list(referred_by(node))
        if isinstance(node, ToolNode):
            compiled(node.request)
            found += references(node.undo.get("arguments")) if isinstance(node.undo, Mapping) else ()
        if not callable(node.route):
            found += [one for when, _ in node.route or () if isinstance(when, str) for one in Condition(when)]
    except ReferenceFault as error:
        yield f"a reference can't be read: {error}"
        return
    for reference in found:
        yield from _of_reference(graph, reference, known, keys, near)


def _of_reference(
    graph: Graph, one: Reference, known: set[str], keys: Mapping[str, list[str]], near: set[str]
) -> Iterator[str]:
    first = str(one.path[0]) if one.path else None
    if one.name == "input":
        inputs = declared(graph)
        if inputs is not None and first is not None and first not in inputs and not one.optional:
            yield f"unknown reference {one.text!r:.80}: the input has no {first!r:.60}{meant(first, inputs)}"
    elif one.name == "state":
        if first is not None and first not in keys and not one.optional:
            yield f"unknown reference {one.text!r:.80}: no node writes {first!r:.60}{meant(first, keys)}"
    elif one.name not in known:
        yield f"unknown reference {one.text!r:.80}: there is no node {one.name!r:.60}{meant(one.name, near)}"


def declared(graph: Graph) -> Mapping[str, Any] | None:
    """Give the properties of the run's input; ``None`` when anything may come."""
    if graph.input is None:
        return None
    if "properties" in graph.input or "type" in graph.input:
        properties: Mapping[str, Any] = graph.input.get("properties") or {}
        return properties if graph.input.get("additionalProperties", True) is False or properties else None
    return graph.input


def meant(name: str, known: Any) -> str:
    """Say which name may be meant."""
    import difflib

    near = difflib.get_close_matches(name[:60], [str(one) for one in list(known)[:1000]], 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _of_ends(graph: Graph) -> Iterator[GraphProblem]:
    """Tell of edges and routes that lead nowhere."""
    known = {node.id for node in graph.nodes}
    for place, edge in enumerate(graph.edges):
        near = known if place < MOST_SUGGESTED else ()
        for end in (edge.source, edge.target):
            if end not in known:
                says = f"there is no node {end!r:.60}{meant(str(end), near)}"
                yield GraphProblem(f"{edge.source}->{edge.target}", says)
        yield from (GraphProblem(f"{edge.source}->{edge.target}", says) for says in _of_when(edge.when, known))
    for node in graph.nodes:
        for _, target in () if callable(node.route) else node.route or ():
            if target not in known:
                says = f"the route leads to {target!r:.60}, which is no node{meant(str(target), known)}"
                yield GraphProblem(str(node.id), says)


def _of_when(when: When | None, known: set[str]) -> Iterator[str]:
    if isinstance(when, str):
        yield from _readable(lambda: list(Condition(when)), known, "when")


def _of_the_whole(graph: Graph) -> Iterator[GraphProblem]:
    known, keys = {node.id for node in graph.nodes}, writers(graph)
    yield from (
        GraphProblem("output", says.removeprefix("output: "))
        for says in _readable(lambda: list(references(graph.output)), known, "output")
    )
    if not (_is_whole(graph.limit) and 1 <= graph.limit <= 10_000):
        yield GraphProblem("limit", f"it is {graph.limit!r:.40}; give a whole number from 1 to 10000")
    if graph.deadline is not None and not (_is_number(graph.deadline) and graph.deadline > 0):
        yield GraphProblem("deadline", f"it is {graph.deadline!r:.40}; give seconds above 0")
    for key, reducer in graph.reducers.items():
        if key not in keys:
            yield GraphProblem("reducers", f"no node writes {key!r:.60}{meant(key, keys)}")
        if not callable(reducer) and reducer not in REDUCERS:
            yield GraphProblem("reducers", f"{key}: {reducer!r:.40} is none; it is one of {', '.join(REDUCERS)}")


class _Node(Struct, frozen=True):
    id: str
    depends_on: tuple[str, ...]


def _of_order(graph: Graph) -> Iterator[GraphProblem]:
    """Tell of ids given twice, of what is missing, of cycles and what lies behind them, and of conflicting writes."""
    keys = writers(graph)
    known = {node.id for node in graph.nodes if isinstance(node.id, str)}
    before: dict[str, list[str]] = {}
    for node in graph.nodes:
        before.setdefault(node.id, []).extend(_before(graph, node, keys, known))
    for edge in graph.edges:
        if edge.target in before and edge.source in known:
            before[edge.target].append(edge.source)
    for node in graph.nodes:
        for _, target in () if callable(node.route) else node.route or ():
            if target in known:
                before[target].append(node.id)
    found = check_graph([_Node(node.id, tuple(dict.fromkeys(before[node.id]))) for node in graph.nodes])
    cycles = [problem for problem in found if "wait for each other" in problem.says]
    yield from (GraphProblem(one.node[:60], _as_node(one.says)) for one in found)
    if cycles:
        says = "can't be reached: what it waits for waits for itself"
        yield from (GraphProblem(name, f"node {name!r} {says}") for name in behind_cycles(before))
    elif not found:
        yield from _conflicts(graph, keys, before)


def _before(graph: Graph, node: Node, keys: Mapping[str, list[str]], known: set[str]) -> list[str]:
    """Give what a node waits for; references to what isn't there, or that can't be read, were told already."""
    try:
        found = dependencies(graph, node, keys)
    except ReferenceFault:
        return list(node.after)
    return [name for name in found if name in known or name in node.after]


def _as_node(says: str) -> str:
    return says.replace("there are no steps", "there are no nodes").replace("the steps wait", "the nodes wait").replace(
        "two steps have", "two nodes have").replace("step '", "node '").replace("is no step", "is no node")  # fmt: skip


def _conflicts(
    graph: Graph, keys: Mapping[str, list[str]], before: Mapping[str, Sequence[str]]
) -> Iterator[GraphProblem]:
    """Tell of keys that nodes may write at the same time with nothing to say which value holds."""
    open_ = {key: names for key, names in keys.items() if len(names) > 1 and key not in graph.reducers}
    writers = {name for names in open_.values() for name in names}
    if len(writers) > MOST_WRITERS:
        says = f"{len(writers)} nodes write keys that others write too; name reducers, or let {MOST_WRITERS} at most do"
        yield GraphProblem("reducers", says)
        return
    for key, one, other in side_by_side(before, open_):
        says = f"{one!r} and {other!r} both write {key!r} at the same time; name a reducer, or an order"
        yield GraphProblem(f"{one}.writes", says)


__all__ = ["declared", "meant", "problems"]
