"""Whether steps form a graph that can run: plans and workflow graphs are checked alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Protocol

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


def problems(nodes: Sequence[Node]) -> list[str]:
    """Say what is wrong with a graph: nothing in it, a name used twice, a missing dependency, a cycle.

    >>> problems([])
    ['there are no steps']
    """
    if not nodes:
        return ["there are no steps"]
    found = list(_names(nodes))
    if found:
        return found
    try:
        TopologicalSorter({node.id: node.depends_on for node in nodes}).prepare()
    except CycleError as error:
        return [f"the steps wait for each other: {' → '.join(error.args[1])}"]
    return []


def _names(nodes: Sequence[Node]) -> Iterator[str]:
    known: set[str] = set()
    for node in nodes:
        if not node.id:
            yield "a step has no id"
        if node.id in known:
            yield f"two steps have the id {node.id!r}"
        known.add(node.id)
    for node in nodes:
        for name in node.depends_on:
            if name not in known:
                yield f"step {node.id!r} waits for {name!r}, which is no step"


def fits(outputs: Iterable[str], inputs: Iterable[str]) -> bool:
    """Whether what one step gives can be what another takes.

    >>> fits(("Number",), ("Text",)), fits(("Vector",), ("Text",))
    (True, False)
    """
    given, taken = set(outputs), set(inputs)
    if "Any" in given | taken:
        return True
    return bool(given & (taken - {"None"})) or any((one, other) in FITS for one in given for other in taken)
