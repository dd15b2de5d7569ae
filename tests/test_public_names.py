"""The public names, word for word: what programs and plugins outside this tree rely on."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

import ares_core
from ares_core import hookspecs
from ares_core.plugins import HOOKS

CONTRACT = (
    "Ares Tool ToolFunc tool Effects Capability ToolCall Result ToolError ToolContext Deny Ask hookimpl decode "
    "Failure Issue ArgumentEdit Turn Registry Planner ExecutionPlan Bridge EvidenceStore"
).split()
SPOKEN_OF_BY_HOOKS = "RuleSet WireFormat FileAccess Network Event EventStore Layer Host StoreKind Approval".split()


def parameters(function: Any) -> dict[str, Any]:
    return {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if name != "self" and parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
    }


@pytest.mark.parametrize("name", [*CONTRACT, *SPOKEN_OF_BY_HOOKS])
def test_a_name_of_the_contract_is_at_the_top(name: str) -> None:
    assert hasattr(ares_core, name)
    assert name in ares_core.__all__


@pytest.mark.parametrize("hook", HOOKS)
def test_every_type_in_the_signature_of_a_hook_is_at_the_top(hook: str) -> None:
    signature = str(inspect.signature(getattr(hookspecs, hook)))
    types = set(re.findall(r"\b[A-Z]\w+", signature)) - {"None", "Any", "Iterable"}
    assert [name for name in types if name not in ares_core.__all__] == []


def test_all_is_sorted_and_every_name_exists() -> None:
    names = list(ares_core.__all__)
    assert names == sorted(names)
    assert [name for name in names if not hasattr(ares_core, name)] == []


def test_a_name_that_is_none_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Arez'"):
        _ = ares_core.Arez


FIELDS: dict[str, str] = {
    "ToolCall": "name arguments id key timeout turn",
    "Effects": "read_only destructive idempotent open_world interactive resources",
    "Tool": "name description parameters execute capabilities aliases toolset effects timeout requires_approval "
    "examples output_schema undo cost latency_ms deterministic composable",
    "Result": "success data error text call edits steps metadata",
    "Failure": "code message issues retriable suggestions",
    "Issue": "pointer keyword expected got hint",
    "ArgumentEdit": "pointer before after rule",
    "Capability": "name aliases inputs outputs implies tools",
    "Turn": "text outcome wire native",
}


@pytest.mark.parametrize("name", FIELDS)
def test_a_value_has_the_fields_of_the_contract_and_is_frozen(name: str) -> None:
    struct: Any = getattr(ares_core, name)
    assert set(FIELDS[name].split()) <= set(struct.__struct_fields__)
    assert struct.__struct_config__.frozen


def test_defaults_are_those_of_the_contract() -> None:
    tool = ares_core.Tool("t", "", {}, print)
    assert (tool.cost, tool.latency_ms, tool.deterministic, tool.composable) == (5, 100, False, True)
    assert tool.effects == ares_core.Effects(False, True, False, True, False, ())
    assert ares_core.ToolCall("t") == ares_core.ToolCall("t", {}, None, None, None, None)


SIGNATURES: dict[str, dict[str, Any]] = {
    "call": {"request": None, "session": None, "timeout": None},
    "call_sync": {"request": None, "session": None, "timeout": None},
    "call_many": {"session": None},
    "call_many_sync": {"session": None},
    "ask": {"session": None},
    "ask_sync": {"session": None},
    "parse": {"wire": None},
    "handle": {"wire": None, "request": None, "session": None},
    "handle_sync": {"wire": None, "request": None, "session": None},
    "definitions": {"wire": "openai-chat", "tool_choice": None},
    "bind": {"tools": None, "toolset": None, "session": None},
}


@pytest.mark.parametrize("method", SIGNATURES)
@pytest.mark.parametrize("owner", ["Ares", "Scoped"])
def test_the_methods_take_what_the_contract_says(owner: str, method: str) -> None:
    assert SIGNATURES[method].items() <= parameters(getattr(getattr(ares_core, owner), method)).items()


def test_other_signatures_of_the_contract() -> None:
    assert {"plugins": None, "config": None, "approver": None}.items() <= parameters(ares_core.Ares.__init__).items()
    assert list(parameters(ares_core.ToolError.__init__)) == ["message", "retriable", "hint", "blame"]
    assert {"name", "description", "parameters", "fn"} <= set(parameters(ares_core.ToolFunc))
    assert parameters(ares_core.hookimpl)["tools"] == ()
    assert hasattr(ares_core.Tool, "from_function")


def test_the_names_of_registry_and_context() -> None:
    for name in "register unregister get list_tools list_tool_names capabilities on_change".split():
        assert callable(getattr(ares_core.Registry, name))
    parts = "call session user secrets log files network call_tool idempotency_key deadline cancelled emit".split()
    assert [part for part in parts if not hasattr(ares_core.ToolContext, part)] == []


def test_an_ares_has_everything_of_the_contract() -> None:
    with ares_core.Ares(plugins=[]) as ares:
        names = "register registry close aclose plan parse handle definitions bind call ask".split()
        assert [name for name in names if not hasattr(ares, name)] == []
        assert ares.registry.execute == ares.call


def test_decode_gives_value_and_edits() -> None:
    value, edits = ares_core.decode("{'a': 1}")
    assert value == {"a": 1}
    assert isinstance(edits[0], ares_core.ArgumentEdit)


def test_the_example_of_the_contract_works() -> None:
    from ares_core import Ares, Effects, ToolCall, tool

    @tool(capabilities=["Arithmetic"], effects=Effects(read_only=True), timeout=5)
    def add(a: int, b: int = 1) -> int:
        """Add two whole numbers."""
        return a + b

    with Ares(plugins=[]) as ares:
        ares.register(add)
        assert ares.call_sync("add", {"a": "2"}).data == 3
        results = ares.call_many_sync([ToolCall("add", {"a": 2}), ToolCall("add", '{"a": 3}')], session="s")
        assert [result.data for result in results] == [3, 4]
        assert ares.bind(tools=["add"], session="s").call_sync("add", {"a": 2}).data == 3
