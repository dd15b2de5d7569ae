"""Everything that is wrong with a graph is told at once, with its place and its line; nothing of it runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
from ares_plugin_graph import Edge, FunctionNode, Graph, GraphError, SubGraph, ToolNode, read_graph

from ares_core import Ares, Tool


def told(*nodes: Any, **options: Any) -> list[str]:
    return [str(problem) for problem in Graph(list(nodes), **options).problems()]


def node(name: Any, *after: str, **options: Any) -> ToolNode:
    return ToolNode(name, "facts", after=after, **options)


@pytest.mark.parametrize(
    ("nodes", "says"),
    [
        ([], "there are no nodes"),
        ([node("a", "a")], "the nodes wait for each other: a → a"),
        ([node("a", "b"), node("b", "a")], "the nodes wait for each other: a → b → a"),
        ([node("s"), node("x", "y"), node("y", "x")], "x → y → x"),
        ([node("a", "b"), node("b", "a"), node("c", "b")], "node 'c' can't be reached"),
        ([node("a", "ghost")], "node 'a' waits for 'ghost', which is no node"),
        ([node("a"), node("a")], "two nodes have the id 'a'"),
        ([node("abc"), node("b", "abd")], "did you mean 'abc'?"),
        ([node(1)], "1 is no id"),
        ([node("input")], "'input' is taken"),
        ([node("a b")], "'a b' is no id"),
        ([ToolNode("a", "facts", {"x": "${b.x}"})], "unknown reference 'b.x': there is no node 'b'"),
        ([ToolNode("a", "facts", {"x": "${b"})], "without its '}'"),
        ([ToolNode("a", "facts", {"x": "${b..c}"})], "can't be read"),
        ([ToolNode("a", "facts", {"x": "${state.k}"})], "no node writes 'k'"),
        ([node("a", when="b >")], "can't be read"),
        ([node("a", when="b > 1")], "unknown reference 'b'"),
        ([node("a", join="most")], "join is 'most'; it is one of all, any, none_failed"),
        ([node("a", retries=-1)], "retries is -1"),
        ([node("a", timeout=0)], "timeout is 0"),
        ([node("a", route=[("a > 1", "zz")])], "the route leads to 'zz', which is no node"),
        ([node("a", writes="k"), node("b", writes="k")], "'a' and 'b' both write 'k' at the same time"),
        ([SubGraph("l", Graph([node("x")]), until="x > 1")], "the loop has no bound"),
        ([SubGraph("l", Graph([node("x")]), until="y > 1", max_iterations=2)], "until: unknown reference 'y'"),
        ([SubGraph("l", Graph([node("x", "x")]))], "l.graph.x: the nodes wait for each other"),
        ([ToolNode("a", " ")], "give the name of a tool"),
        ([node("a", timeout=True)], "timeout is True"),
        ([node("a", retries=True)], "retries is True"),
        ([node("d", "ghost"), node("d")], "'ghost', which is no node"),
        ([ToolNode("a", "facts", after=cast("Any", 5))], "after is 5; give a list"),
        ([node(["a"])], "['a'] is no id"),
        ([None, node("a")], "nodes: None is among them"),
        ([{"id": "a", "tool": "facts"}], "give a list of nodes"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_in_a_sentence(nodes: list[Any], says: str) -> None:
    assert any(says in problem for problem in told(*nodes)), told(*nodes)


@pytest.mark.parametrize("nodes", [None, {"a": node("a")}, "ab"])
def test_what_is_no_list_of_nodes_is_told_too(nodes: Any) -> None:
    assert "nodes: it is" in str(Graph(nodes).problems()[0])


def test_edges_are_edges() -> None:
    assert "edges: ('a', 'b') is among them" in told(node("a"), node("b"), edges=[("a", "b")])[0]


def test_one_name_to_come_after_may_stand_alone() -> None:
    assert (
        told(node("first"), ToolNode("b", "facts", after="first"), ToolNode("c", "facts", after=cast("Any", None)))
        == []
    )


def test_of_a_graph_as_a_whole_too() -> None:
    assert "limit: it is True" in told(node("a"), limit=True)[0]
    assert "limit: it is 0" in told(node("a"), limit=0)[0]
    assert "deadline: it is -1" in told(node("a"), deadline=-1)[0]
    assert "'summ' is none" in told(node("a", writes="k"), reducers={"k": "summ"})[0]
    assert "no node writes 'z'" in told(node("a"), reducers={"z": "add"})[0]
    assert "there is no node 'b'" in told(node("a"), edges=[Edge("a", "b")])[0]
    assert "output: unknown reference" in told(node("a"), output="${b}")[0]
    assert "the input has no 'm'; did you mean 'mm'?" in told(
        ToolNode("a", "inc", {"n": "${input.m}"}), input={"mm": {"type": "integer"}})[0]  # fmt: skip


def test_ten_thousand_nodes_in_a_chain_are_sound() -> None:
    assert told(node("n0"), *(node(f"n{i}", f"n{i - 1}") for i in range(1, 10_000))) == []


def test_writes_in_an_order_or_with_a_reducer_are_no_conflict() -> None:
    assert told(node("a", writes="k"), node("b", "a", writes="k")) == []
    assert told(node("a", writes="k"), node("b", writes="k"), reducers={"k": "append"}) == []


def test_what_does_not_fit_the_tools_is_told_before_anything_runs(door: Ares, written: list[str]) -> None:
    door.register(Tool("many", "", {}, lambda a, c: [1], output_schema={"type": "array"}))
    graph = Graph([
        ToolNode("a", "change", {"nam": "x"}), ToolNode("m", "many"), ToolNode("c", "inc", {"n": "${m}"}),
    ])  # fmt: skip
    with pytest.raises(GraphError) as caught:
        graph.run_sync(door)
    said = [str(problem) for problem in caught.value.problems]
    assert "a.arguments.nam: 'change' takes no 'nam'; did you mean 'name'?" in said
    assert "a.arguments: 'change' needs 'name'" in said
    assert "c.arguments.n: m is array, and integer is wanted" in said
    assert written == []


FILE = """
name: everything
input: {n: {type: integer, default: 1}}
limit: 4
reducers: {log: append}
nodes:
  - {id: a, tool: inc, arguments: {n: "${input.n}"}, writes: log}
  - id: b
    tool: inc
    arguments: {n: 5}
    writes: {log: ""}
    route: [{when: "b > 5", to: c}, {to: d}]
  - {id: c, tool: facts, when: "a == 2", timeout: 5, retries: 1, undo: true}
  - {id: d, tool: facts, may_fail: true}
  - {id: e, graph: {nodes: [{id: x, tool: inc, arguments: {n: "${input.n}"}}]}, input: {n: "${a}"},
     until: "x > 4", max_iterations: 9, carry: {n: "${x}"}}
  - {id: f, tool: echo, arguments: {text: "log ${state.log}"}, after: [c, d], join: any}
