"""Plugins that are made badly in ways that nobody expects: each loses what is its own, and the rest stands."""

from __future__ import annotations

import functools
import itertools
from asyncio import CancelledError
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from ares_core import Ares, Deny, Extraction, Rule, RuleSet, Tool, ToolCall, hookimpl

PONG = Tool("ping", "Say pong.", {}, lambda arguments, context: "pong")
ADD = Tool(
    "add", "Add.", {"type": "object", "properties": {"a": {"type": "integer"}}}, lambda arguments, _: arguments["a"] + 1
)


class Odd(BaseException):
    """What nobody catches."""


class Unspeakable(Exception):
    """An exception that can't even be written."""

    def __str__(self) -> str:
        raise ValueError("no words")

    __repr__ = __str__


class StandIn:
    """A stand-in for something that isn't there yet, as web frameworks have."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("working outside of a request")


def plugin(name: str, **hooks: Callable[..., Any]) -> ModuleType:
    module = ModuleType(name)
    for hook, function in hooks.items():
        function.__name__ = hook
        setattr(module, hook, hookimpl(function))
    return module


def raising(error: BaseException) -> Callable[..., Any]:
    def function() -> Any:
        raise error

    return function


def row(ares: Ares) -> Any:
    (only,) = ares.plugins.rows()
    return only


def test_an_attribute_that_raises_keeps_no_plugin_from_loading(ares: Ares) -> None:
    module = plugin("web", register_tools=lambda: [PONG])
    vars(module)["request"] = StandIn()
    ares.add(module)
    assert (row(ares).state, ares.registry.list_tool_names()) == ("loaded", ["ping"])


def test_a_hook_that_is_no_function_is_refused_and_not_passed_over(ares: Ares) -> None:
    module = ModuleType("partly")
    vars(module)["pre_tool_call"] = hookimpl(functools.partial(lambda reason, call: Deny(reason), "no"))
    ares.add(module)
    assert row(ares).state == "failed"
    assert "pre_tool_call is a partial, which is never asked" in row(ares).reason


def test_a_class_is_refused_with_what_to_give_instead(ares: Ares) -> None:
    class Guard:
        @hookimpl
        def pre_tool_call(self, call: ToolCall) -> Deny:
            return Deny("no")

    ares.add(Guard)
    assert row(ares).reason == "Guard is a class, and its hooks need an object of it: give Guard()"


@pytest.mark.parametrize("error", [CancelledError(), Odd("boo"), GeneratorExit(), Unspeakable()], ids=type)
def test_whatever_a_hook_raises_it_contributes_nothing_and_the_others_stand(error: BaseException, ares: Ares) -> None:
    ares.add(plugin("breaks", register_tools=raising(error)))
    ares.register(PONG)
    assert ares.call_sync("ping", {}).data == "pong"
    assert row(ares).notes[0].startswith(f"register_tools() raised {type(error).__name__}")


@pytest.mark.parametrize("error", [CancelledError(), Odd("boo"), GeneratorExit(), Unspeakable()], ids=type)
def test_whatever_a_guard_raises_it_has_denied_the_call(error: BaseException, ares: Ares) -> None:
    ares.add(plugin("breaks", pre_tool_call=raising(error)))
    ares.register(PONG)
    refused = ares.call_sync("ping", {}).error
    assert refused is not None
    assert refused.code == "denied"
    assert f"'breaks' raised {type(error).__name__}" in refused.message


@pytest.mark.parametrize("hook", ["post_tool_call", "format_result", "on_event"])
@pytest.mark.parametrize("error", [CancelledError(), Odd("boo")], ids=type)
def test_whatever_is_raised_after_the_run_the_result_stands(hook: str, error: BaseException, ares: Ares) -> None:
    ares.add(plugin("breaks", register_tools=lambda: [PONG], **{hook: raising(error)}))
    assert ares.call_sync("ping", {}).data == "pong"


def test_what_has_no_end_is_not_waited_for(ares: Ares) -> None:
    ares.add(plugin("endless", register_tools=lambda: itertools.repeat(5)))
    assert ares.registry.list_tool_names() == []
    assert row(ares).notes == ("register_tools() gives more than 100,000, so none is taken; does it end?",)


def test_a_tool_that_cannot_even_be_shown_loses_only_itself(ares: Ares) -> None:
    ares.add(plugin("odd", register_tools=lambda: [Unspeakable(), PONG]))
    assert ares.registry.list_tool_names() == ["ping"]
    assert row(ares).notes[0].startswith("register_tools(): a Unspeakable that can't be shown is left out")


@pytest.mark.parametrize("hook", ["open_files", "open_network"])
def test_a_provider_of_the_wrong_kind_is_none(hook: str, ares: Ares) -> None:
    ares.add(plugin("provides", **{hook: lambda: 5}))
    assert getattr(ares.hooks, hook.removeprefix("open_"))(None) is None
    assert row(ares).notes[0].startswith(f"{hook}() gave 5, which has no ")


NUMBER: Any = 5
TEXT: Any = "abc {a}"
WRONG_RULES = [
    RuleSet("x", "en", NUMBER),
    RuleSet("x", "en", (NUMBER,)),
    RuleSet(NUMBER, "en"),
    RuleSet("x", "en", (Rule("r", TEXT),)),
]


@pytest.mark.parametrize("rule_set", WRONG_RULES, ids=range(4))
def test_a_rule_set_of_the_wrong_kind_is_left_out_with_a_note(rule_set: RuleSet, ares: Ares) -> None:
    ares.add(plugin("rules", register_rule_sets=lambda: [rule_set]))
    assert list(ares.hooks.rule_sets()) == []
    assert "is left out" in row(ares).notes[0]


def _fails(text: str, start: int) -> Any:
    raise RuntimeError("no")


def _never_ends(text: str, start: int) -> Any:
    return itertools.repeat(Extraction("x", start, start + 1))


@pytest.mark.parametrize("extractor", [_fails, _never_ends])
def test_an_extractor_that_fails_or_has_no_end_harms_no_request(extractor: Any, ares: Ares) -> None:
    rules = (Rule("double", ("double {a}",), ("Adding",), expression="2*{a}"), Rule("mark", ("double {m:mark} twice",)))
    ares.add(plugin("rules", register_rule_sets=lambda: [RuleSet("x", "en", rules, {"mark": extractor})]))
    ares.register(
        Tool("calc", "", {"properties": {"expression": {}}}, lambda given, _: given["expression"], ("Adding",))
    )
    assert [step.arguments for step in ares.plan("double 4").steps] == [{"expression": "2*4"}]


def test_an_error_at_import_that_cannot_be_written_is_a_row(site: Any) -> None:
    site.install("odd", "class E(Exception):\n    def __str__(self): raise ValueError\nraise E")
    with Ares(config={"plugins": {"only": ["odd"]}}) as ares:
        ares.registry.list_tool_names()
        (reason,) = [each.reason for each in ares.plugins.rows() if each.name == "odd"]
    assert str(reason).startswith("can't import odd: E; ")


def test_a_plugin_for_another_version_of_the_core_is_told_apart(site: Any) -> None:
    site.install("new", "from ares_core import NotThereYet")
    with Ares(config={"plugins": {"only": ["new"]}}) as ares:
        ares.registry.list_tool_names()
        (reason,) = [each.reason for each in ares.plugins.rows() if each.name == "new"]
    assert "it is made for another ares-core: pip install -U ares-core ares-plugin-new" in str(reason)


def test_two_names_for_one_module_are_told_and_the_first_works(site: Any) -> None:
    site.install("adds")
    site.distribution("again", "[ares.plugins]\nmore = adds\n")
    with Ares(config={"plugins": {"only": ["adds", "more"]}}) as ares:
        assert ares.call_sync("add", {"a": 1}).data == 2
        reasons = {each.name: each.reason for each in ares.plugins.rows()}
    assert reasons["more"] == "it is loaded already, as the plugin 'adds'"
