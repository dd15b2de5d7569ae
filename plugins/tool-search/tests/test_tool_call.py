"""A call through ``tool_call`` is the call of the tool that is meant, to everybody."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from ares_core import Approval, Ares, Deny, Effects, Tool, ToolCall, hookimpl

Make = Callable[..., Ares]
READS = Effects(read_only=True, destructive=False, open_world=False)
NAME = "probe"
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


def with_probe(ares: Ares, **options: Any) -> Ares:
    ares.register(Tool(NAME, "Try something.", SCHEMA, lambda arguments, context: arguments["a"] + 1, **options))
    return ares


def through(arguments: Any, name: str = NAME, **more: Any) -> ToolCall:
    return ToolCall("tool_call", {"name": name, "arguments": arguments}, **more)


def test_the_result_is_that_of_the_tool_under_the_id_of_the_call(make: Make) -> None:
    result = with_probe(make()).call_sync(through({"a": 1}, id="c7"))
    assert result.data == 2
    assert result.call is not None
    assert (result.call.name, result.call.arguments, result.call.id) == (NAME, {"a": 1}, "c7")
    assert result.metadata["through"] == "tool_call"


class Watch:
    """Keeps the names that hooks and listeners see; denies what it was told to."""

    def __init__(self, deny: str = "") -> None:
        self.before: list[str] = []
        self.after: list[str] = []
        self.events: list[str] = []
        self.deny = deny

    @hookimpl
    def pre_tool_call(self, call: ToolCall) -> Deny | None:
        self.before.append(call.name)
        return Deny("not this one") if call.name == self.deny else None

    @hookimpl
    def post_tool_call(self, result: Any) -> None:
        self.after.append(result.call.name)

    @hookimpl
    def on_event(self, event: Any) -> None:
        self.events.append(event.tool)


def test_hooks_and_listeners_see_the_real_tool(make: Make) -> None:
    watch = Watch()
    with_probe(make(plugins=[watch])).call_sync(through({"a": 1}))
    assert watch.before == watch.after == [NAME]
    assert set(watch.events) == {NAME}


def test_a_policy_against_a_tool_holds_for_it(make: Make) -> None:
    result = with_probe(make(plugins=[Watch(deny=NAME)])).call_sync(through({"a": 1}))
    assert result.error is not None
    assert result.error.code == "denied"


def test_the_rate_of_the_real_tool_holds_for_both_ways(make: Make) -> None:
    ares = with_probe(make())
    assert ares.call_sync(through({"a": 1})).success
    for call in (through({"a": 2}), ToolCall(NAME, {"a": 2})):
        late = ares.call_sync(call, timeout=5)
        assert late.error is not None
        assert late.error.code == "rate_limited"


def test_an_approval_is_bound_to_the_real_tool_and_its_arguments(make: Make) -> None:
    asked: list[Approval] = []

    def approver(request: Approval) -> bool:
        asked.append(request)
        return True

    ares = make(approver=approver)
    ares.register(Tool("erase", "Erase it.", SCHEMA, lambda arguments, context: "gone", requires_approval=True))
    assert ares.call_sync(through({"a": "1"}, "erase")).success
    assert ares.call_sync("erase", {"a": 1}).success
    assert [(one.call.name, one.call.arguments) for one in asked] == [("erase", {"a": 1})] * 2
    assert asked[0].fingerprint == asked[1].fingerprint


def test_without_an_approver_it_does_not_run(make: Make) -> None:
    ares = make()
    ares.register(Tool("erase", "Erase it.", {}, lambda arguments, context: "gone", requires_approval=True))
    result = ares.call_sync(through({}, "erase"))
    assert result.error is not None
    assert result.error.code == "approval_required"


def test_evidence_is_the_real_tool_s(make: Make) -> None:
    ares = with_probe(make())
    ares.call_sync(through({"a": 1}))
    assert ares.evidence.read(NAME).n > 0
    assert ares.evidence.read("tool_call").n == 0


def test_a_loop_is_seen_through_both_ways(make: Make) -> None:
    ares = make()
    ares.register(Tool("same", "Say the same.", {}, lambda arguments, context: "same", effects=READS))
    calls = [through({}, "same"), ToolCall("same"), through({}, "same"), ToolCall("same")]
    codes = [result.error.code if (result := ares.call_sync(call, session="s")).error else "" for call in calls]
    assert codes == ["", "", "", "loop_detected"]


def test_arguments_are_checked_by_the_real_schema(make: Make) -> None:
    result = with_probe(make()).call_sync(through({"b": 1}))
    assert result.error is not None
    assert result.error.code == "invalid_arguments"
    assert [issue.pointer for issue in result.error.issues] == ["/a"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"name": NAME, "arguments": {"a": "1"}},
        {"name": NAME, "arguments": '{"a": 1}'},
        {"name": NAME, "a": 1},
        '{"name": "probe", "arguments": {"a": 1}}',
        "{'name': 'probe', 'arguments': {'a': 1,}}",
        json.dumps(json.dumps({"name": NAME, "arguments": json.dumps({"a": 1})})),
        {"name": "functions.Probe", "arguments": {"a": 1}},
        {"name": "tool_call", "arguments": {"name": NAME, "arguments": {"a": 1}}},
    ],
)
def test_however_it_is_wrapped_it_arrives(make: Make, arguments: Any) -> None:
    assert with_probe(make()).call_sync("tool_call", arguments).data == 2


@pytest.mark.parametrize("name", ["tool_call", "toolCall", "Tool-Call", "functions.tool_call"])
def test_the_name_of_the_way_itself_may_be_written_otherwise(make: Make, name: str) -> None:
    assert with_probe(make()).call_sync(name, {"name": NAME, "arguments": {"a": 1}}).data == 2


def test_repairs_of_both_layers_are_on_record(make: Make) -> None:
    result = with_probe(make()).call_sync("tool_call", "{'name': 'probe', 'arguments': {'a': '1'}}")
    rules = [edit.rule for edit in result.edits]
    assert "single quotes" in rules
    assert result.edits[-1].pointer == "/a"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"arguments": {"a": 1}}, "invalid_arguments"),
        ({"name": [NAME, NAME], "arguments": {}}, "invalid_arguments"),
        ({"name": NAME, "arguments": [1]}, "invalid_arguments"),
        ({"name": NAME, "arguments": {"a": 1}, "more": 2}, "invalid_arguments"),
        ('{"name": "probe", "arguments": {"a": 1', "truncated_arguments"),
        ("rather not", "malformed_arguments"),
        ({"name": "nowhere", "arguments": {}}, "unknown_tool"),
        ({"name": "   "}, "tool_error"),
    ],
)
def test_what_names_no_call_is_refused(make: Make, arguments: Any, code: str) -> None:
    result = with_probe(make()).call_sync("tool_call", arguments)
    assert result.error is not None
    assert result.error.code == code


def test_wrapped_without_end_it_is_refused(make: Make) -> None:
    arguments: dict[str, Any] = {"name": NAME, "arguments": {"a": 1}}
    for _ in range(50):
        arguments = {"name": "tool_call", "arguments": arguments}
    result = with_probe(make()).call_sync("tool_call", arguments)
    assert not result.success
    assert "the name of another tool" in result.text


def test_a_hidden_tool_is_called_by_its_own_name_without_a_detour(make: Make) -> None:
    assert make(1000).call_sync("get_weather_0", {"days": 3}).data == {"days": 3}


def test_a_tool_of_the_program_with_that_name_is_the_program_s(make: Make) -> None:
    ares = with_probe(make())
    ares.register(Tool("tool_call", "Ring somebody up.", {}, lambda arguments, context: "ringing"))
    assert ares.call_sync(through({"a": 1})).data == "ringing"


def test_the_calls_of_a_turn_are_arranged_by_what_they_do(make: Make) -> None:
    running: list[int] = []
    most: dict[str, int] = {}

    def doing(name: str, effects: Effects) -> Tool:
        async def execute(arguments: Any, context: Any) -> None:
            running.append(1)
            most[name] = max(most.get(name, 0), len(running))
            for _ in range(6_000):
                if name == "writes" or most[name] == 3:
                    break
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.02)
            running.pop()

        return Tool(name, "Do it.", {}, execute, effects=effects)

    ares = make()
    for tool in (doing("reads", READS), doing("writes", Effects())):
        ares.register(tool)
    for name in ("reads", "writes"):
        results = ares.call_many_sync([through({"n": number}, name, id=f"{name}{number}") for number in range(3)])
        assert [result.call.id for result in results if result.call] == [f"{name}{number}" for number in range(3)]
    assert most == {"reads": 3, "writes": 1}


def test_inside_a_tool_it_is_the_same(make: Make) -> None:
    ares = with_probe(make())

    async def outer(arguments: Any, context: Any) -> Any:
        return (await context.call_tool("tool_call", {"name": NAME, "arguments": {"a": 4}})).data

    ares.register(Tool("outer", "Call another.", {}, outer))
    assert ares.call_sync("outer").data == 5


def test_a_request_in_words_beside_it_changes_nothing(make: Make) -> None:
    assert with_probe(make()).call_sync(through({"a": 1}), request="please probe it").data == 2
    result = with_probe(make()).call_sync("tool_search", {"query": "try"}, request="try something")
    assert [tool["name"] for tool in result.data["tools"]] == [NAME]
