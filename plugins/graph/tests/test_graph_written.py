"""A graph read from a file, written back and read again is the same graph, whatever kinds of nodes it has."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from ares_plugin_graph import Graph, GraphError, MemoryCheckpoints, SubGraph, read_graph
from ares_plugin_graph.prepared import fingerprint
from ares_plugin_graph.written import written as document_of

from ares_core import Ares

INNER = {"id": "x", "tool": "inc", "arguments": {"n": "${input.n}"}}
NODES: dict[str, dict[str, Any]] = {
    "tool": {"tool": "inc", "arguments": {"n": 1}, "retries": 2, "timeout": 1.5, "request": "add", "undo": True},
    "undo": {"tool": "inc", "arguments": {"n": 1}, "undo": {"tool": "inc", "arguments": {"n": 2}}},
    "graph": {"graph": {"nodes": [INNER], "name": "in", "input": {"n": {"type": "integer"}}}, "input": {"n": 1}},
    "loop": {"graph": {"nodes": [INNER]}, "until": "x > 3", "max_iterations": 9, "carry": {"n": "${x}"}},
    "deep": {"graph": {"nodes": [{"id": "y", "graph": {"nodes": [{"id": "z", "ask": "Sure?"}]}}]}},
    "ask": {"ask": "Sure?", "show": {"n": 1}},
    "prompt": {"prompt": "Go", "tools": ["inc"], "timeout": 5},
    "common": {"tool": "inc", "when": "1 < 2", "join": "any", "writes": {"k": "n"}, "may_fail": True,
               "route": [{"when": "common > 1", "to": "last"}, {"to": "last"}]},
}  # fmt: skip
LAST = {"id": "last", "tool": "inc"}
"""What a route leads to."""


@pytest.mark.parametrize("name", NODES)
def test_a_graph_is_the_same_after_it_was_written_and_read(name: str) -> None:
    graph = read_graph({"nodes": [{"id": name, **NODES[name]}, LAST], "deadline": 5, "limit": 2, "output": "${last}"})
    document = json.loads(json.dumps(document_of(graph)))
    again = read_graph(document)
    assert (fingerprint(again), document_of(again)) == (fingerprint(graph), document)
    assert document["nodes"] == [{"id": name, **NODES[name]}, LAST]


def test_a_function_inside_a_node_can_not_be_written() -> None:
    inner = read_graph({"nodes": [INNER], "input": {"n": {"type": "integer"}}})
    with pytest.raises(GraphError, match="its until is a function"):
        document_of(Graph([SubGraph("s", inner, {"n": 1}, until=lambda seen: True, max_iterations=2)]))


def test_a_run_of_a_graph_with_a_loop_goes_on_by_its_document(door: Ares) -> None:
    kept, graph = MemoryCheckpoints(), read_graph({"nodes": [{"id": "loop", **NODES["loop"], "input": {"n": 0}}]})

    async def main() -> Any:
        await graph.start(door, run_id="r", checkpoints=kept, document=document_of(graph)).wait()
        saved = kept.load("r")
        return await read_graph(saved.graph if saved else {}).resume(door, "r", kept, decisions={"loop": "retry"})

    assert asyncio.run(main()).output == 4


def test_a_file_that_a_program_wrote_as_json_keeps_every_value(tmp_path: Path) -> None:
    path = tmp_path / "graph.json"
    arguments = {"text": "\U0001f600\ta\x7f", "key " * 500: 10**30}
    path.write_text(json.dumps({"nodes": [{"id": "a", "tool": "inc", "arguments": arguments}]}, indent="\t"))
    assert document_of(read_graph(path))["nodes"][0]["arguments"] == arguments
