"""The failure rule of each hook: who is asked, whose word holds, and what a broken plugin may break."""

from __future__ import annotations

import logging
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from ares_core import (
    Ares,
    Capability,
    Effects,
    Layer,
    Result,
    RuleSet,
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


def test_a_plugin_that_raises_while_it_is_asked_contributes_nothing_and_the_others_stand(
    ares: Ares, load: Load
) -> None:
    load("breaks_at_every_hook")
    load("adds")
    load("declares")
    assert ares.call_sync("add", {"a": 1}).data == 2
    assert ares.registry.capabilities("add") == ("Arithmetic", "Summation")
    row = ares.plugins.row("breaks-at-every-hook")
    assert row is not None
    assert row.state == "loaded"
    assert "register_tools() raised RuntimeError: no tools today" in row.notes
    assert "register_middleware() raised SystemExit: no layers today" in row.notes


@pytest.mark.parametrize(
    ("hook", "collect"),
    [
        ("register_tools", lambda hooks: list(hooks.tools())),
        ("declare_capabilities", lambda hooks: list(hooks.capabilities())),
        ("register_rule_sets", lambda hooks: list(hooks.rule_sets())),
        ("register_wire_formats", lambda hooks: list(hooks.wire_formats())),
        ("register_middleware", lambda hooks: hooks.middleware()),
    ],
)
def test_what_a_hook_gives_of_a_wrong_kind_is_left_out_with_a_note(
    hook: str, collect: Callable[[Any], list[Any]], ares: Ares, load: Load
) -> None:
    load("answers_nonsense")
    assert collect(ares.hooks) == []
    row = ares.plugins.row("answers-nonsense")
    assert row is not None
    assert any(note.startswith(f"{hook}(): ") and "is left out" in note for note in row.notes)


def test_what_stands_beside_something_of_a_wrong_kind_is_taken(ares: Ares) -> None:
    good = RuleSet("pirate", "en")
    ares.add(plugin("mixed", register_rule_sets=lambda: [42, good]))
    assert list(ares.hooks.rule_sets()) == [("mixed", good)]


def test_contributions_may_come_from_a_generator_that_breaks_half_way(ares: Ares) -> None:
    def register_tools() -> Any:
        yield Tool("ping", "Say pong.", {}, lambda arguments, context: "pong")
        raise RuntimeError("half-way")

    ares.add(plugin("half", register_tools=register_tools))
    assert ares.registry.list_tool_names() == []
    assert ares.plugins.rows()[0].notes == ("register_tools() raised RuntimeError: half-way",)


@pytest.mark.parametrize("answer", [Tool("ping", "", {}, print), 5, "ping", {"ping": print}], ids=type)
def test_anything_instead_of_a_list_is_a_note(answer: Any, ares: Ares) -> None:
    ares.add(plugin("one", register_tools=lambda: answer))
    (note,) = ares.plugins.rows()[0].notes
    assert note.startswith("register_tools() gave ")
    assert note.endswith("; give a list")


def test_capabilities_of_one_name_are_joined_and_differing_types_are_a_row_for_the_later(
    ares: Ares, load: Load
) -> None:
    load("declares")
    load("declares_more")
    joined = ares.hooks.capabilities()
    assert joined["Arithmetic"] == Capability("Arithmetic", ("maths", "sums"), ("Any",), ("Number",), (), ("double",))
    assert joined["Summation"].outputs == ("Number",)
    first, later = ares.plugins.row("declares"), ares.plugins.row("declares-more")
    assert first is not None
    assert later is not None
    assert first.notes == ()
    assert "'Summation'" in later.notes[0]


def test_hooks_limited_to_a_tool_are_not_asked_about_others(ares: Ares, load: Load) -> None:
    load("adds")
    load("formats_its_own")
    load("limited_to_add")
    added, doubled = ares.call_sync("add", {"a": 1}), ares.call_sync("double", {"a": 13})
    assert (added.text, added.metadata["seen"]) == ("the sum is 2", True)
    assert (doubled.text, "seen" in doubled.metadata) == ("twice is 26", False)
    unlucky = ares.call_sync("add", {"a": 13})
    assert unlucky.error is not None
    assert "13 is unlucky" in unlucky.error.message


def test_observers_see_every_result_also_of_refusals(ares: Ares, load: Load) -> None:
    load("adds")
    observer = load("observes")
    ares.call_sync("add", {"a": 1})
    ares.call_sync("add", {"a": "x"})
    load("denies")
    ares.call_sync("add", {"a": 1})
    ares.call_sync("nobody")
    codes = [result.error.code if result.error else "done" for result in observer.seen]
    assert codes == ["done", "invalid_arguments", "denied", "unknown_tool"]


def test_an_observer_changes_data_and_metadata_and_nothing_else(ares: Ares, load: Load) -> None:
    load("adds")
    load("overreaches")
    result = ares.call_sync("add", {"a": "x"})
    assert result.success is False
    assert result.error is not None
    assert "Not executed" in result.text
    assert ares.call_sync("add", {"a": 1}).data == "changed"
    assert ares.call_sync("add", {"a": 1}).text == "changed"


def test_each_observer_sees_what_the_one_before_left(ares: Ares, load: Load) -> None:
    load("adds")
    for name in "ba":
        ares.add(Observer(name))
    assert ares.call_sync("add", {"a": 1}).data == "2ab"


class Observer:
    """Hangs its name on the data."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    @hookimpl
    def post_tool_call(self, result: Result) -> Result:
        return replace(result, data=f"{result.data}{self.__name__}")


def test_what_breaks_after_the_run_is_logged_and_the_result_stands(
    ares: Ares, load: Load, caplog: pytest.LogCaptureFixture
) -> None:
    load("adds")
    load("breaks_at_every_call")
    with caplog.at_level(logging.ERROR, logger="ares"):
        result = ares.call_sync("add", {"a": 1})
    assert (result.success, result.data, result.text) == (True, 2, "2")
    for words in ("post_tool_call raised", "format_result raised", "on_event raised"):
        assert words in caplog.text


def test_an_answer_of_an_observer_or_formatter_that_is_none_is_ignored(ares: Ares, load: Load) -> None:
    load("adds")
    load("answers_nonsense")
    assert ares.call_sync("add", {"a": 1}).text == "2"


@pytest.mark.parametrize("data", [{1, 2}, object(), float("nan"), [b"\xff"]])
def test_data_that_an_observer_gives_is_made_plain_or_left(data: object, ares: Ares, load: Load) -> None:
    load("adds")
    ares.add(plugin("odd", post_tool_call=lambda result: replace(result, data=data)))
    result = ares.call_sync("add", {"a": 1})
    assert result.success
    assert result.data in ([1, 2], 2, None, ["1 byte of binary data, hex ff"])


def test_metadata_that_is_no_mapping_is_ignored(ares: Ares, load: Load) -> None:
    load("adds")
    ares.add(plugin("odd", post_tool_call=lambda result: replace(result, metadata=None)))
    assert ares.call_sync("add", {"a": 1}).metadata["attempts"] == 1


def test_a_formatter_without_tools_writes_only_its_own_plugins_results(ares: Ares, load: Load) -> None:
    load("adds")
    load("formats_its_own")
    assert ares.call_sync("double", {"a": 2}).text == "twice is 4"
    assert ares.call_sync("add", {"a": 2}).text == "3"


def test_the_tools_own_plugin_formats_before_others_that_name_it(ares: Ares, load: Load) -> None:
    load("formats_its_own")
    other = ModuleType("a-other")
    other.format_result = hookimpl(tools=("double",))(lambda result: "the other was asked")  # type: ignore[attr-defined]
    ares.add(other)
    assert ares.call_sync("double", {"a": 2}).text == "twice is 4"
    ares.remove("formats-its-own")
    ares.register(Tool("double", "", {}, lambda arguments, context: 4, effects=QUIET))
    assert ares.call_sync("double").text == "the other was asked"


def test_a_formatter_that_gives_nothing_or_breaks_passes_on_to_the_next(ares: Ares, load: Load) -> None:
    load("adds")
    load("breaks_at_every_call")
    for name, text in (("c", None), ("d", "the last one")):
        other = ModuleType(name)
        other.format_result = hookimpl(tools=("add",))(_constant(text))  # type: ignore[attr-defined]
        ares.add(other)
    assert ares.call_sync("add", {"a": 2}).text == "the last one"


def _constant(text: str | None) -> Callable[[Result], str | None]:
    def format_result(result: Result) -> str | None:
        return text

    return format_result


def test_a_listener_that_breaks_loses_no_event_for_the_others(ares: Ares, load: Load) -> None:
    load("adds")
    load("breaks_at_every_call")
    listener = load("listens")
    ares.call_sync("add", {"a": 1})
    assert [event.kind for event in listener.events][-1] == "finished"


def test_layers_of_all_plugins_are_one_onion(ares: Ares) -> None:
    for name, order in (("a", 5), ("b", -5), ("c", 5)):
        ares.add(plugin(name, register_middleware=_layer(name, order)))
    assert [layer.name for layer in ares.hooks.middleware()] == ["b", "a", "c"]


def _layer(name: str, order: int) -> Callable[[], list[Layer]]:
    async def run(call: ToolCall) -> None:
        """Nothing to say."""

    def register_middleware() -> list[Layer]:
        return [Layer(name, "tool_request", run, order=order)]

    return register_middleware
