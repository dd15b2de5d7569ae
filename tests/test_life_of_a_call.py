"""The life of one call: the same stages, in the same order, on every path; and a refusal is a result."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import ModuleType
from typing import Any

import pytest

from ares_core import (
    Approval,
    Ares,
    Ask,
    Deny,
    Effects,
    Event,
    Layer,
    Result,
    Tool,
    ToolCall,
    ToolContext,
    hookimpl,
    replace,
)
from ares_core.calls import CODES
from ares_core.events import EVENT_KINDS

STAGES = [
    "tool_request", "pre_tool_call", "approver", "execution in", "tool", "execution out", "post_tool_call",
    "format_result",
]  # fmt: skip


EVENTS = ["requested", "resolved", "validated", "approval_requested", "approved", "started", "finished"]


class Everywhere:
    """A plugin with a hand in every stage; writes down when it was asked about the tool probe."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.host: Any = None

    @hookimpl
    def register_tools(self, host: Any) -> list[Tool]:
        self.host = host

        async def probe(a: int = 1) -> int:
            """Leave a trace."""
            self.log.append("tool")
            return a

        return [Tool.from_function(probe, requires_approval=True, aliases=("p",), effects=Effects(open_world=False))]

    @hookimpl(tools=("probe",))
    def pre_tool_call(self, call: ToolCall) -> None:
        self.log.append("pre_tool_call")

    @hookimpl(tools=("probe",))
    def post_tool_call(self, result: Result) -> None:
        self.log.append("post_tool_call")

    @hookimpl
    def format_result(self, result: Result) -> str:
        self.log.append("format_result")
        return f"probed {result.data}"

    @hookimpl
    def register_middleware(self) -> list[Layer]:
        async def look(call: ToolCall) -> None:
            self.log.append("tool_request")

        async def wrap(call: ToolCall, next_call: Callable[[], Awaitable[Any]]) -> Any:
            self.log.append("execution in")
            try:
                return await next_call()
            finally:
                self.log.append("execution out")

        return [
            Layer("look", "tool_request", look, tools=("probe",)),
            Layer("wrap", "tool_execution", wrap, tools=("probe",)),
        ]

    def approve(self, request: Approval) -> bool:
        self.log.append("approver")
        return True


async def by_child(ares: Ares, plugin: Everywhere) -> Any:
    async def parent(context: ToolContext) -> Any:
        """Call a tool."""
        return (await context.call_tool("probe", {"a": "2"})).text

    ares.register(parent)
    return await ares.call("parent")


async def by_thread(ares: Ares, plugin: Everywhere) -> Any:
    def parent() -> Any:
        """Call a tool from a thread."""
        return ares.call_sync("probe", {"a": "2"}).text

    ares.register(parent)
    return await ares.call("parent")


PATHS: dict[str, Callable[[Ares, Everywhere], Awaitable[Any]]] = {
    "call": lambda ares, plugin: ares.call("probe", {"a": "2"}),
    "call with a ToolCall": lambda ares, plugin: ares.call(ToolCall("probe", '{"a": 2}')),
    "call with a request": lambda ares, plugin: ares.call("probe", {"a": 2}, request="please probe 2"),
    "call with an alias": lambda ares, plugin: ares.call("P", {"a": 2}),
    "call_many": lambda ares, plugin: ares.call_many([ToolCall("probe", {"a": 2})]),
    "registry.execute": lambda ares, plugin: ares.registry.execute("probe", {"a": 2}),
    "a part of the tools": lambda ares, plugin: ares.bind(tools=["probe"]).call("probe", {"a": 2}),
    "a plugin's host": lambda ares, plugin: plugin.host.call("probe", {"a": 2}),
    "a tool that calls a tool": by_child,
    "a tool in a thread": by_thread,
    "call_sync in a thread": lambda ares, plugin: asyncio.to_thread(ares.call_sync, "probe", {"a": 2}),
}


@pytest.mark.parametrize("path", PATHS)
def test_every_path_goes_through_the_same_stages_in_the_same_order(path: str) -> None:
    plugin = Everywhere()
    events: list[Event] = []
    with Ares(plugins=[plugin], approver=plugin.approve) as ares:
        ares.on_event(events.append)
        asyncio.run(_awaited(PATHS[path](ares, plugin)))
    assert plugin.log == STAGES
    kinds = [event.kind for event in events if event.tool == "probe" and event.kind != "repaired"]
    assert kinds[-len(EVENTS) + 1 :] == EVENTS[1:]


