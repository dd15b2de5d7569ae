"""A tool that a provider knows under another name is found under that name too, on every path."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from typing import Any

from ares_core import (
    Ares,
    Definition,
    Definitions,
    Effects,
    Event,
    NameRule,
    Result,
    Tool,
    ToolCall,
    Turn,
    hookimpl,
)

QUIET = Effects(read_only=True, open_world=False)


class Cable:
    """A format whose provider takes short names of plain letters only."""

    def __init__(self, name: str, longest: int) -> None:
        self.name = name
        self.names = NameRule(first="a-z", rest="a-z0-9_", longest=longest)

    def recognises(self, part: Mapping[str, Any]) -> bool:
        return False

    def assemble(self, events: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        return events[0]

    def read(self, body: Mapping[str, Any]) -> Turn:
        return Turn(wire=self.name)

    def write(self, turn: Turn, results: Sequence[Result]) -> list[dict[str, Any]]:
        return []

    def definitions(self, tools: Sequence[Definition], choice: str | None, strict: bool) -> Definitions:
        return Definitions([{"name": tool.name} for tool in tools])


def cables(*formats: Cable) -> types.ModuleType:
    def register_wire_formats() -> list[Cable]:
        return list(formats)

    module = types.ModuleType("cables")
    vars(module)["register_wire_formats"] = hookimpl(register_wire_formats)
    return module


def named(name: str) -> Tool:
    return Tool(name, "Say who you are.", {}, lambda arguments, context: name, effects=QUIET)


def published(ares: Ares, wire: str) -> list[str]:
    return [tool["name"] for tool in ares.definitions(wire)]


def test_every_name_that_was_published_is_understood() -> None:
    names = ["画图", "📁list", "mcp.weather v2.get", "a" * 40, "a" * 39 + "b", "list"]
    with Ares(plugins=[cables(Cable("long", 64), Cable("short", 12))]) as ares:
        for name in names:
            ares.register(named(name))
        for wire in ("long", "short"):
            sent = published(ares, wire)
            results = ares.call_many_sync([ToolCall(name) for name in sent])
            assert [result.data for result in results] == sorted(names)


def test_the_events_of_such_a_call_tell_the_tool_s_own_name() -> None:
    events: list[Event] = []
    with Ares(plugins=[cables(Cable("long", 64))]) as ares:
        ares.register(named("画图"))
        (sent,) = published(ares, "long")
        ares.on_event(events.append)
        assert ares.call_sync(f"functions.{sent}").data == "画图"
    assert {event.tool for event in events if event.kind == "started"} == {"画图"}
    (repaired,) = [event.data for event in events if event.kind == "repaired"]
    assert (repaired["before"], repaired["after"]) == (f"functions.{sent}", "画图")


def test_a_name_on_a_wire_reaches_no_tool_out_of_scope() -> None:
    with Ares(plugins=[cables(Cable("long", 64))]) as ares:
        ares.register(named("画图"))
        ares.register(named("list"))
        (sent,) = [name for name in published(ares, "long") if name != "list"]
        result = ares.bind(tools=["list"]).call_sync(sent)
        assert result.error
        assert result.error.code == "unknown_tool"


def test_a_name_on_a_wire_follows_the_tools_that_come_and_go() -> None:
    with Ares(plugins=[cables(Cable("long", 64))]) as ares:
        ares.register(named("画图"))
        (sent,) = published(ares, "long")
        assert ares.call_sync(sent).data == "画图"
        ares.unregister("画图")
        assert not ares.call_sync(sent).success