edges: [{from: a, to: d, when: "a > 0"}]
output: {e: "${e}", log: "${f}"}
"""


def test_a_file_has_every_key_of_the_model(door: Ares, tmp_path: Path) -> None:
    path = tmp_path / "graph.yaml"
    path.write_text(FILE)
    result = read_graph(path).run_sync(door)
    assert result.output == {"e": 5, "log": "log [2, 6]"}, result
    assert (result["c"].status, result["d"].status, result["e"].attempts) == ("done", "skipped", 3)
    as_json = tmp_path / "graph.json"
    as_json.write_text('{\t"nodes": [{"id": "a", "tool": "facts"}]}')
    assert read_graph(as_json).run_sync(door).status == "done"


BROKEN = """\
name: broken
nodes:
  - {id: a, tool: inc, arguments: {n: "${b.result}"}, retrys: 2}
  - {id: b, tool: inc, arguments: {n: "${a}"}}
  - {id: a, tool: inc}
  - {id: 7, tool: inc}
  - {id: c}
  - {id: d, tool: inc, join: most, timeout: soon}
  - nothing
edges:
  - {from: b, to: zz}
colour: red
"""


def test_a_broken_file_gives_all_its_problems_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "graph.yaml"
    path.write_text(BROKEN)
    with pytest.raises(GraphError) as caught:
        read_graph(path)
    found = {(problem.line, problem.says.partition(";")[0]) for problem in caught.value.problems}
    assert found >= {
        (3, "there is no key 'retrys'"), (5, "two nodes have the id 'a'"), (6, "expected text, got 7"),
        (7, "a node has one of the keys tool, graph, ask, prompt: it has none"), (8, "join is 'most'"),
        (8, "expected a number, got 'soon'"), (9, "a node is an object with 'id' and 'tool', got 'nothing'"),
        (11, "there is no node 'zz'"), (12, "there is no key 'colour'"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nodes: [a", "line 1"),
        ("a: &x [1]\nnodes: *x", "alias"),
        ("nodes: 5", "expected a list of nodes"),
        ("", "a graph is an object"),
        ("nodes: []", "there are no nodes"),
        ("nodes: [{id: a, tool: t}, {id: a, tool: t}]", "two nodes"),
        ("[" * 200, "nested deeper"),
        ("x" * 1_000_001, "larger than"),
    ],
)
def test_a_file_that_is_no_graph_is_told_in_a_sentence(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "graph.yaml"
    path.write_text(text)
    with pytest.raises(GraphError, match=says):
        read_graph(path)


def test_a_file_that_is_not_there_or_no_text_is_told_too(tmp_path: Path) -> None:
    with pytest.raises(GraphError, match="can't be read"):
        read_graph(tmp_path / "none.yaml")
    (tmp_path / "raw.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(GraphError):
        read_graph(tmp_path / "raw.yaml")


def test_the_values_of_state_come_together_in_the_order_of_the_nodes(door: Ares) -> None:
    async def late() -> int:
        import asyncio

        await asyncio.sleep(0.02)
        return 1

    nodes = [FunctionNode("a", late, writes="all"), FunctionNode("b", lambda: 2, writes="all")]
    for reducer, wanted in {"append": [1, 2], "add": 3, "last": 2, "min": 1, "max": 2}.items():
        assert Graph(nodes, reducers={"all": reducer}).run_sync(door).state == {"all": wanted}
    own = Graph(nodes, reducers={"all": lambda old, new: f"{old or ''}{new}"}).run_sync(door)
    assert json.dumps(own.state) == '{"all": "12"}'


def test_what_can_not_be_written_into_the_state_is_the_nodes_failure(door: Ares) -> None:
    nodes = [FunctionNode("a", lambda: 1, writes="k"), FunctionNode("b", lambda: "x", writes="k")]
    result = Graph(nodes, reducers={"k": "add"}).run_sync(door)
    assert sorted(one.status for one in result.nodes.values()) == ["done", "failed"]
    missing = Graph([FunctionNode("a", lambda: {"x": 1}, writes={"k": "y"})]).run_sync(door)
    assert missing["a"].error is not None
    assert "data.y is missing; data has x" in missing["a"].error.message
