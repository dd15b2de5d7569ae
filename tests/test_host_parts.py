"""What a plugin may hand on inside a call: a part of its caller's tools, in a session below; and stored events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ares_core import Ares, Budget, Effects, Host, RegistrationError, Tool, ToolContext, hookimpl

OBJECT = {"type": "object"}


class Handing:
    """A plugin whose tool ``hand`` calls others through a part that it binds."""

    def __init__(self, session: str = "", tools: list[str] | None = None, budget: Budget | None = None) -> None:
        self.session, self.tools, self.budget = session, tools, budget
        self.host: Host | None = None

    @hookimpl
    def register_tools(self, host: Host) -> list[Tool]:
        self.host = host
        reads = Effects(read_only=True, open_world=False)
        return [
            Tool("hand", "Call the others.", OBJECT, self.hand),
            *(Tool(name, f"{name}.", OBJECT, look, effects=reads) for name in ("look", "hide")),
        ]

    async def hand(self, arguments: Mapping[str, Any], context: ToolContext) -> Any:
        assert self.host is not None
        part = self.host.bind(self.tools, session=self.session or None, budget=self.budget)
        results = {name: await part.call(name) for name in ("look", "hide")}
        return {name: result.data if result.success else result.error.code for name, result in results.items()}


async def look(arguments: Mapping[str, Any], context: ToolContext) -> list[str | None]:
    return [context.session, context.call.parent]


def test_a_part_bound_inside_a_call_has_no_more_than_the_caller(ares: Ares) -> None:
    ares.add(Handing())
    whole = ares.call_sync("hand", session="s").data
    part = ares.bind(["hand", "look"]).call_sync("hand", session="s").data
    assert whole["hide"][0] == "s"
    assert part["hide"] == "unknown_tool"
    assert part["look"][0] == "s"


def test_a_name_that_the_caller_does_not_have_is_no_name(ares: Ares) -> None:
    ares.add(Handing(tools=["look", "hide"]))
    assert ares.call_sync("hand").success
    refused = ares.bind(["hand", "look"]).call_sync("hand")
    assert RegistrationError.__name__ in refused.text
    assert "there is no tool 'hide'" in refused.text


def test_its_calls_are_children_in_the_session_below(ares: Ares) -> None:
    ares.add(Handing(session="s/part"))
    session, parent = ares.call_sync("hand", session="s").data["look"]
    assert session == "s/part"
    assert parent


def test_a_session_that_is_not_below_is_the_callers(ares: Ares) -> None:
    for other in ("another", "sx/part", "", "s/"):
        plugin = Handing(session=other)
        name = ares.add(plugin)
        found = ares.call_sync("hand", session="s").data["look"][0]
        assert found == ("s/" if other == "s/" else "s")
        ares.remove(name)


def test_its_budget_holds_beside_the_callers(ares: Ares) -> None:
    ares.add(Handing(budget=Budget(calls=1)))
    budget = Budget(calls=10)
    result = ares.bind(budget=budget).call_sync("hand")
    assert result.data["hide"] == "budget_exhausted"
    assert budget.left()["calls"] == 8


def test_outside_of_a_call_it_is_a_part_of_all_tools(ares: Ares) -> None:
    plugin = Handing()
    ares.add(plugin)
    assert plugin.host is not None
    assert sorted(plugin.host.bind().tools()) == ["hand", "hide", "look"]


def test_the_store_of_events_is_there_if_events_are_kept(ares: Ares) -> None:
    plugin, keeping = Handing(), Handing()
    ares.add(plugin)
    with Ares(plugins=[keeping], config={"stores": {"events": "memory"}}) as other:
        other.call_sync("look", session="s")
        assert plugin.host is not None
        assert keeping.host is not None
        assert plugin.host.events is None
        assert keeping.host.events is not None
        assert [event.kind for event in keeping.host.events.query(session="s")][-1] == "finished"
