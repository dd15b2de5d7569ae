"""Whether the arguments of a graph's nodes can fit the tools that they are for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ares_core import Tool
from ares_plugin_graph.check import meant
from ares_plugin_graph.graph import Graph, GraphProblem
from ares_plugin_graph.nodes import ToolNode
from ares_plugin_graph.references import Reference, ReferenceFault, compiled, parse

if TYPE_CHECKING:
    from ares_core import Ares, Scoped

LOSSLESS = {("integer", "number"), ("integer", "string"), ("number", "string"), ("boolean", "string")}
"""Types whose values the life of a call turns into the other without loss."""


def misfits(graph: Graph, ares: Ares | Scoped) -> Iterator[GraphProblem]:
    """Tell of arguments that a tool doesn't have, that it misses, and of outputs that can't be what is wanted.

    A tool that isn't there is no misfit: it is planned for when its turn comes.
    """
    tools = ares.tools()
    nodes = {node.id: node for node in graph.nodes}
    for node in graph.nodes:
        entry = ares.view.entries.get(node.tool) if isinstance(node, ToolNode) else None
        if entry is not None and isinstance(node, ToolNode):
            try:
                found = (*_of_names(node, entry.tool), *_of_values(node, entry.checker), *_of_types(node, nodes, tools))
            except ReferenceFault:
                continue  # that was told already
            yield from (GraphProblem(f"{node.id}.{place}", says) for place, says in found)


def _of_names(node: ToolNode, tool: Tool) -> Iterator[tuple[str, str]]:
    properties: Mapping[str, Any] = tool.parameters.get("properties") or {}
    for name in node.arguments:
        if name not in properties and tool.parameters.get("additionalProperties") is False:
            yield f"arguments.{name}", f"{node.tool!r} takes no {name!r:.60}{meant(name, properties)}"
    for name in tool.parameters.get("required") or ():
        if name not in node.arguments:
            yield "arguments", f"{node.tool!r} needs {name!r}"


def _of_values(node: ToolNode, checker: Any) -> Iterator[tuple[str, str]]:
    """Tell of values without references that even the repairs of a call can't make fit."""
    plain = {name: value for name, value in node.arguments.items() if compiled(value) is None}
    for issue in checker.correct(plain).issues if plain else ():
        name = issue.pointer[1:].partition("/")[0].replace("~1", "/").replace("~0", "~")
        if name in plain and name in (checker.properties or {}):
            hint = f" ({issue.hint})" if issue.hint else ""
            yield f"arguments{issue.pointer.replace('/', '.')}", f"expected {issue.expected}, got {issue.got}{hint}"


def _of_types(node: ToolNode, nodes: Mapping[str, Any], tools: Mapping[str, Tool]) -> Iterator[tuple[str, str]]:
    properties: Mapping[str, Any] = tools[node.tool].parameters.get("properties") or {}
    for name, value in node.arguments.items():
        if says := _unfit(value, properties.get(name), nodes, tools):
            yield f"arguments.{name}", says


def _unfit(value: Any, wanted: Any, nodes: Mapping[str, Any], tools: Mapping[str, Tool]) -> str:
    """Say why the output that a whole reference names can't be the argument; nothing where that isn't known."""
    types = _types(wanted)
    if not types or not isinstance(value, str) or compiled(value) is None or not value.endswith("}"):
        return ""
    if not value.startswith("${") or value.count("${") != 1:
        return ""
    reference = parse(value[2:-1])
    source = nodes.get(reference.name)
    given = _given(reference, tools.get(source.tool)) if isinstance(source, ToolNode) else ()
    if not given or set(given) & set(types) or any((one, other) in LOSSLESS for one in given for other in types):
        return ""
    return f"{reference.text} is {' or '.join(given)}, and {' or '.join(types)} is wanted"


def _given(reference: Reference, tool: Tool | None) -> tuple[str, ...]:
    schema: Any = tool.output_schema if tool is not None else None
    for step in reference.path:
        if not isinstance(schema, Mapping):
            return ()
        schema = schema.get("items") if isinstance(step, int) else (schema.get("properties") or {}).get(step)
    return _types(schema)


def _types(schema: Any) -> tuple[str, ...]:
    if not isinstance(schema, Mapping) or any(word in schema for word in ("anyOf", "oneOf", "allOf", "$ref")):
        return ()
    kind = schema.get("type")
    return (kind,) if isinstance(kind, str) else tuple(kind or ())


__all__ = ["misfits"]
