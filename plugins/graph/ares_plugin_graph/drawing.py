"""A graph as a picture: Mermaid's text, or what Graphviz makes of it where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

from ares_core import AresError, counted
from ares_plugin_graph.graph import Graph
from ares_plugin_graph.nodes import AgentNode, AskNode, FunctionNode, Node, SubGraph
from ares_plugin_graph.prepared import prepare

SECONDS = 60


def mermaid(graph: Graph) -> str:
    """Draw a graph in the language of Mermaid.

    >>> from ares_plugin_graph import Graph, ToolNode
    >>> print(mermaid(Graph([ToolNode("a", "t"), ToolNode("b", "t", {"x": "${a}"}, when="a > 1")])))
    flowchart TD
        n0["a<br/>t"]
        n1["b<br/>t<br/>when a #gt; 1"]
        n0 --> n1
    """
    names = {node.id: f"n{place}" for place, node in enumerate(graph.nodes)}
    lines = ["flowchart TD"]
    for node in graph.nodes:
        left, right = _shape(node)
        lines.append(f'    {names[node.id]}{left}"{"<br/>".join(_escaped(text) for text in _labels(node))}"{right}')
    for source, target, said in _ways(graph):
        arrow = f'-->|"{_escaped(said)}"|' if said else "-->"
        lines.append(f"    {names[source]} {arrow} {names[target]}")
    return "\n".join(lines)


def dot(graph: Graph) -> str:
    """Draw a graph in the language of Graphviz."""
    lines = ["digraph {", "  node [shape=box, fontname=sans]"]
    names = {node.id: f"n{place}" for place, node in enumerate(graph.nodes)}
    lines += [f"  {names[node.id]} [label={_quoted(chr(10).join(_labels(node)))}]" for node in graph.nodes]
    for source, target, said in _ways(graph):
        label = f" [label={_quoted(said)}]" if said else ""
        lines.append(f"  {names[source]} -> {names[target]}{label}")
    return "\n".join([*lines, "}"])


def picture(graph: Graph, kind: str) -> bytes:
    """Draw a graph as SVG or PDF; raises ``AresError`` where Graphviz is not there."""
    program = shutil.which("dot")
    if program is None:
        raise AresError(f"{kind.upper()} needs Graphviz, whose program 'dot' is not there; install it, or draw mermaid")
    command = [program, f"-T{kind}"]
    try:
        made = subprocess.run(  # noqa: S603 - Graphviz, which reads the text from its input
            command, input=dot(graph).encode(), capture_output=True, timeout=SECONDS, check=True
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        raise AresError(f"Graphviz could not draw it: {error}"[:300]) from None
    return made.stdout


def _labels(node: Node) -> Iterator[str]:
    yield node.id
    kind = getattr(node, "tool", None) or getattr(node, "question", None) or getattr(node, "prompt", None)
    if isinstance(node, SubGraph):
        yield f"graph {node.graph.name}" + (
            f", at most {counted(node.max_iterations, 'time')}" if node.max_iterations else ""
        )
    elif kind:
        yield str(kind)[:80]
    if isinstance(node.when, str):
        yield f"when {node.when}"[:80]
    if node.join != "all":
        yield f"join {node.join}"


def _ways(graph: Graph) -> Iterator[tuple[str, str, str]]:
    said = {(edge.source, edge.target): edge.when for edge in graph.edges}
    for node in graph.nodes:
        if node.route is not None and not callable(node.route):
            said.update({(node.id, target): when or "otherwise" for when, target in node.route})
    for step in prepare(graph):
        for source in step.depends_on:
            when = said.get((source, step.id))
            yield source, step.id, when[:80] if isinstance(when, str) else "a function" if when else ""


def _shape(node: Node) -> tuple[str, str]:
    if isinstance(node, AskNode):
        return "{", "}"
    if isinstance(node, SubGraph):
        return "[[", "]]"
    return ("([", "])") if isinstance(node, AgentNode | FunctionNode) else ("[", "]")


def _escaped(text: str) -> str:
    """Write a text so that Mermaid takes it for nothing but text."""
    names = {'"': "#quot;", "<": "#lt;", ">": "#gt;", "#": "#35;", "&": "#amp;", "\n": " ", "`": "#96;"}
    return "".join(names.get(sign, sign) for sign in text)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


__all__ = ["dot", "mermaid", "picture"]
