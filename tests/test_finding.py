"""A plugin may stand in for tools too many to be shown; what is called through it is the call that is meant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ares_core import Ares, Effects, Tool, ToolCall, ToolContext, hookimpl

READS = Effects(read_only=True, destructive=False, open_world=False)


class Finds:
    """Finds tools by a part of their name, where there are more than two."""

    def __init__(self) -> None:
        schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
        self.tools = (
            Tool("look", "Look for tools.", schema, self.look, effects=READS),
            Tool("go", "Call one.", schema, _no),
        )

    @hookimpl
    def register_tools(self, host: Any) -> list[Tool]:
        host.add_finder(self)
        return []

    def shown(self, tools: Mapping[str, Tool], context: int | None) -> list[str] | None:
        return ["always"] if len(tools) > 2 else None

    def meant(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, Any] | None:
        return (arguments["name"], arguments.get("given")) if name == "go" and "name" in arguments else None

    async def look(self, arguments: Mapping[str, Any], context: ToolContext) -> list[str]:
        return [name for name in context.tools if arguments["name"] in name]


def _no(arguments: Any, context: Any) -> None:
    raise AssertionError("what it holds is called in its place")


@pytest.fixture
def found(ares: Ares) -> Ares:
    ares.add(Finds())
    for name in ("one", "two", "three"):
        ares.register(Tool(name, "Count.", {}, lambda arguments, context: dict(arguments), effects=READS))
    return ares


def test_a_call_through_the_finder_is_the_call_that_it_holds(found: Ares) -> None:
    result = found.call_sync(ToolCall("go", {"name": "two", "given": {"a": 1}}, id="c"))
    assert result.data == {"a": 1}
    assert result.call is not None
    assert (result.call.name, result.call.id, result.metadata["through"]) == ("two", "c", "go")


def test_the_finder_s_tools_are_in_no_list_and_not_planned_with(found: Ares) -> None:
    assert found.registry.list_tool_names() == ["one", "three", "two"]
    assert not {"look", "go"} & found.tools().keys()
    assert not {"look", "go"} & {candidate.tool for candidate in found.plan("look for tools").candidates}


def test_a_tool_knows_what_its_caller_can_reach(found: Ares) -> None:
    assert found.call_sync("look", {"name": "t"}).data == ["three", "two"]
    part = found.bind(tools=["t*", Tool("tame", "Be private.", {}, print)])
    assert part.call_sync("look", {"name": "t"}).data == ["tame", "three", "two"]


def test_a_part_that_can_be_shown_has_no_finder(found: Ares) -> None:
    part = found.bind(tools=["one"])
    assert "There is no tool 'look'" in part.call_sync("look", {"name": "t"}).text
    assert "There is no tool 'two'" in part.call_sync("go", {"name": "two"}).text
    assert part.call_sync("go", {"name": "one"}).success


def test_a_call_that_holds_none_is_refused_as_it_is(found: Ares) -> None:
    result = found.call_sync("go", {"given": {}})
    assert result.error is not None
    assert result.error.code == "invalid_arguments"
    assert result.error.issues[0].pointer == "/name"


def test_a_finder_that_is_taken_out_leaves_nothing(found: Ares) -> None:
    found.remove("Finds")
    for name in ("look", "go"):
        assert f"There is no tool '{name}'" in found.call_sync(name, {"name": "one"}).text


def test_a_call_is_planned_for_by_what_is_meant(found: Ares) -> None:
    result = found.call_sync("go", {"name": "four"}, request="count four")
    assert "There is no tool 'four'" in result.text
