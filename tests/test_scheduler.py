"""How a plan runs: side by side, in order, with runners-up, and undone when it fails."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest

from ares_core import ExecutionPlan, Result, Tool, ToolCall
from ares_core.calls import Failure
from ares_core.planner.plan import Binding, Candidate, PlanStep
from ares_core.scheduler import handed_over, run_graph, run_plan

Run = Callable[[ToolCall], Awaitable[Result]]
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}}


def step(name: str, *after: str, **options: Any) -> PlanStep:
    return PlanStep(name, options.pop("tool", name), "Any", depends_on=after, **{"read_only": True, **options})


def plan(*steps: PlanStep) -> ExecutionPlan:
    return ExecutionPlan("a request", steps=steps, confidence=1)


def answering(answers: Mapping[str, Any], log: list[str] | None = None) -> Run:
    """Answer calls by the tool's name: with data, or with a failure."""

    async def run(call: ToolCall) -> Result:
        if log is not None:
            log.append(call.name)
        await asyncio.sleep(0)
        answer = answers.get(call.name, call.name)
        if isinstance(answer, Failure):
            return Result(False, error=answer, text=answer.message, call=call)
        return Result(True, answer, text=str(answer), call=call, metadata={"attempts": 1})

    return run


def carried_out(found: ExecutionPlan, run: Run, tools: Mapping[str, Tool] | None = None) -> Result:
    return asyncio.run(run_plan(found, run, tools or {}))


def test_the_answer_of_one_sink_is_its_own_and_of_several_by_step() -> None:
    one = carried_out(plan(step("a"), step("b", "a")), answering({"a": 1, "b": 2}))
    assert (one.data, one.text, [each.data for each in one.steps]) == (2, "2", [1, 2])
    both = carried_out(plan(step("a"), step("b")), answering({"a": 1, "b": 2}))
    assert both.data == {"a": 1, "b": 2}
    assert both.text == "a: 1\nb: 2"
    assert both.metadata["attempts"] == 2


def test_what_one_step_gives_goes_into_the_next() -> None:
    bound = step("b", "a", bindings=(Binding("text", "a"),), arguments={"operation": "md5"})
    found = carried_out(plan(step("a"), bound), answering({"a": {"expression": "1+2", "result": 3}}), {"b": tool("b")})
    assert found.call is not None
    assert found.call.arguments == {"operation": "md5", "text": "3"}


def tool(name: str, undo: Callable[..., Any] | None = None) -> Tool:
    return Tool(name, "", TEXT, lambda arguments, context: None, undo=undo)


@pytest.mark.parametrize(
    ("data", "schema", "handed"),
    [
        ({"result": 5050, "expression": "…"}, {"type": "string"}, "5050"),
        ({"result": 2.0}, {"type": "string"}, "2"),
        ({"output": "abc", "operation": "md5"}, {"type": "string"}, "abc"),
        ({"ids": ["x"]}, {"type": "string"}, "x"),
        ({"vector": [1, 2]}, {"type": "array"}, [1, 2]),
        ({"rows": [1, 2]}, {"type": "array"}, [1, 2]),
        ({"a": 1, "b": 2}, {"type": "string"}, '{"a": 1, "b": 2}'),
        ("text", {}, "text"),
        (7, {"type": "integer"}, 7),
        (True, {"type": "string"}, "true"),
    ],
)
def test_the_part_of_the_data_that_matters_is_handed_over(data: Any, schema: dict[str, Any], handed: Any) -> None:
    assert handed_over(data, schema) == handed


def test_independent_readers_run_side_by_side() -> None:
    running: list[str] = []
    most = 0

    async def run(call: ToolCall) -> Result:
        nonlocal most
        running.append(call.name)
        most = max(most, len(running))
        while most < 2:  # noqa: ASYNC110 - the other tells nobody
            await asyncio.sleep(0)
        running.remove(call.name)
        return Result(True, call.name, call=call)

    carried_out(plan(step("a"), step("b"), step("c", "a", "b")), run)
    assert most == 2


