"""What layers did to a call stands in its result and its events, and a layer that plays with its turn is named."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import ModuleType
from typing import Any, Literal

import pytest

from ares_core import Ares, Ask, Deny, Effects, Event, Layer, Tool, ToolCall, ToolError, hookimpl, replace

Next = Callable[[], Awaitable[Any]]
Outcome = Literal["fail", "skip"]


@pytest.fixture
def ran(ares: Ares) -> list[Any]:
    """What the tool double was called with."""
    calls: list[Any] = []

    async def double(a: int, note: str = "") -> int:
        """Double."""
        calls.append(a)
        if note == "fail":
            raise ToolError("no luck", retriable=len(calls) < 2)
        return 2 * a

    ares.register(Tool.from_function(double, effects=Effects(read_only=True, open_world=False)))
    return calls


def add(ares: Ares, *layers: Layer) -> None:
    module = ModuleType("middleware")
    module.register_middleware = hookimpl(lambda: list(layers))  # type: ignore[attr-defined]
    ares.add(module)


def asked(answer: Callable[[ToolCall], Any], name: str = "asked", on_error: Outcome = "fail") -> Layer:
    async def run(call: ToolCall) -> Any:
        return answer(call)

    return Layer(name, "tool_request", run, on_error=on_error)


def around(run: Callable[[ToolCall, Next], Awaitable[Any]], name: str = "around", on_error: Outcome = "fail") -> Layer:
    return Layer(name, "tool_execution", run, on_error=on_error)


def deeds(ares: Ares, **arguments: Any) -> list[tuple[str, str]]:
    rows = ares.call_sync("double", {"a": 2, **arguments}).metadata.get("layers", [])
    return [(row["layer"], row["did"]) for row in rows]


def test_without_layers_there_is_no_trace(ares: Ares, ran: list[Any]) -> None:
    assert "layers" not in ares.call_sync("double", {"a": 2}).metadata


def test_layers_that_change_nothing_leave_no_trace(ares: Ares, ran: list[Any]) -> None:
    async def passes(call: ToolCall, next_call: Next) -> Any:
        return await next_call()

    add(ares, asked(lambda call: None), around(passes))
    assert "layers" not in ares.call_sync("double", {"a": 2}).metadata


def test_a_trace_tells_who_changed_what_and_no_values(ares: Ares, ran: list[Any]) -> None:
    events: list[Event] = []
    ares.on_event(events.append)
    changed = asked(lambda call: replace(call, arguments={"a": 5, "note": "a secret"}), "raises it")
    add(ares, changed, asked(lambda call: Ask("is it much?"), "careful", on_error="skip"))
    rows = ares.call_sync("double", {"a": 2}).metadata["layers"]
    assert rows[0] == {"layer": "raises it", "kind": "tool_request", "did": "changed", "at": ["/a", "/note"]}
    assert (rows[1]["layer"], rows[1]["did"]) == ("careful", "asked")
    assert "a secret" not in str(rows)
    (rewritten,) = (event for event in events if event.kind == "rewritten")
    assert rewritten.data["layers"][0]["layer"] == "raises it"
    assert events[-1].data["layers"] == rows


def test_each_way_that_an_execution_layer_steps_in_has_a_word(ares: Ares, ran: list[Any]) -> None:
    async def changes(call: ToolCall, next_call: Next) -> Any:
        return [await next_call()]

    async def breaks(call: ToolCall, next_call: Next) -> Any:
        raise RuntimeError("down")

    async def answers(call: ToolCall, next_call: Next) -> Any:
        return 7

    add(ares, around(changes, "outer"), around(breaks, "middle", "skip"), around(answers, "inner"))
    assert deeds(ares) == [("middle", "skipped"), ("inner", "answered"), ("outer", "changed")]
    assert ran == []


def test_a_layer_that_makes_an_answer_of_an_error_is_told_of(ares: Ares, ran: list[Any]) -> None:
    async def forgives(call: ToolCall, next_call: Next) -> Any:
        try:
            return await next_call()
        except ToolError:
            return "sorry"

    add(ares, around(forgives))
    assert deeds(ares, note="fail") == [("around", "recovered")]


def test_a_trace_tells_the_attempts_apart(ares: Ares, ran: list[Any]) -> None:
    async def forgives_the_second(call: ToolCall, next_call: Next) -> Any:
        try:
            return await next_call()
        except ToolError:
            if len(ran) < 2:
                raise
            return "sorry"

    add(ares, around(forgives_the_second))
    (row,) = ares.call_sync("double", {"a": 2, "note": "fail"}).metadata["layers"]
    assert (row["did"], row["attempt"]) == ("recovered", 2)


def test_a_denial_names_the_layer_in_the_trace(ares: Ares, ran: list[Any]) -> None:
    add(ares, asked(lambda call: Deny("not today"), "closed"))
    assert deeds(ares) == [("closed", "denied")]


def test_next_call_after_the_layer_has_answered_runs_nothing(ares: Ares, ran: list[Any]) -> None:
    kept: list[Next] = []

    async def keeps(call: ToolCall, next_call: Next) -> Any:
        kept.append(next_call)
        return 0

    add(ares, around(keeps, "keeps"))

    async def main() -> None:
        assert (await ares.call("double", {"a": 2})).data == 0
        with pytest.raises(RuntimeError, match="layer 'keeps' called next_call after it had answered"):
            await kept[0]()

    asyncio.run(main())
    assert ran == []


def test_a_layer_that_does_not_wait_for_its_next_call_fails_by_name_and_nothing_runs_on(ares: Ares) -> None:
    ended: list[int] = []

    async def slow() -> None:
        """Take a while."""
        await asyncio.sleep(0.05)
        ended.append(1)

    async def hasty(call: ToolCall, next_call: Next) -> Any:
        task = asyncio.ensure_future(next_call())
        await asyncio.sleep(0)
        return task is not None

    ares.register(slow)
    add(ares, around(hasty, "hasty", on_error="skip"))
    result = ares.call_sync("slow")
    assert result.error is not None
    assert "layer 'hasty' raised RuntimeError" in result.error.message
    assert "before its next_call had ended" in result.error.message
    assert ended == [1]


def test_two_next_calls_at_once_run_the_tool_once(ares: Ares, ran: list[Any]) -> None:
    async def greedy(call: ToolCall, next_call: Next) -> Any:
        return await asyncio.gather(next_call(), next_call())

    add(ares, around(greedy, "greedy"))
    result = ares.call_sync("double", {"a": 2})
    assert "'greedy' called next_call twice" in result.text
    assert ran == [2]


def test_a_layer_that_outlasts_the_deadline_is_ended_with_the_call(ares: Ares, ran: list[Any]) -> None:
    async def sleeps(call: ToolCall, next_call: Next) -> Any:
        await asyncio.sleep(60)

    add(ares, around(sleeps))
    result = ares.call_sync("double", {"a": 2}, timeout=0.05)
    assert result.error is not None
    assert result.error.code == "timeout"


def test_a_layer_sees_what_will_run_after_the_guards(ares: Ares, ran: list[Any]) -> None:
    seen: list[Any] = []

    async def looks(call: ToolCall, next_call: Next) -> Any:
        seen.append(call.arguments)
        return await next_call()

    def capped(call: ToolCall) -> ToolCall | None:
        assert isinstance(call.arguments, dict)
        return replace(call, arguments={"a": 1}) if call.arguments["a"] > 1 else None

    module = ModuleType("caps")
    module.pre_tool_call = hookimpl(capped)  # type: ignore[attr-defined]
    add(ares, around(looks))
    ares.add(module)
    assert ares.call_sync("double", {"a": 9}).data == 2
    assert seen == [{"a": 1, "note": ""}]


@pytest.mark.parametrize(("on_error", "code"), [("fail", "denied"), ("skip", None)])
def test_a_request_layer_that_never_answers_is_not_waited_for_for_ever(on_error: Any, code: str | None) -> None:
    async def hangs(call: ToolCall) -> None:
        await asyncio.sleep(60)

    with Ares(plugins=[], config={"limits": {"timeout": 0.05}}) as ares:
        ares.register(Tool("quick", "", {}, lambda arguments, context: 1, timeout=5))
        add(ares, Layer("hangs", "tool_request", hangs, on_error=on_error))
        result = ares.call_sync("quick")
    assert (result.error.code if result.error else None) == code
    assert "it gave no answer within 0.05 s" in str(result.metadata["layers"])


@pytest.mark.parametrize(("tools", "denied"), [(("dou*",), True), (("d?uble", "x"), True), (("*x",), False)])
def test_a_layer_is_limited_to_tools_by_pattern(tools: Any, denied: bool, ares: Ares, ran: list[Any]) -> None:
    add(ares, replace(asked(lambda call: Deny("no")), tools=tools))
    assert ares.call_sync("double", {"a": 2}).success is not denied
