"""The input of a run, repaired and checked like a tool's arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ares_core import Result, Tool, ToolCall
from ares_plugin_graph.functions import plain
from ares_plugin_graph.graph import Graph, GraphError, GraphProblem

if TYPE_CHECKING:
    from ares_core import Ares, Scoped


def kept_input(graph: Graph, input: Mapping[str, Any]) -> dict[str, Any]:
    """Give the input as it can be kept; raises ``GraphError`` when it has no form in JSON."""
    try:
        return plain(dict(input)) if input else {}
    except ValueError as error:
        raise GraphError(graph.name, [GraphProblem("input", str(error))]) from None


async def taken(graph: Graph, ares: Ares | Scoped, given: Mapping[str, Any]) -> Result | None:
    """Take an input: the data of the result is what the run goes by. ``None`` if the graph says nothing of it."""
    taker = _taker(graph)
    return None if taker is None else await ares.bind(tools=[taker]).call(ToolCall(taker.name, given))


def refusal(graph: Graph, ares: Ares | Scoped, given: Mapping[str, Any]) -> Result | None:
    """Refuse an input that doesn't fit, before there is a run; ``None`` if it does."""
    taker = _taker(graph)
    if taker is None:
        return None
    door = ares.bind(tools=[taker])
    fits = not door.view.entries[taker.name].checker.correct(dict(given)).issues
    return None if fits else door.call_sync(ToolCall(taker.name, given))


def _taker(graph: Graph) -> Tool | None:
    schema = graph.input
    if schema is None:
        return None
    if "properties" not in schema and "type" not in schema:
        required = [name for name, one in schema.items() if not (isinstance(one, Mapping) and "default" in one)]
        schema = {"type": "object", "properties": schema, "required": required, "additionalProperties": False}
    return Tool("input", "Take the input of a run.", schema, lambda arguments, context: dict(arguments))


__all__ = ["kept_input", "refusal", "taken"]