def test_a_step_that_changes_something_runs_alone_and_in_its_place() -> None:
    log: list[str] = []

    async def run(call: ToolCall) -> Result:
        log.append(f"{call.name} begins")
        await asyncio.sleep(0.01)
        log.append(f"{call.name} ends")
        return Result(True, call=call)

    carried_out(plan(step("a"), step("b", read_only=False), step("c", read_only=False)), run)
    assert log == ["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]


def test_a_failed_step_keeps_what_the_finished_steps_gave() -> None:
    log: list[str] = []
    failure = Failure("tool_error", "the mast broke", blame="tool")
    found = carried_out(plan(step("a"), step("b", "a"), step("c", "b")), answering({"a": 1, "b": failure}, log))
    assert found.error is not None
    assert (found.error.code, found.data) == ("step_failed", {"a": 1})
    assert log == ["a", "b"]
    for part in ("Step b (b) failed: the mast broke", "Finished: a", "Not executed: c"):
        assert part in found.error.message


def test_the_failure_of_a_single_step_is_its_own() -> None:
    failure = Failure("denied", "the captain says no")
    assert carried_out(plan(step("a")), answering({"a": failure})).error == failure


def test_the_runner_up_takes_over_from_a_tool_that_fails() -> None:
    log: list[str] = []
    other = Candidate("spare", "Any", "a", arguments={"x": 1})
    failing = {"a": Failure("timeout", "too slow", blame="tool")}
    found = carried_out(plan(step("a", fallbacks=(other,))), answering(failing, log))
    assert (found.success, found.data, log) == (True, "spare", ["a", "spare"])
    assert found.metadata["instead_of"] == "a"


@pytest.mark.parametrize(
    ("failure", "read_only"),
    [
        (Failure("denied", "no"), True),
        (Failure("invalid_arguments", "wrong"), True),
        (Failure("tool_error", "division by zero", blame="input"), True),
        (Failure("outcome_unknown", "perhaps", blame="tool"), False),
        (Failure("tool_error", "broken", blame="tool"), False),
    ],
)
def test_what_was_refused_or_may_have_happened_is_not_tried_elsewhere(failure: Failure, read_only: bool) -> None:
    log: list[str] = []
    one = step("a", fallbacks=(Candidate("spare", "Any", "a"),), read_only=read_only)
    assert not carried_out(plan(one), answering({"a": failure}, log)).success
    assert log == ["a"]


def test_changes_of_a_failed_plan_are_undone_last_first() -> None:
    undone: list[Any] = []

    async def unmoor(arguments: Any, data: Any) -> None:
        undone.append(("unmoor", data))

    def fold(arguments: Any, data: Any) -> None:
        undone.append(("fold", data))

    tools = {"moor": tool("moor", unmoor), "unfold": tool("unfold", fold), "shout": tool("shout")}
    steps = [step(name, read_only=False) for name in ("moor", "shout", "unfold", "sail")]
    found = carried_out(plan(*steps), answering({"sail": Failure("tool_error", "no wind", blame="world")}), tools)
    assert undone == [("fold", "unfold"), ("unmoor", "moor")]
    assert found.error is not None
    for part in (
        "unfold (unfold) was undone",
        "shout (shout) could not be undone: its tool has no undo",
        "moor (moor) was undone",
    ):
        assert part in found.error.message


def test_an_undo_that_raises_is_told_and_the_others_still_run() -> None:
    undone: list[str] = []

    def stuck(arguments: Any, data: Any) -> None:
        raise OSError("the knot holds")

    tools = {"a": tool("a", lambda arguments, data: undone.append("a")), "b": tool("b", stuck)}
    steps = [step(name, read_only=False) for name in ("a", "b", "c")]
    found = carried_out(plan(*steps), answering({"c": Failure("tool_error", "no", blame="tool")}), tools)
    assert undone == ["a"]
    assert found.error is not None
    assert "b (b) could not be undone: OSError: the knot holds" in found.error.message


def test_a_plan_with_an_error_runs_nothing() -> None:
    log: list[str] = []
    refusal = Failure("no_plan", "Not understood. Not executed.")
    found = carried_out(ExecutionPlan("x", steps=(step("a"),), error=refusal), answering({}, log))
    assert (found.error, log) == (refusal, [])


def test_a_graph_whose_run_is_cancelled_leaves_nothing_running() -> None:
    begun: list[str] = []
    cancelled: list[str] = []

    async def run(node: PlanStep, before: Mapping[str, str]) -> str:
        begun.append(node.id)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(node.id)
            raise
        return node.id

    async def main() -> None:
        task = asyncio.ensure_future(run_graph([step("a"), step("b")], run))
        while len(begun) < 2:  # noqa: ASYNC110 - the nodes tell nobody
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert sorted(cancelled) == ["a", "b"]


def test_a_node_that_raises_ends_what_runs_beside_it() -> None:
    ended: list[str] = []

    async def run(node: PlanStep, before: Mapping[str, str]) -> str:
        if node.id == "b":
            raise LookupError(node.id)
        try:
            await asyncio.sleep(60 if node.id == "a" else 0)
        finally:
            ended.append(node.id)
        return node.id

    with pytest.raises(LookupError, match="b"):
        asyncio.run(run_graph([step("a"), step("b"), step("c"), step("d", "c")], run, limit=2))
    assert ended == ["a"]


def test_who_keeps_the_steps_of_a_plan_gives_their_order() -> None:
    async def backwards(steps: Any, run: Any, **options: Any) -> dict[str, Result]:
        return {one.id: await run(one, {}) for one in reversed(steps)}

    log: list[str] = []
    result = asyncio.run(run_plan(plan(step("a"), step("b")), answering({}, log), {}, backwards))
    assert (log, result.data) == (["b", "a"], {"a": "a", "b": "b"})
