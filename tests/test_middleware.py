"""Middleware: layers around requests and executions, each asked once, each with its own rule for failing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import ModuleType
from typing import Any

import pytest

from ares_core import Ares, Ask, Deny, Effects, Layer, Tool, ToolCall, ToolError, hookimpl, replace

Load = Callable[[str], ModuleType]
Next = Callable[[], Awaitable[Any]]
QUIET = Effects(read_only=True, open_world=False)


@pytest.fixture
def ran(ares: Ares) -> list[Any]:
    """What the tool double was called with."""
    calls: list[Any] = []

    async def double(a: int) -> int:
        """Double."""
        calls.append(a)
        return 2 * a

    ares.register(Tool.from_function(double, effects=QUIET))
    return calls


def add(ares: Ares, *layers: Layer) -> None:
    module = ModuleType("middleware")
    module.register_middleware = hookimpl(lambda: list(layers))  # type: ignore[attr-defined]
    ares.add(module)


def request(answer: Any, **options: Any) -> Layer:
    async def run(call: ToolCall) -> Any:
        if isinstance(answer, BaseException):
            raise answer
        return answer(call) if callable(answer) else answer

    return Layer("asked", "tool_request", run, **options)


def execution(run: Callable[[ToolCall, Next], Awaitable[Any]], **options: Any) -> Layer:
    return Layer(options.pop("name", "wraps"), "tool_execution", run, **options)


def code(ares: Ares, **arguments: Any) -> str | None:
    result = ares.call_sync("double", arguments or {"a": 2})
    return result.error.code if result.error else None


def test_the_onion_runs_from_low_order_to_high_and_back(ares: Ares, ran: list[Any], load: Load) -> None:
    layers = load("layers")
    assert ares.call_sync("double", {"a": 2}).data == 4
    assert layers.log == ["request", "outer in", "inner in", "inner out", "outer out"]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (None, None),
        (Deny("not now"), "denied"),
        (Ask("why"), "approval_required"),
        (RuntimeError("down"), "denied"),
        (SystemExit(1), "denied"),
        ("fine", "denied"),
        (lambda call: replace(call, name="rm"), "denied"),
        (lambda call: replace(call, arguments={"a": "no number"}), "invalid_arguments"),
    ],
)
def test_what_a_request_layer_may_answer(answer: Any, expected: str | None, ares: Ares, ran: list[Any]) -> None:
    add(ares, request(answer))
    assert code(ares) == expected
    assert ran == ([2] if expected is None else [])


def test_a_request_layer_that_may_be_skipped_is_skipped_when_it_breaks(ares: Ares, ran: list[Any]) -> None:
    add(ares, request(RuntimeError("down"), on_error="skip"))
    assert code(ares) is None


def test_a_rewritten_request_goes_back_to_the_schema_and_then_to_the_guards(
    ares: Ares, ran: list[Any], load: Load
) -> None:
    add(ares, request(lambda call: replace(call, arguments={"a": "50"})))
    caps = load("caps")
    assert ares.call_sync("double", {"a": 2}).data == 20
    assert caps.asked == [50, 10]


def test_each_request_layer_sees_what_the_one_before_made_of_it(ares: Ares, ran: list[Any]) -> None:
    def raised(call: ToolCall) -> ToolCall:
        assert isinstance(call.arguments, dict)
        return replace(call, arguments={"a": call.arguments["a"] + 1})

    add(ares, request(raised), request(raised), request(raised, tools=("other",)))
    assert ares.call_sync("double", {"a": 2}).data == 8


def test_a_request_layer_changes_nothing_in_place(ares: Ares, ran: list[Any]) -> None:
    def change(call: ToolCall) -> None:
        assert isinstance(call.arguments, dict)
        call.arguments["a"] = "anything"

    add(ares, request(change))
    assert ares.call_sync("double", {"a": 2}).data == 4


def test_a_plain_function_will_do_as_a_request_layer(ares: Ares, ran: list[Any]) -> None:
    add(ares, Layer("plain", "tool_request", lambda call: Deny("no")))  # type: ignore[arg-type, return-value]
    assert code(ares) == "denied"


def test_a_layer_limited_to_other_tools_is_not_asked(ares: Ares, ran: list[Any]) -> None:
    add(ares, request(Deny("no"), tools=("other",)), request(Deny("no"), tools="double_or_nothing"))
    assert code(ares) is None


def test_an_execution_layer_may_answer_in_the_tools_place(ares: Ares, ran: list[Any]) -> None:
    async def cached(call: ToolCall, next_call: Next) -> Any:
        return 42

    add(ares, execution(cached))
    assert ares.call_sync("double", {"a": 2}).data == 42
    assert ran == []


def test_an_execution_layer_may_change_what_comes_out(ares: Ares, ran: list[Any]) -> None:
    async def rounded(call: ToolCall, next_call: Next) -> Any:
        return {"value": await next_call()}

    add(ares, execution(rounded))
    assert ares.call_sync("double", {"a": 2}).data == {"value": 4}


def test_next_call_twice_is_an_error_that_names_the_layer_and_runs_the_tool_once(ares: Ares, ran: list[Any]) -> None:
    async def greedy(call: ToolCall, next_call: Next) -> Any:
        await next_call()
        return await next_call()

    add(ares, execution(greedy, name="greedy", on_error="skip"))
    result = ares.call_sync("double", {"a": 2})
    assert result.error is not None
    assert "'greedy' called next_call twice" in result.error.message
    assert ran == [2]


def test_what_an_execution_layer_changes_in_its_call_does_not_reach_the_tool(ares: Ares, ran: list[Any]) -> None:
    async def sly(call: ToolCall, next_call: Next) -> Any:
        assert isinstance(call.arguments, dict)
        call.arguments["a"] = 1_000
        return await next_call()

    add(ares, execution(sly))
    assert ares.call_sync("double", {"a": 2}).data == 4


@pytest.mark.parametrize(("on_error", "expected"), [("fail", "tool_error"), ("skip", None)])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_layer_that_breaks_means_what_it_says(
    when: str, on_error: Any, expected: str | None, ares: Ares, ran: list[Any]
) -> None:
    async def breaks(call: ToolCall, next_call: Next) -> Any:
        if when == "after":
            await next_call()
        raise RuntimeError("layer down")

    add(ares, execution(breaks, on_error=on_error))
    result = ares.call_sync("double", {"a": 2})
    assert (result.error.code if result.error else None) == expected
    assert result.data == (None if expected else 4)
    assert len(ran) == (0 if expected and when == "before" else 1)
    assert expected is None or "layer 'wraps' raised RuntimeError: layer down" in result.text


def test_a_tools_own_error_passes_through_layers_as_it_is(ares: Ares, load: Load) -> None:
    async def fails() -> None:
        """Fail."""
        raise ToolError("the disk is full", hint="Delete something.")

    ares.register(fails)
    layers = load("layers")
    result = ares.call_sync("fails")
    assert "the disk is full. Delete something." in result.text
    assert layers.log[-2:] == ["inner out", "outer out"]


def test_a_layer_may_turn_a_tools_error_into_an_answer(ares: Ares) -> None:
    async def fails() -> None:
        """Fail."""
        raise ToolError("the disk is full")

    async def forgiving(call: ToolCall, next_call: Next) -> Any:
        try:
            return await next_call()
        except ToolError as error:
            return f"sorry: {error}"

    ares.register(Tool.from_function(fails, effects=QUIET))
    add(ares, execution(forgiving))
    assert ares.call_sync("fails").data == "sorry: the disk is full"


def test_retries_sit_inside_where_the_layers_of_one_attempt_see_them(ares: Ares, load: Load) -> None:
    attempts: list[int] = []

    async def flaky() -> str:
        """Fail twice."""
        attempts.append(1)
        if len(attempts) < 3:
            raise ToolError("try again", retriable=True)
        return "done"

    ares.register(Tool.from_function(flaky, effects=Effects(read_only=True, open_world=False)))
    result = ares.call_sync("flaky")
    assert (result.data, result.metadata["attempts"]) == ("done", 3)


def test_layers_wrap_plain_tools_in_threads_too(ares: Ares, load: Load) -> None:
    def slow(a: int) -> int:
        """Double, in a thread."""
        return 2 * a

    ares.register(slow)
    layers = load("layers")
    assert ares.call_sync("slow", {"a": 2}).data == 4
    assert layers.log[-1] == "outer out"


@pytest.mark.parametrize(
    "layer",
    [
        Layer("odd", "tool_exec", print),  # type: ignore[arg-type]
        Layer("odd", "tool_request", None),  # type: ignore[arg-type]
        Layer("odd", "tool_request", print, order="first"),  # type: ignore[arg-type]
        Layer("odd", "tool_request", print, on_error="ignore"),  # type: ignore[arg-type]
    ],
    ids=["kind", "run", "order", "on_error"],
)
def test_a_layer_that_could_not_work_is_left_out_with_a_note(layer: Layer, ares: Ares, ran: list[Any]) -> None:
    add(ares, layer)
    assert code(ares) is None
    assert "is left out" in ares.plugins.rows()[0].notes[0]


def test_a_layer_that_goes_is_not_asked_any_more(ares: Ares, ran: list[Any]) -> None:
    add(ares, request(Deny("no")))
    assert code(ares) == "denied"
    ares.remove("middleware")
    assert code(ares) is None
