"""A part of the tools: what an agent is given sees nothing else, on no path."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from ares_core import Ares, DuplicateTool, Effects, RegistrationError, Tool, ToolCall, ToolContext

Load = Callable[[str], ModuleType]
QUIET = Effects(read_only=True, open_world=False)


def named(name: str, **options: Any) -> Tool:
    return Tool(name, "", {}, lambda arguments, context: name, effects=QUIET, **options)


@pytest.fixture
def three(ares: Ares) -> Ares:
    """An Ares with three tools, two of them of one toolset."""
    ares.register(named("read_file", toolset="files"))
    ares.register(named("write_file", toolset="files"))
    ares.register(named("calculator"))
    return ares


def test_a_part_has_the_tools_that_were_named(three: Ares) -> None:
    part = three.bind(tools=["calculator"])
    assert list(part.tools()) == ["calculator"]
    assert part.call_sync("calculator").data == "calculator"


def test_a_tool_out_of_scope_is_unknown_without_a_word_about_it(three: Ares) -> None:
    result = three.bind(tools=["calculator", "write_file"]).call_sync("read_file")
    assert result.error is not None
    assert result.error.code == "unknown_tool"
    assert "read_file" not in result.text.replace("There is no tool 'read_file'", "")
    assert result.error.suggestions == ("write_file",)


@pytest.mark.parametrize("spelling", ["READ_FILE", "read-file", "functions.read_file", "ReadFile"])
def test_no_spelling_reaches_beyond_the_scope(spelling: str, three: Ares) -> None:
    assert three.bind(tools=["calculator"]).call_sync(spelling).success is False


def test_a_toolset_is_a_part(three: Ares) -> None:
    part = three.bind(toolset="files")
    assert list(part.tools()) == ["read_file", "write_file"]
    assert list(three.bind(tools=["read_file", "calculator"], toolset="files").tools()) == ["read_file"]


def test_all_ways_to_call_stay_in_scope(three: Ares) -> None:
    part = three.bind(tools=["calculator"])
    many = part.call_many_sync([ToolCall("calculator"), ToolCall("read_file")])
    assert [result.success for result in many] == [True, False]
    assert asyncio.run(_awaited(part.call("read_file"))).success is False


async def _awaited(work: Any) -> Any:
    return await work


def test_a_child_stays_in_the_scope_of_its_parent_however_it_is_called(three: Ares) -> None:
    async def relay(name: str, context: ToolContext) -> list[Any]:
        """Call it in two ways."""
        return [(await context.call_tool(name)).success, (await three.call(name)).success]

    def relay_in_thread(name: str) -> bool:
        """Call it from a thread."""
        return three.call_sync(name).success

    three.register(relay)
    three.register(relay_in_thread)
    part = three.bind(tools=["relay", "relay_in_thread", "calculator"])
    for name, reachable in (("calculator", True), ("read_file", False)):
        assert part.call_sync("relay", {"name": name}).data == [reachable, reachable]
        assert part.call_sync("relay_in_thread", {"name": name}).data is reachable


def test_a_part_of_a_part_can_only_be_smaller(three: Ares) -> None:
    part = three.bind(tools=["calculator", "read_file"])
    assert list(part.bind(toolset="files").tools()) == ["read_file"]
    with pytest.raises(RegistrationError, match="no tool 'write_file' to bind"):
        part.bind(tools=["write_file"])


def test_a_name_to_bind_that_is_none_is_an_error_with_the_nearest(three: Ares) -> None:
    with pytest.raises(RegistrationError, match=r"no tool 'calculater' to bind; did you mean 'calculator'\?"):
        three.bind(tools=["calculater"])


def test_no_tools_are_no_tools(three: Ares) -> None:
    part = three.bind(tools=[])
    assert part.tools() == {}
    assert "No tools are available." in part.call_sync("calculator").text


def test_tools_that_are_handed_over_are_private_and_win(three: Ares) -> None:
    def calculator() -> str:
        """Answer in the place of another."""
        return "private"

    part = three.bind(tools=[calculator, "read_file"])
    assert part.call_sync("calculator").data == "private"
    assert three.call_sync("calculator").data == "calculator"
    assert list(part.tools()) == ["calculator", "read_file"]


def test_two_private_tools_of_one_name_are_refused(three: Ares) -> None:
    with pytest.raises(DuplicateTool, match="'mine'"):
        three.bind(tools=[named("mine"), named("mine")])


def test_a_bad_private_tool_is_refused(three: Ares) -> None:
    with pytest.raises(RegistrationError, match="'bad'"):
        three.bind(tools=[Tool("bad", "", {"type": "nonsense"}, print)])


def test_private_tools_are_guarded_by_plugins_that_come_later(three: Ares, load: Load) -> None:
    part = three.bind(tools=[named("mine")])
    assert part.call_sync("mine").success
    load("denies")
    denied = part.call_sync("mine")
    assert denied.error is not None
    assert denied.error.code == "denied"
    three.remove("denies")
    assert part.call_sync("mine").success


def test_tools_that_come_and_go_come_and_go_in_the_part_too(three: Ares) -> None:
    part = three.bind(toolset="files")
    three.register(named("move_file", toolset="files"))
    three.unregister("read_file")
    assert list(part.tools()) == ["move_file", "write_file"]


def test_a_session_of_the_part_holds_for_calls_that_name_none(three: Ares) -> None:
    async def where(context: ToolContext) -> str | None:
        """Tell the session."""
        return context.session

    three.register(where)
    part = three.bind(session="s")
    assert part.call_sync("where").data == "s"
    assert part.call_sync("where", session="t").data == "t"
    assert part.bind(tools=["where"]).call_sync("where").data == "s"
    assert [result.data for result in part.call_many_sync([ToolCall("where")])] == ["s"]


def test_aliases_hold_in_the_part(three: Ares) -> None:
    three.register(named("add", aliases=("plus",)))
    assert three.bind(tools=["add"]).call_sync("plus").data == "add"
    assert three.bind(tools=["calculator"]).call_sync("plus").success is False
