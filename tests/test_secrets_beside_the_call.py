"""Secrets of a call in what is told beside it: layers, questions to a person, progress, and what is waited for."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ares_core import Approval, Ares, Ask, Deny, Effects, Event, Layer, Result, Tool, ToolCall, ToolContext, hookimpl

SECRET = "swordfish-and-chips"
URL = f"https://ann:{SECRET}@api.example.test/v1"
PARAMETERS = {
    "properties": {"phrase": {"type": "string", "format": "password"}, "url": {"type": "string"}},
    "additionalProperties": False,
}


class Layers:
    """A plugin with one layer."""

    def __init__(self, layer: Layer) -> None:
        self._layer = layer

    @hookimpl
    def register_middleware(self) -> list[Layer]:
        return [self._layer]


async def login(arguments: Any, context: ToolContext) -> Any:
    context.emit(f"trying {arguments['phrase']}", step=arguments["phrase"])
    await asyncio.sleep(0.05)
    return Result(True, "in", metadata={"layers": [arguments["phrase"]], "note": "kept"})


def told(ares: Ares, resources: tuple[str, ...] = ()) -> list[Event]:
    events: list[Event] = []
    ares.on_event(events.append)
    ares.register(Tool("login", "", PARAMETERS, login, effects=Effects(open_world=False, resources=resources)))
    return events


def quote(call: ToolCall) -> str:
    assert not isinstance(call.arguments, str)
    return f"with {call.arguments['phrase']}"


async def breaks(call: ToolCall, next_call: Any) -> Any:
    raise RuntimeError(quote(call))


async def denies(call: ToolCall) -> Deny:
    return Deny(quote(call))


async def asks(call: ToolCall) -> Ask:
    return Ask(quote(call))


@pytest.mark.parametrize(
    "layer",
    [
        Layer("l", "tool_execution", breaks, on_error="skip"), Layer("l", "tool_execution", breaks),
        Layer("l", "tool_request", denies), Layer("l", "tool_request", asks),
    ],
)  # fmt: skip
def test_what_a_layer_says_of_a_call_is_told_without_its_secrets(layer: Layer) -> None:
    shown: list[Approval] = []

    def person(request: Approval) -> bool:
        shown.append(request)
        return True

    with Ares(plugins=[Layers(layer)], approver=person) as ares:
        events = told(ares)
        result = ares.call_sync("login", {"phrase": SECRET})
        said = [repr(events), result.text, repr(result.metadata), repr([request.reason for request in shown])]
    assert [SECRET in each for each in said] == [False] * 4
    assert "'layer': 'l'" in repr(events)


def test_progress_is_told_without_the_secrets_of_the_call(ares: Ares) -> None:
    events = told(ares)
    ares.call_sync("login", {"phrase": SECRET})
    progress = [event.data for event in events if event.kind == "progress"]
    assert progress == [{"message": "trying [redacted]", "step": "[redacted]"}]


def test_what_a_tool_calls_its_layers_is_no_event_of_ours(ares: Ares) -> None:
    events = told(ares)
    result = ares.call_sync("login", {"phrase": SECRET})
    assert result.metadata["note"] == "kept"
    assert "layers" not in events[-1].data


def test_a_call_that_waits_is_told_without_the_password_in_its_address(ares: Ares) -> None:
    events = told(ares, ("host:{url}",))
    calls = [ToolCall("login", {"phrase": SECRET, "url": URL}) for _ in range(2)]

    async def both() -> list[Result]:
        return await asyncio.gather(*[ares.call(call) for call in calls])

    assert [result.success for result in asyncio.run(both())] == [True, True]
    assert [event.data["for"] for event in events if event.kind == "queued"] == [
        "host:https://ann:[redacted]@api.example.test/v1"
    ]
