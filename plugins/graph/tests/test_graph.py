"""Graphs run: in order, side by side, with outputs where they belong, and with an end whatever happens."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from ares_plugin_graph import AgentNode, Edge, FunctionNode, Graph, GraphError, SubGraph, ToolNode

from ares_core import Ares, Event, ToolError


def chain(length: int) -> Graph:
    first = ToolNode("n0", "inc", {"n": "${input.n}"})
    return Graph([first, *(ToolNode(f"n{i}", "inc", {"n": f"${{n{i - 1}}}"}) for i in range(1, length))])


def test_outputs_go_where_they_are_referred_to(door: Ares) -> None:
    result = chain(3).run_sync(door, {"n": 4})
    assert (result.status, result.output) == ("done", 7)
    assert [result[name].data for name in ("n0", "n1", "n2")] == [5, 6, 7]


@pytest.mark.parametrize(
    ("template", "given"),
    [
        ("${f.zero}", 0),
        ("${f.nothing}", None),
        ("${f.empty}", ""),
        ('${f.list[0]["a b"]}', 1),
        ("${f.list}", [{"a b": 1}]),
        ("n=${f.zero} ${f.text}!", "n=0 hi!"),
        ("${f.braces}", "${x} {y}"),
        ("<${f.braces}>", "<${x} {y}>"),
        ("$${f.zero} {x}", "${f.zero} {x}"),
        ("${f.missing?}", None),
        ({"a": ["${f.zero}", {"b": "${f.text}"}]}, {"a": [0, {"b": "hi"}]}),
    ],
)
def test_a_reference_gives_the_value_with_its_type_and_data_is_never_read_again(
    door: Ares, template: Any, given: Any
) -> None:
    graph = Graph([ToolNode("f", "facts"), FunctionNode("g", lambda x: {"x": x}, {"x": template})])
    assert graph.run_sync(door)["g"].data == {"x": given}


def test_a_reference_to_what_is_not_there_names_what_is(door: Ares) -> None:
    result = Graph([ToolNode("f", "facts"), ToolNode("e", "echo", {"text": "${f.missing}"})]).run_sync(door)
    assert (result.status, result["e"].status) == ("failed", "failed")
    assert result["e"].error is not None
    assert "f.missing" in result["e"].error.message
    assert "zero, nothing, empty" in result["e"].error.message


def test_a_failed_node_gives_no_data_and_what_comes_after_it_is_skipped(door: Ares) -> None:
    graph = Graph([ToolNode("a", "fail"), ToolNode("b", "echo", {"text": "${a}"}), ToolNode("c", "facts")])
    result = graph.run_sync(door)
    assert {name: one.status for name, one in result.nodes.items()} == {"a": "failed", "b": "skipped", "c": "done"}
    assert (result["a"].data, result["b"].data, result.output) == (None, None, None)
    assert result.error is not None
    assert result.error.message == "a: it broke"


def test_independent_nodes_run_side_by_side_up_to_the_limit(door: Ares) -> None:
    working, most, full = 0, 0, asyncio.Event()

    async def work() -> None:
        nonlocal working, most
        working += 1
        most = max(most, working)
        if working == 4:
            full.set()
        await asyncio.wait_for(full.wait(), 60)
        await asyncio.sleep(0.01)
        working -= 1

    assert Graph([FunctionNode(f"n{i}", work) for i in range(20)], limit=4).run_sync(door).status == "done"
    assert most == 4


def test_every_run_has_an_id_of_its_own(door: Ares) -> None:
    graph = chain(1)
    assert graph.run_sync(door, {"n": 1}).run_id != graph.run_sync(door, {"n": 1}).run_id


def test_input_is_repaired_and_checked_by_its_schema(door: Ares) -> None:
    schema = {"n": {"type": "integer"}, "m": {"type": "integer", "default": 9}}
    graph = Graph([ToolNode("a", "inc", {"n": "${input.n}"}), ToolNode("b", "inc", {"n": "${input.m}"})], input=schema)
    assert graph.run_sync(door, {"n": "3"}).output == {"a": 4, "b": 10}
    wrong = graph.run_sync(door, {"n": "many", "x": 1})
    assert wrong.status == "failed"
    assert wrong.error is not None
    assert wrong.error.code == "invalid_arguments"
    assert {one.status for one in wrong.nodes.values()} == {"skipped"}


def test_a_tool_that_does_not_exist_is_planned_for_and_the_result_says_so(door: Ares) -> None:
    graph = Graph([ToolNode("a", "ech", {"text": "x"}), ToolNode("b", "no_such_thing_at_all", {})])
    result = graph.run_sync(door)
    assert result["a"].tool == "ech" or result["a"].planned
    assert result["b"].status == "failed"
    assert result["b"].error is not None
    assert result["b"].error.code == "unknown_tool"


def test_retries_are_for_failures_that_may_pass_of_calls_that_may_be_made_twice(door: Ares) -> None:
    tries = []

    def flaky() -> int:
        tries.append(1)
        if len(tries) < 3:
            raise ToolError("busy", retriable=True)
        return 7

    result = Graph([FunctionNode("a", flaky, retries=5)]).run_sync(door)
    assert (result["a"].data, result["a"].attempts) == (7, 3)


def test_a_function_in_a_thread_or_async_that_raises_is_a_failure_in_a_sentence(door: Ares) -> None:
    names = []

    def here() -> dict[str, int]:
        names.append(threading.current_thread().name)
        return {"a": 1}

    async def broken() -> None:
        raise KeyError("x")

    result = Graph([FunctionNode("a", here), FunctionNode("b", broken), FunctionNode("c", object)]).run_sync(door)
    assert result["a"].data == {"a": 1}
    assert names != [threading.main_thread().name]
    assert next(one.error.message for one in result.nodes.values() if one.error) == "KeyError: 'x'"
    assert result["c"].status == "failed"


def test_the_deadline_of_a_node_and_of_a_run_end_what_hangs(door: Ares) -> None:
    slow = Graph([ToolNode("a", "wait", timeout=0.05), ToolNode("b", "facts")]).run_sync(door)
    assert (slow["a"].error and slow["a"].error.code, slow["b"].status) == ("timeout", "done")
    late = Graph([ToolNode("a", "wait"), ToolNode("b", "echo", {"text": "${a}"})], deadline=0.5).run_sync(door)
    assert late.status == "failed"
    assert [one.status for one in late.nodes.values()] == ["cancelled", "skipped"]


def test_cancelling_a_run_reaches_what_works_and_nothing_counts_as_done(door: Ares, until: Any) -> None:
    async def main() -> Any:
        nodes = [ToolNode("a", "facts"), ToolNode("b", "wait", after=["a"]), ToolNode("c", "facts", after=["b"])]
        run = Graph(nodes).start(door)
        await until(lambda: "b" in run._working)
        run.cancel()
        return await run.wait()

    result = asyncio.run(main())
    assert result.status == "cancelled"
    assert [one.status for one in result.nodes.values()] == ["done", "cancelled", "cancelled"]


def test_a_mutating_node_that_is_cancelled_while_it_works_is_unknown(
    door: Ares, written: list[str], until: Any
) -> None:
    async def main() -> Any:
        run = Graph([ToolNode("a", "change", {"name": "x", "seconds": 60})]).start(door)
        await until(lambda: written)
        run.cancel()
        return await run.wait()

    assert asyncio.run(main())["a"].status == "unknown"
    assert written == ["x"]


def test_whoever_waits_and_is_cancelled_takes_the_run_along(door: Ares, until: Any) -> None:
    async def main() -> Any:
        run = Graph([ToolNode("a", "wait")]).start(door)
        waiting = asyncio.ensure_future(run.wait())
        await until(lambda: "a" in run._working)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return run.results["a"].status

    assert asyncio.run(main()) == "cancelled"


def test_what_is_to_be_undone_is_undone_in_reverse_when_the_run_fails(door: Ares, written: list[str]) -> None:
    back = {"tool": "change", "arguments": {"name": "${b} back"}}
    nodes = [
        ToolNode("a", "change", {"name": "x"}, undo=True),
        ToolNode("b", "change", {"name": "y"}, undo=back, after=["a"]),
        ToolNode("c", "change", {"name": "z"}, after=["b"]),
        ToolNode("d", "fail", after=["c"]),
    ]
    told: list[Any] = []
    door.on_event(told.append)
    result = Graph(nodes).run_sync(door)
    assert written == ["x", "y", "z", "y back", "undo x"]
    assert [event.node for event in told if event.data.get("code") == "undone"] == ["b", "a"]
    assert {event.run for event in told if event.tool} == {result.run_id}
    assert result.error is not None
    assert "b was undone; a was undone" in result.error.message


def test_an_agent_is_any_object_that_runs_a_prompt(door: Ares) -> None:
    class Agent:
        async def run(self, prompt: str) -> Any:
            return type("Answer", (), {"text": prompt.upper(), "outcome": "final"})()

    graph = Graph([ToolNode("f", "facts"), AgentNode("a", "say ${f.text}", Agent())])
    assert graph.run_sync(door)["a"].data == {"text": "SAY HI"}
    without = Graph([AgentNode("a", "x")]).run_sync(door)
    assert without["a"].error is not None
    assert without["a"].error.code == "unknown_tool"


def test_a_graph_in_a_graph_gives_its_answer_and_says_which_inner_node_failed(door: Ares) -> None:
    good = Graph([SubGraph("s", chain(2), {"n": 1}), ToolNode("a", "inc", {"n": "${s}"})])
    assert good.run_sync(door).output == 4
    bad = Graph([SubGraph("s", Graph([ToolNode("x", "fail")]))]).run_sync(door)
    assert bad["s"].status == "failed"
    assert bad["s"].error is not None
    assert bad["s"].error.message == "s.x: it broke"


def test_events_of_calls_say_which_run_and_node_they_belong_to(door: Ares) -> None:
    heard: list[Event] = []
    door.on_event(heard.append)
    result = Graph([ToolNode("a", "facts"), ToolNode("b", "fail", after=["a"])]).run_sync(door)
    kinds = [(event.kind, event.node) for event in heard if "." in event.kind]
    assert kinds == [
        ("run.started", None), ("node.started", "a"), ("node.finished", "a"), ("node.started", "b"),
        ("node.failed", "b"), ("run.failed", None),
    ]  # fmt: skip
    assert {event.run for event in heard} == {result.run_id}
    assert [event.node for event in heard if event.kind == "started"] == ["a", "b"]


def test_edges_and_after_only_give_the_order(door: Ares, written: list[str]) -> None:
    nodes = [ToolNode(name, "change", {"name": name}) for name in "cab"]
    assert Graph(nodes, edges=[Edge("a", "b"), Edge("b", "c")]).run_sync(door).status == "done"
    assert written == ["a", "b", "c"]


def test_a_graph_with_faults_does_not_begin(door: Ares, written: list[str]) -> None:
    with pytest.raises(GraphError, match="there is no node 'b'"):
        Graph([ToolNode("a", "change", {"name": "${b}"})]).run_sync(door)
    assert written == []
