"""The state of a run: what nodes gave, and the keys that they wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from ares_plugin_graph.graph import Graph
from ares_plugin_graph.references import ReferenceFault, parse
from ares_plugin_graph.results import NodeError, NodeResult

Reducer = Callable[[Any, Any], Any]


def _append(old: Any, new: Any) -> Any:
    return [*(old or []), new]


def _extend(old: Any, new: Any) -> Any:
    return [*(old or []), *new]


def _merge(old: Any, new: Any) -> Any:
    return {**(old or {}), **new}


REDUCERS: Mapping[str, Reducer] = {
    "append": _append,
    "extend": _extend,
    "merge": _merge,
    "add": lambda old, new: new if old is None else old + new,
    "min": lambda old, new: new if old is None else min(old, new),
    "max": lambda old, new: new if old is None else max(old, new),
    "last": lambda old, new: new,
}


class State:
    """What is known in a run, looked up by name: ``input``, ``state``, or a node's id."""

    def __init__(self, graph: Graph, input: Mapping[str, Any], results: dict[str, NodeResult]) -> None:
        self.input = input
        self.results = results
        self._reducers = graph.reducers
        self._written: dict[str, list[tuple[str, str]]] = {}
        for node in graph.nodes:
            pairs = {node.writes: ""} if isinstance(node.writes, str) else node.writes or {}
            for key, path in pairs.items():
                self._written.setdefault(key, []).append((node.id, path))

    def __call__(self, name: str) -> Any:
        """Give the output of a node, the input, or the written keys."""
        result = self.results.get(name)
        if result is not None:
            if result.status == "done":
                return result.data
            why = f": {result.error.message}" if result.error else ""
            raise ReferenceFault(f"{name} gave nothing, it is {result.status}{why}"[:400])
        if name == "input":
            return self.input
        if name == "state":
            return self.keys()
        raise ReferenceFault(f"{name} has not run")

    def keys(self) -> dict[str, Any]:
        """Work out the written keys from what the nodes gave, in the order of the nodes, whenever they ended."""
        found = {key: self._values(key, self.results) for key in self._written}
        return {key: self._reduced(key, values) for key, values in found.items() if values}

    def _values(self, key: str, results: Mapping[str, NodeResult]) -> list[Any]:
        done = ((results[name], path) for name, path in self._written[key] if name in results)
        return [part_of(result.data, path) for result, path in done if result.status == "done"]

    def _reduced(self, key: str, values: list[Any]) -> Any:
        chosen = self._reducers.get(key, "last")
        reducer = chosen if callable(chosen) else REDUCERS[chosen]
        found = None
        for value in values:
            found = reducer(found, value)
        return found

    def checked(self, name: str, made: NodeResult, keys: Iterable[str]) -> NodeResult:
        """Give a node's result, or a failure when what it gave can't be written into the state."""
        if made.status != "done":
            return made
        try:
            for key in keys:
                self._reduced(key, self._values(key, {**self.results, name: made}))
        except Exception as error:
            says = f"what it gave can't be written into the state: {type(error).__name__}: {error}"[:400]
            return replace(made, status="failed", data=None, error=NodeError("tool_error", says))
        return made


def part_of(data: Any, path: str) -> Any:
    """Give the part of a node's data that a path names; all of it for an empty path."""
    return parse(f"data.{path}").value(lambda name: data) if path else data


def sinks(steps: Iterable[Any]) -> list[str]:
    """Give the steps that no other step waits for."""
    steps = list(steps)
    used = {name for step in steps for name in step.depends_on}
    return [step.id for step in steps if step.id not in used]


__all__ = ["REDUCERS", "State", "part_of", "sinks"]
