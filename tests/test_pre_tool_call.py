"""``pre_tool_call``: deny beats ask beats allow, rewriting goes round again, and a broken guard opens no door."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from ares_core import (
    Approval,
    Ares,
    Ask,
    Deny,
    Effects,
    Tool,
    ToolCall,
    hookimpl,
    replace,
)

Load = Callable[[str], ModuleType]


QUIET = Effects(read_only=True, open_world=False)


def plugin(name: str, **hooks: Callable[..., Any]) -> ModuleType:
    module = ModuleType(name)
    for hook, function in hooks.items():
        setattr(module, hook, hookimpl(function))
    return module


@pytest.mark.parametrize("guard", ["has_a_broken_guard", "has_an_exiting_guard", "denies", "takes_nothing"])
def test_a_guard_that_denies_or_breaks_stops_the_call_before_it_runs(guard: str, ares: Ares, load: Load) -> None:
    ran: list[object] = []
    ares.register(Tool("ping", "Say pong.", {}, lambda arguments, context: ran.append(1)))
    load(guard)
    result = ares.call_sync("ping")
    assert result.error is not None
    assert result.error.code == "denied"
    assert "Not executed" in result.text
    assert ran == []


@pytest.mark.parametrize("guard", ["has_a_broken_guard", "has_an_exiting_guard", "answers_nonsense"])
def test_a_call_is_denied_in_the_name_of_the_broken_guard(guard: str, ares: Ares, load: Load) -> None:
    ares.register(Tool("double", "Double.", {}, lambda arguments, context: None))
    load(guard)
    result = ares.call_sync("double")
    assert result.error is not None
    assert f"the guard of plugin {guard.replace('_', '-')!r}" in result.error.message


@pytest.mark.parametrize(
    ("answers", "code"),
    [
        ((None, None), None),
        ((Ask("a"), None), "approval_required"),
        ((None, Ask("z")), "approval_required"),
        ((Ask("a"), Deny("z")), "denied"),
        ((Deny("a"), Ask("z")), "denied"),
    ],
)
def test_the_strictest_answer_of_all_holds(answers: tuple[Any, Any], code: str | None, ares: Ares, load: Load) -> None:
    load("adds")
    for name, answer in zip("az", answers, strict=True):
        ares.add(Guard(name, answer))
    result = ares.call_sync("add", {"a": 1})
    assert (result.error.code if result.error else None) == code


class Guard:
    """A guard with one fixed answer."""

    def __init__(self, name: str, answer: Any) -> None:
        self.__name__ = name
        self.answer = answer

    @hookimpl
    def pre_tool_call(self, call: ToolCall) -> Any:
        return self.answer


def test_a_rewritten_call_goes_to_every_guard_again(ares: Ares, load: Load) -> None:
    load("adds")
    caps = load("caps")
    first: list[Any] = []
    ares.add(plugin("a-first", pre_tool_call=lambda call: first.append(call.arguments["a"])))
    result = ares.call_sync("add", {"a": 50})
    assert result.data == 11
    assert result.call is not None
    assert result.call.arguments == {"a": 10, "b": 1}
    assert caps.asked == [50, 10]
    assert first == [50, 10]


def test_a_guard_may_deny_what_another_rewrote(ares: Ares, load: Load) -> None:
    load("adds")
    load("caps")
    ares.add(plugin("a", pre_tool_call=lambda call: Deny("ten is taboo") if call.arguments["a"] == 10 else None))
    result = ares.call_sync("add", {"a": 50})
    assert result.error is not None
    assert "ten is taboo" in result.error.message


def test_a_rewritten_call_goes_back_to_the_schema(ares: Ares, load: Load) -> None:
    load("adds")
    ares.add(plugin("texts", pre_tool_call=lambda call: replace(call, arguments={"a": "5"})))
    result = ares.call_sync("add", {"a": 1, "b": 7})
    assert result.data == 6
    assert {(edit.pointer, edit.after) for edit in result.edits} == {("/a", 5), ("/b", 1)}
    ares.add(plugin("breaks", pre_tool_call=lambda call: replace(call, arguments={"a": "no number"})))
    refused = ares.call_sync("add", {"a": 1})
    assert refused.error is not None
    assert refused.error.code == "invalid_arguments"
    assert "Not executed" in refused.text


def test_guards_that_never_settle_have_denied_after_three_rounds(ares: Ares, load: Load) -> None:
    load("adds")
    load("never_settles")
    result = ares.call_sync("add", {"a": 1})
    assert result.error is not None
    assert result.error.code == "denied"
    assert "after 3 rounds" in result.error.message


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_guards_may_settle_within_three_rounds(rounds: int, ares: Ares, load: Load) -> None:
    load("adds")

    def pre_tool_call(call: ToolCall) -> ToolCall | None:
        assert isinstance(call.arguments, dict)
        a = call.arguments["a"]
        return replace(call, arguments={"a": a + 1}) if a < rounds - 1 else None

    ares.add(plugin("climbs", pre_tool_call=pre_tool_call))
    assert ares.call_sync("add", {"a": 0}).data == rounds


def test_arguments_that_a_guard_changed_in_place_never_run(ares: Ares, load: Load) -> None:
    load("adds")
    load("changes_in_place")
    result = ares.call_sync("add", {"a": 1})
    assert result.error is not None
    assert result.error.code == "denied"
    assert "in place" in result.error.message


def test_a_guard_can_not_turn_a_call_into_one_of_another_tool(ares: Ares, load: Load) -> None:
    load("adds")
    ares.add(plugin("redirects", pre_tool_call=lambda call: replace(call, name="rm")))
    result = ares.call_sync("add", {"a": 1})
    assert result.error is not None
    assert result.error.code == "denied"
    assert "'rm'" in result.error.message


def test_a_guard_sees_effects_session_and_whole_arguments(ares: Ares, load: Load) -> None:
    looks = load("looks")

    def save(path: str, text: str = "") -> None:
        """Save."""

    ares.register(Tool.from_function(save, effects=Effects(resources=("file:{path}",))))
    ares.call_sync("save", {"path": "a.txt"}, session="s")
    (call,) = looks.calls
    assert (call.arguments, call.session) == ({"path": "a.txt", "text": ""}, "s")
    assert call.effects is not None
    assert call.effects.resources == ("file:a.txt",)


def test_what_a_caller_claims_of_effects_and_session_is_ignored(ares: Ares, load: Load) -> None:
    load("adds")
    looks = load("looks")
    ares.call_sync(ToolCall("add", {"a": 1}, effects=Effects(destructive=True), session="stolen", parent="x"))
    assert looks.calls[0].effects == QUIET
    assert (looks.calls[0].session, looks.calls[0].parent) == (None, None)


def test_an_approver_decides_about_an_ask(sample: Load) -> None:
    asked: list[Approval] = []

    def approver(request: Approval) -> bool:
        asked.append(request)
        return True

    with Ares(plugins=[sample("adds"), sample("asks")], approver=approver) as ares:
        assert ares.call_sync("add", {"a": 1}).data == 2
    assert [request.reason for request in asked] == ["add costs money"]


@pytest.mark.parametrize(
    ("effects", "denied"),
    [
        (Effects(resources=("file:{path}",)), True),
        (Effects(resources=("host:{path}", "file:{path}")), True),
        (Effects(resources=("{path}",)), True),
        (Effects(resources=("fi{path}",)), True),
        (Effects(resources=("host:{path}",)), False),
        (Effects(), False),
        (lambda arguments: Effects(resources=("file:x",)), True),
    ],
    ids=["file", "both", "all", "some", "host", "none", "by the arguments"],
)
def test_a_guard_limited_to_resources_is_asked_where_they_may_be_touched(
    effects: Any, denied: bool, ares: Ares
) -> None:
    class Guards:
        @hookimpl(resources=("file:",))
        def pre_tool_call(self, call: ToolCall) -> Deny:
            return Deny("no files today")

    ares.add(Guards())
    ares.register(Tool("touch", "", {}, lambda arguments, context: None, effects=effects))
    result = ares.call_sync("touch", {"path": "x"})
    assert (result.error.code if result.error else None) == ("denied" if denied else None)


def test_a_guard_may_take_its_host(ares: Ares, load: Load) -> None:
    class Guards:
        @hookimpl
        def pre_tool_call(self, host: Any, call: ToolCall) -> Deny:
            return Deny(f"{host.name} says no to {call.name}")

    load("adds")
    ares.add(Guards())
    assert "Guards says no to add" in ares.call_sync("add", {"a": 1}).text
