"""A graph: nodes and edges that belong together, checked before anything runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from ares_core import AresError
from ares_plugin_graph.nodes import Edge, Node
from ares_plugin_graph.results import RunResult

if TYPE_CHECKING:
    from ares_core import Ares, Scoped
    from ares_plugin_graph.changes import Change
    from ares_plugin_graph.checkpoints import Checkpoints
    from ares_plugin_graph.run import Run

MOST_SAID = 20
"""How many problems the text of an error has; ``problems`` has all."""
LIMIT = 16
"""How many nodes of a run work at once, unless the graph says otherwise."""


class GraphProblem(Struct, frozen=True):
    """One thing wrong with a graph: where (a node or key), what, and the line if it came from a file."""

    place: str
    says: str
    line: int | None = None

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line is not None else ""
        return f"{where}{self.place}: {self.says}" if self.place else f"{where}{self.says}"


class GraphError(AresError):
    """A graph that can't run; ``problems`` has everything that is wrong with it."""

    def __init__(self, name: str, problems: Sequence[GraphProblem]) -> None:
        self.problems = tuple(problems)
        more = f"; and {len(problems) - MOST_SAID} more" if len(problems) > MOST_SAID else ""
        super().__init__(f"graph {name!r} can't run: " + "; ".join(map(str, problems[:MOST_SAID])) + more)


class Graph(Struct, frozen=True):
    """A workflow: nodes, and edges beside those that references and ``after`` imply.

    ``input`` is the JSON Schema of the run's input, or of its properties; input that doesn't fit is repaired or
    refused like a tool's arguments. ``reducers`` say how the values of a key of the state that several nodes write
    come together: ``append extend merge add min max last``, or a function of the old and the new value. ``limit`` is
    how many nodes work at once, ``deadline`` the seconds that a run may take. ``output`` is a template for the answer.

    >>> from ares_core import Ares, tool
    >>> from ares_plugin_graph import Graph, ToolNode
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Give twice a number."
    ...     return 2 * n
    >>> two = Graph([ToolNode("a", "double", {"n": "${input.n}"}), ToolNode("b", "double", {"n": "${a}"})])
    >>> with Ares(plugins=[]) as ares:
    ...     _ = ares.register(double)
    ...     two.run_sync(ares, {"n": 3}).output
    12
    """

    nodes: Sequence[Node]
    name: str = "graph"
    edges: Sequence[Edge] = ()
    input: Mapping[str, Any] | None = None
    reducers: Mapping[str, str | Callable[[Any, Any], Any]] = field(default_factory=dict)
    limit: int = LIMIT
    deadline: float | None = None
    output: Any = None
    description: str = ""

    def node(self, name: str) -> Node | None:
        """Give a node by its id."""
        return next((node for node in self.nodes if node.id == name), None)

    def problems(self, ares: Ares | Scoped | None = None) -> list[GraphProblem]:
        """Say everything that is wrong with it; with an Ares also what doesn't fit its tools."""
        from ares_plugin_graph.check import problems

        return problems(self, ares)

    def check(self, ares: Ares | Scoped | None = None) -> None:
        """Raise ``GraphError`` with everything that is wrong with it."""
        from ares_plugin_graph.prepared import is_known_good, note_good

        if ares is not None and is_known_good(self, ares):
            return
        if found := self.problems(ares):
            raise GraphError(self.name, found)
        if ares is not None:
            note_good(self, ares)

    def start(
        self, ares: Ares | Scoped, input: Mapping[str, Any] | None = None, *, run_id: str | None = None,
        checkpoints: Checkpoints | None = None, session: str | None = None,
        on_node: Callable[[str, Any], Any] | None = None, document: Any = None,
    ) -> Run:  # fmt: skip
        """Begin a run, from a coroutine; ``await run.wait()`` gives its result.

        Checkpoints are kept in memory unless a store is given. ``on_node(id, result)`` is told each node that ends.
        ``document`` is kept beside the run, for whoever goes on with it without the graph.
        """
        from ares_plugin_graph.run import Run

        self.check(ares)
        if run_id is not None and not (0 < len(run_id) <= 200 and "/" not in run_id and run_id.isprintable()):
            raise GraphError(self.name, [GraphProblem("", f"{run_id!r:.80} is no id for a run; leave '/' out of it")])
        return Run.begin(self, ares, input or {}, run_id, checkpoints, session, on_node, document)

    async def run(
        self, ares: Ares | Scoped, input: Mapping[str, Any] | None = None, *, run_id: str | None = None,
        checkpoints: Checkpoints | None = None, session: str | None = None,
        on_node: Callable[[str, Any], Any] | None = None,
    ) -> RunResult:  # fmt: skip
        """Run it to its end, or until it has to wait for a person."""
        options: dict[str, Any] = {"run_id": run_id, "checkpoints": checkpoints, "session": session, "on_node": on_node}
        return await self.start(ares, input, **options).wait()

    def run_sync(self, ares: Ares | Scoped, input: Mapping[str, Any] | None = None, **options: Any) -> RunResult:
        """Run it and wait; see ``run``."""
        return asyncio.run(self.run(ares, input, **options))

    async def resume(
        self, ares: Ares | Scoped, run_id: str, checkpoints: Checkpoints, *,
        decisions: Mapping[str, Any] | None = None, session: str | None = None,
        on_node: Callable[[str, Any], Any] | None = None,
    ) -> RunResult:  # fmt: skip
        """Go on with a run where it ended, in another process if need be; what is done is not done again.

        What failed in a run that has ended runs again, unless it may fail. ``decisions`` say what else to do with
        nodes that failed or whose outcome is unknown: ``"retry"``, ``"skip"``, or ``{"data": …}`` for what it is known
        to have given.
        """
        from ares_plugin_graph.run import Run

        self.check(ares)
        return await Run.resume(self, ares, run_id, checkpoints, decisions or {}, session, on_node).wait()

    async def fork(
        self, ares: Ares | Scoped, run_id: str, checkpoints: Checkpoints, *, at: str | Sequence[str] = (),
        decisions: Mapping[str, Any] | None = None, session: str | None = None,
        on_node: Callable[[str, Any], Any] | None = None,
    ) -> RunResult:  # fmt: skip
        """Go on in a copy of a run, which is left as it is; the copy has an id of its own.

        The nodes ``at``, and what came after them, run anew. ``decisions`` are those of ``resume``.
        """
        from ares_plugin_graph.resuming import forked, kept
        from ares_plugin_graph.run import Run

        self.check(ares)
        names = (at,) if isinstance(at, str) else at
        decided = {**dict.fromkeys(names, "retry"), **(decisions or {})}
        saved = forked(self, kept(checkpoints, run_id), checkpoints, decided)
        inner = {name: decision for name, decision in decided.items() if "." in name}
        return await Run.resume(self, ares, saved.run_id, checkpoints, inner, session, on_node).wait()

    def changed(self, change: Change) -> tuple[Graph, Change]:
        """Give the graph after a change, and the change that takes it back; raises ``GraphError`` if it can't run."""
        made, inverse = change.applied(self)
        made.check()
        return made, inverse

    def with_nodes(self, nodes: Sequence[Node], edges: Sequence[Edge] | None = None) -> Graph:
        """Give the graph with other nodes, and edges."""
        return replace(self, nodes=tuple(nodes), edges=self.edges if edges is None else tuple(edges))


__all__ = ["LIMIT", "Graph", "GraphError", "GraphProblem"]