async def _awaited(work: Awaitable[Any]) -> Any:
    return await work


def test_the_stages_stand_in_this_order_and_each_can_end_the_call() -> None:
    """What stops a call is the first stage that says no, whatever later ones would have said."""
    ran: list[object] = []

    async def no(call: ToolCall) -> Deny:
        return Deny("by a layer")

    def plugin(name: str, hook: str, answer: Any) -> ModuleType:
        module = ModuleType(name)
        setattr(module, hook, hookimpl(answer))
        return module

    with Ares(plugins=[], config={"guard": {"budgets": {"calls": 1}}}) as ares:
        ares.register(
            Tool("t", "", {"type": "object", "required": ["a"]}, lambda a, c: ran.append(1), requires_approval=True)
        )
        codes = [_code(ares, "nobody"), _code(ares, "t", "{"), _code(ares, "t", "{}"), _code(ares, "t", '{"a": 1}')]
        ares.call_sync("t", {"a": 1}, session="s")
        codes.append(_code(ares, "t", '{"a": 1}', session="s"))
        ares.add(plugin("guard", "pre_tool_call", lambda: Ask("why")))
        ares.add(plugin("layer", "register_middleware", lambda: [Layer("no", "tool_request", no)]))
        codes.append(_code(ares, "t", '{"a": 1}', session="s"))
        codes.append(_code(ares, "t", "{}", session="s"))
    assert codes == [
        "unknown_tool", "truncated_arguments", "invalid_arguments", "approval_required", "budget_exhausted", "denied",
        "invalid_arguments",
    ]  # fmt: skip
    assert ran == []


def _code(ares: Ares, name: str, arguments: Any = None, session: str | None = None) -> str | None:
    result = ares.call_sync(name, arguments, session=session)
    assert result.success is (result.error is None)
    assert result.error is None or "Not executed" in result.text
    return result.error.code if result.error else None


def test_a_result_has_call_edits_and_metadata(ares: Ares) -> None:
    def double(a: int, times: int = 1) -> int:
        """Double."""
        return 2 * a * times

    ares.register(double)
    result = ares.call_sync(ToolCall("Double", {"a": "2"}, id="c1", turn="t1"), session="s")
    assert result.call == replace(
        ToolCall("double", {"a": 2, "times": 1}, id="c1", turn="t1", session="s"), effects=Effects()
    )
    assert {(edit.pointer, edit.before, edit.after) for edit in result.edits} == {("/a", "2", 2), ("/times", None, 1)}
    assert result.metadata["attempts"] == 1
    assert result.metadata["duration_ms"] > 0


def test_a_call_without_id_gets_one_of_its_own(ares: Ares) -> None:
    ares.register(Tool("ping", "", {}, lambda arguments, context: None))
    ids = {ares.call_sync("ping").call.id for _ in range(3)}  # type: ignore[union-attr]
    assert len(ids) == 3
    assert None not in ids


def test_a_refused_call_has_metadata_too(ares: Ares) -> None:
    result = ares.call_sync("nobody")
    assert result.metadata["attempts"] == 0
    assert result.metadata["duration_ms"] >= 0


@pytest.mark.parametrize(
    "effects", [lambda arguments: 1 / 0, lambda arguments: "read_only"], ids=["raises", "nonsense"]
)
def test_effects_that_can_not_be_worked_out_are_the_cautious_ones(effects: Any, ares: Ares) -> None:
    ares.register(Tool("odd", "", {}, lambda arguments, context: None, effects=effects))
    result = ares.call_sync("odd")
    assert result.call is not None
    assert result.call.effects == Effects()


def test_codes_and_kinds_of_events_are_those_of_the_design() -> None:
    assert len(set(CODES)) == len(CODES) == 21
    assert EVENT_KINDS[:15] == (
        "requested", "resolved", "repaired", "validated", "rewritten", "denied", "approval_requested", "approved",
        "queued", "started", "progress", "retried", "finished", "failed", "unknown",
    )  # fmt: skip
