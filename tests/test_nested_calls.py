"""Calls inside calls: a child has its parent's session, scope, budget and deadline, however it is made."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from ares_core import Ares, Effects, Result, Tool, ToolContext, ToolError

READS = Effects(read_only=True, open_world=False)


def tool(fn: Any, **options: Any) -> Tool:
    return Tool.from_function(fn, **{"effects": READS, **options})


def code(result: Result) -> str | None:
    return result.error.code if result.error else None


async def echo(x: int) -> int:
    """Say it again."""
    return x


def test_a_child_has_its_parents_session_scope_and_deadline(ares: Ares) -> None:
    async def child(context: ToolContext) -> list[Any]:
        """Tell."""
        return [context.session, (context.remaining or 0) < 25]

    async def parent(context: ToolContext) -> list[Any]:
        """Ask the child, and one that is out of scope."""
        hidden = await context.call_tool("hidden")
        told = await context.call_tool("child", timeout=500)
        return [*told.data, code(hidden)]

    for fn in (child, parent):
        ares.register(tool(fn, timeout=24 if fn is parent else None))
    ares.register(tool(echo, name="hidden"))
    scoped = ares.bind(tools=["parent", "child"], session="s")
    assert scoped.call_sync("parent").data == ["s", True, "unknown_tool"]


@pytest.mark.parametrize("how", ["context", "await ares.call", "call_sync in a thread"])
def test_a_call_made_inside_a_tool_is_its_child_however_it_is_made(how: str, ares: Ares) -> None:
    events: list[Any] = []
    ares.on_event(events.append)

    async def parent(context: ToolContext) -> Any:
        """Call."""
        return (await (context.call_tool("echo", {"x": 1}) if how == "context" else ares.call("echo", {"x": 1}))).data

    def parent_in_thread() -> Any:
        """Call."""
        return ares.call_sync("echo", {"x": 1}).data

    ares.register(tool(echo))
    ares.register(tool(parent_in_thread if "thread" in how else parent, name="parent"))
    assert ares.call_sync("parent", session="s").data == 1
    (above,) = {event.execution_id for event in events if event.tool == "parent"}
    below = [event for event in events if event.tool == "echo"]
    assert {(event.parent, event.session) for event in below} == {(above, "s")}


def test_a_child_can_not_leave_its_parents_session(ares: Ares) -> None:
    async def where(context: ToolContext) -> str | None:
        """Tell."""
        return context.session

    async def parent() -> Any:
        """Call in another session."""
        return (await ares.call("where", session="other")).data

    ares.register(tool(where))
    ares.register(tool(parent))
    assert ares.call_sync("parent", session="s").data == "s"


def test_a_call_out_of_a_tool_that_is_over_is_refused(ares: Ares) -> None:
    kept: list[ToolContext] = []

    async def keeps(context: ToolContext) -> None:
        """Keep the context."""
        kept.append(context)

    async def later() -> None:
        await kept[0].call_tool("keeps")

    ares.register(tool(keeps))
    ares.call_sync("keeps")
    with pytest.raises(ToolError, match="is over"):
        asyncio.run(later())


def test_a_parents_deadline_ends_its_children(ares: Ares) -> None:
    async def hang() -> None:
        """Hang."""
        await asyncio.sleep(60)

    async def parent(context: ToolContext) -> Any:
        """Call."""
        return (await context.call_tool("hang")).text

    ares.register(tool(hang))
    ares.register(tool(parent, timeout=0.05))
    began = time.monotonic()
    assert code(ares.call_sync("parent")) == "timeout"
    assert time.monotonic() - began < 50


def test_a_tool_may_give_back_what_its_child_said(ares: Ares) -> None:
    async def parent(context: ToolContext, x: int) -> Result:
        """Pass on."""
        return await context.call_tool("echo", {"x": x})

    ares.register(tool(echo))
    ares.register(tool(parent))
    assert ares.call_sync("parent", {"x": 3}).data == 3
    wrong = ares.call_sync("parent", {"x": 3.5})
    assert code(wrong) == "invalid_arguments"


def test_what_a_tool_tells_on_its_way_are_events_of_progress(ares: Ares) -> None:
    events: list[Any] = []
    ares.on_event(events.append)

    async def work(context: ToolContext) -> None:
        """Tell."""
        context.emit("half-way", percent=50)

    ares.register(tool(work))
    ares.call_sync("work")
    (progress,) = [event for event in events if event.kind == "progress"]
    assert progress.data == {"message": "half-way", "percent": 50}
