"""Whether steps form a graph that can run: plans and workflow graphs are checked alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import islice
from typing import Protocol

from msgspec import Struct

from ares_core.names import nearest

MOST_CYCLES = 20
MOST_SUGGESTED = 20
FITS = {
    ("Number", "Text"), ("Number", "Expression"), ("Identifier", "Text"), ("URL", "Text"), ("JSON", "Text"),
    ("Code", "Text"), ("Expression", "Text"), ("Values", "Text"), ("Text", "JSON"), ("Text", "Code"),
    ("Text", "Expression"), ("Text", "URL"), ("Values", "JSON"), ("Vector", "JSON"),
}  # fmt: skip
"""Which type may stand for which other: what is written the same way, or is read and checked by its consumer."""


class Node(Protocol):
    """What a graph consists of."""

    @property
    def id(self) -> str: ...
    @property
    def depends_on(self) -> Sequence[str]: ...


class Problem(Struct, frozen=True):
    """One thing wrong with a graph: at which node, and what."""

    node: str
    says: str


def check_graph(nodes: Sequence[Node]) -> list[Problem]:
    """Say everything that is wrong with a graph: no nodes, ids twice or of the wrong type, what is missing, cycles.

    >>> check_graph([])
    [Problem(node='', says='there are no steps')]
    """
    if not nodes:
        return [Problem("", "there are no steps")]
    found = list(_names(nodes))
    known = {node.id: [name for name in node.depends_on if _is_name(name)] for node in nodes if _is_name(node.id)}
    return [*found, *islice(_cycles(known), MOST_CYCLES)]


def problems(nodes: Sequence[Node]) -> list[str]:
    """Say in sentences what is wrong with a graph.

    >>> problems([])
    ['there are no steps']
    """
    return [problem.says for problem in check_graph(nodes)]


def _is_name(name: object) -> bool:
    return isinstance(name, str) and bool(name)


def _names(nodes: Sequence[Node]) -> Iterator[Problem]:
    known: set[str] = set()
    for node in nodes:
        if not _is_name(node.id):
            says = f"a step's id is {node.id!r:.60}; give it a name" if node.id else "a step has no id"
            yield Problem(str(node.id), says)
        elif node.id in known:
            yield Problem(node.id, f"two steps have the id {node.id!r}")
        else:
            known.add(node.id)
    suggested = 0
    for node in nodes:
        for name in node.depends_on:
            if not (_is_name(name) and name in known):
                suggested += 1
                near = nearest(name, known, 1) if _is_name(name) and suggested <= MOST_SUGGESTED else []
                meant = f"; did you mean {near[0]!r}?" if near else ""
                yield Problem(str(node.id), f"step {node.id!r} waits for {name!r}, which is no step{meant}")


def _cycles(known: dict[str, list[str]]) -> Iterator[Problem]:
    """Give each cycle; one that shares a node with another is told when the other is mended."""
    while True:
        try:
            TopologicalSorter(known).prepare()
        except CycleError as error:
            cycle: list[str] = error.args[1]
            yield Problem(cycle[0], f"the steps wait for each other: {' → '.join(cycle)}")
            known = {name: after for name, after in known.items() if name not in cycle}
        else:
            return


def fits(outputs: Iterable[str], inputs: Iterable[str]) -> bool:
    """Whether what one step gives can be what another takes.

    >>> fits(("Number",), ("Text",)), fits(("Vector",), ("Text",))
    (True, False)
    """
    given, taken = set(outputs), set(inputs)
    if "Any" in given | taken:
        return True
    return bool(given & (taken - {"None"})) or any((one, other) in FITS for one in given for other in taken)
