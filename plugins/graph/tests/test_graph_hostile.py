"""Huge, broken and hostile graphs, functions and stores: told in time and in a sentence."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from ares_plugin_graph import FunctionNode, Graph, GraphError, SqliteCheckpoints, SubGraph, ToolNode, read_graph
from ares_plugin_graph.conditions import Condition
from ares_plugin_graph.references import ReferenceFault

from ares_core import Ares, AresError, ConfigError

LONG = 10_000


def chained(length: int, first: str, **options: Any) -> list[ToolNode]:
    after = [f"n{place - 1}" for place in range(length)]
    return [
        ToolNode(f"n{place}", "facts", after=[after[place] if place else first], **options) for place in range(length)
    ]


@pytest.mark.timeout(120)
def test_a_huge_cycle_and_what_lies_behind_one_are_told_in_time() -> None:
    assert len(Graph(chained(LONG, f"n{LONG - 1}")).problems()) == 1
    pair = [ToolNode("a", "facts", after=["b"]), ToolNode("b", "facts", after=["a"])]
    assert len(Graph([*pair, *chained(LONG, "a")]).problems()) == 1 + LONG


@pytest.mark.timeout(120)
def test_thousands_of_unknown_references_and_of_writers_are_told_in_time() -> None:
    unknown = [ToolNode(f"n{place}", "facts", {"x": f"${{ghost{place}}}"}) for place in range(5_000)]
    error = GraphError("g", Graph(unknown).problems())
    assert (len(error.problems), str(error).count("ghost") < 50) == (5_000, True)
    assert "and 4980 more" in str(error)
    many = [ToolNode(f"n{place}", "facts", writes="k") for place in range(5_000)]
    assert "name reducers" in str(Graph(many).problems()[0])


def test_a_graph_that_holds_itself_is_told() -> None:
    nodes: list[Any] = []
    graph = Graph(nodes)
    nodes.append(SubGraph("s", graph))
    assert "deep" in str(graph.problems()[0])


@pytest.mark.parametrize("when", ["(" * 300 + "1" + ")" * 300, "not " * 500 + "1", "9" * 3000, "-" * 1000 + "1", "a\0"])
def test_a_condition_as_deep_or_long_as_it_may_be_is_read_or_told(when: str) -> None:
    try:
        Condition(when).holds(lambda name: 1)
    except ReferenceFault as fault:
        assert "condition" in str(fault)


def test_a_function_that_hangs_keeps_nobody_waiting(door: Ares) -> None:
    begun, over = time.monotonic(), threading.Event()

    def hang() -> None:
        over.wait(60)

    hangs = Graph([FunctionNode("a", hang, timeout=0.1)]).run_sync(door)
    reads = Graph([FunctionNode("a", hang, timeout=0.1, read_only=True)]).run_sync(door)
    whole = Graph([FunctionNode("a", hang)], deadline=0.5).run_sync(door)
    assert time.monotonic() - begun < 50
    over.set()
    assert [one["a"].status for one in (hangs, reads, whole)] == ["unknown", "failed", "unknown"]


@pytest.mark.parametrize("value", [object(), float("nan"), {1: float("inf")}, "\ud800", [{"x": {2: print}}]])
def test_what_has_no_form_in_json_is_the_nodes_failure(door: Ares, tmp_path: Path, value: Any) -> None:
    kept = SqliteCheckpoints(tmp_path / "runs.db")
    result = Graph([FunctionNode("a", lambda: value)]).run_sync(door, checkpoints=kept)
    assert result["a"].error is not None
    assert "no form in JSON" in result["a"].error.message
    with pytest.raises(GraphError, match="no form in JSON"):
        Graph([FunctionNode("a", lambda: 1)]).run_sync(door, {"x": value}, checkpoints=kept)
    kept.close()


def test_a_function_that_ends_the_program_ends_its_node_only(door: Ares) -> None:
    result = Graph([FunctionNode("a", lambda: sys.exit(3)), ToolNode("b", "facts")]).run_sync(door)
    assert (result["a"].status, result["b"].status) == ("failed", "done")


@pytest.mark.parametrize(
    "sql",
    ["UPDATE nodes SET result=X'00ff'", "UPDATE nodes SET result='{\"status\":\"odd\"}'", "UPDATE runs SET input='[1'",
     "UPDATE runs SET graph='nope'"],
)  # fmt: skip
def test_a_damaged_run_is_told_and_the_list_still_shows_it(door: Ares, tmp_path: Path, sql: str) -> None:
    kept = SqliteCheckpoints(tmp_path / "runs.db")
    graph = Graph([ToolNode("a", "inc", {"n": 1})])
    graph.run_sync(door, run_id="r", checkpoints=kept)
    with closing(sqlite3.connect(tmp_path / "runs.db")) as other, other:
        other.execute(sql)
    with pytest.raises(AresError, match="run r is damaged"):
        asyncio.run(graph.resume(door, "r", kept))
    assert [saved.run_id for saved in kept.newest()] == ["r"]
    assert "run r is damaged" in kept.check()[0]
    kept.close()


def test_a_file_that_is_no_database_is_a_configuration_error(tmp_path: Path) -> None:
    (tmp_path / "runs.db").write_bytes(b"x" * 5000)
    with pytest.raises(ConfigError, match=r"graph\.path"):
        SqliteCheckpoints(tmp_path / "runs.db")


def test_old_runs_go_when_there_are_more_than_are_kept(door: Ares, tmp_path: Path) -> None:
    kept = SqliteCheckpoints(tmp_path / "runs.db", keep=2)
    graph = Graph([SubGraph("s", Graph([ToolNode("a", "inc", {"n": 1})]))])
    for count in range(4):
        graph.run_sync(door, run_id=f"r{count}", checkpoints=kept)
    assert {saved.run_id for saved in kept.newest()} == {"r1", "r2", "r3"}
    assert (kept.prune(0), kept.newest(), kept.load("r1/s")) == (3, [], None)
    kept.close()


def test_arguments_that_no_repair_makes_fit_are_told_with_their_lines(door: Ares, tmp_path: Path) -> None:
    path = tmp_path / "graph.yaml"
    path.write_text(
        "nodes:\n  - {id: a, tool: inc, arguments: {n: '5'}}\n  - id: b\n    tool: inc\n    arguments:\n"
        "      n: many\n  - {id: s, graph: {nodes: [\n      {id: x, tool: inc},\n      {id: x, tool: ghost}]}}\n"
    )
    with pytest.raises(GraphError) as caught:
        read_graph(path, door)
    found = [(problem.line, problem.says.partition(",")[0]) for problem in caught.value.problems]
    assert found == [(6, "expected integer"), (8, "'inc' needs 'n'"), (9, "two nodes have the id 'x'")]
