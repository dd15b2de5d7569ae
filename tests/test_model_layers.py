"""Layers around the model: they may change what is sent, deny it, wrap the sending, or answer in its place."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from types import ModuleType
from typing import Any

import pytest

from ares_core import Ares, AresError, Deny, Event, Layer, LayerError, UsageError, hookimpl

Request = Mapping[str, Any]
Next = Callable[[], Awaitable[Any]]


def add(ares: Ares, *layers: Layer) -> None:
    module = ModuleType("middleware")
    module.register_middleware = hookimpl(lambda: list(layers))  # type: ignore[attr-defined]
    ares.add(module)


class Model:
    """A model that says how many messages it got."""

    def __init__(self) -> None:
        self.sent: list[Request] = []

    async def send(self, request: Request) -> dict[str, Any]:
        self.sent.append(request)
        return {"heard": len(request["messages"])}


REQUEST: Request = {"model": "m", "messages": ["hello"]}


def ask(ares: Any, model: Model, request: Request = REQUEST, **options: Any) -> Any:
    return asyncio.run(ares.call_model(request, model.send, **options))


def before(answer: Any, **options: Any) -> Layer:
    async def run(request: Request) -> Any:
        return answer(request) if callable(answer) else answer

    return Layer(options.pop("name", "before"), "llm_request", run, **options)


def test_without_layers_the_very_request_is_sent(ares: Ares) -> None:
    model = Model()
    assert ask(ares, model) == {"heard": 1}
    assert model.sent[0] is REQUEST


def test_a_layer_may_change_what_is_sent_and_the_next_sees_it(ares: Ares) -> None:
    model = Model()
    more = before(lambda request: {**request, "messages": [*request["messages"], "and bye"]})
    add(ares, more, more)
    assert ask(ares, model) == {"heard": 3}
    assert REQUEST["messages"] == ["hello"]


def test_what_a_layer_changes_in_place_is_not_sent(ares: Ares) -> None:
    model = Model()

    async def sly(request: Any, next_call: Next) -> Any:
        request["messages"].clear()
        return await next_call()

    add(ares, before(lambda request: request["messages"].clear()), Layer("sly", "llm_execution", sly))
    assert ask(ares, model) == {"heard": 1}


def test_a_denied_request_is_not_sent_and_the_error_names_the_layer(ares: Ares) -> None:
    model = Model()
    add(ares, before(Deny("no budget left"), name="budget"))
    with pytest.raises(LayerError, match="the request was not sent: no budget left") as caught:
        ask(ares, model)
    assert (caught.value.layer, caught.value.denied) == ("budget", True)
    assert isinstance(caught.value, AresError)
    assert model.sent == []


@pytest.mark.parametrize("answer", ["yes", 5, [], {1: "a"}], ids=repr)
def test_what_is_no_request_is_not_sent(answer: Any, ares: Ares) -> None:
    model = Model()
    add(ares, before(answer))
    with pytest.raises(LayerError, match=r"layer 'before' answered .* None, a changed request"):
        ask(ares, model)
    assert model.sent == []


@pytest.mark.parametrize(("on_error", "sent"), [("fail", 0), ("skip", 1)])
def test_a_request_layer_that_breaks_means_what_it_says(on_error: Any, sent: int, ares: Ares) -> None:
    model = Model()
    add(ares, before(lambda request: 1 / 0, on_error=on_error))
    if on_error == "fail":
        with pytest.raises(LayerError, match="layer 'before' raised ZeroDivisionError"):
            ask(ares, model)
    else:
        assert ask(ares, model) == {"heard": 1}
    assert len(model.sent) == sent


def test_execution_layers_wrap_the_sending_from_low_order_to_high_and_back(ares: Ares) -> None:
    log: list[str] = []

    def layer(name: str, order: int) -> Layer:
        async def run(request: Request, next_call: Next) -> Any:
            log.append(f"{name} in")
            answer = await next_call()
            log.append(f"{name} out")
            return {**answer, name: True}

        return Layer(name, "llm_execution", run, order=order)

    add(ares, layer("inner", 5), layer("outer", 1))
    assert ask(ares, Model()) == {"heard": 1, "inner": True, "outer": True}
    assert log == ["outer in", "inner in", "inner out", "outer out"]


def test_a_layer_may_answer_in_the_models_place(ares: Ares) -> None:
    async def cached(request: Request, next_call: Next) -> Any:
        return {"cached": True}

    model = Model()
    add(ares, Layer("cached", "llm_execution", cached))
    assert ask(ares, model) == {"cached": True}
    assert model.sent == []


def test_next_call_twice_sends_once_and_names_the_layer(ares: Ares) -> None:
    async def greedy(request: Request, next_call: Next) -> Any:
        return [await next_call(), await next_call()]

    model = Model()
    add(ares, Layer("greedy", "llm_execution", greedy))
    with pytest.raises(LayerError, match=r"layer 'greedy' .* called next_call twice"):
        ask(ares, model)
    assert len(model.sent) == 1


def test_what_the_sending_raises_comes_through_as_it_is(ares: Ares) -> None:
    async def passes(request: Request, next_call: Next) -> Any:
        return await next_call()

    async def fails(request: Request) -> Any:
        raise ConnectionError("the line is dead")

    add(ares, Layer("passes", "llm_execution", passes))
    with pytest.raises(ConnectionError, match="the line is dead"):
        asyncio.run(ares.call_model(REQUEST, fails))


def test_a_cancellation_reaches_the_sending(ares: Ares) -> None:
    ended: list[str] = []

    async def passes(request: Request, next_call: Next) -> Any:
        return await next_call()

    async def hangs(request: Request) -> Any:
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("cancelled")

    begun = asyncio.Event()

    async def main() -> None:
        task = asyncio.ensure_future(ares.call_model(REQUEST, hangs))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    add(ares, Layer("passes", "llm_execution", passes))
    asyncio.run(main())
    assert ended == ["cancelled"]


def test_events_tell_what_layers_did_with_the_session_and_no_values(ares: Ares) -> None:
    events: list[Event] = []
    ares.on_event(events.append)
    add(ares, before(lambda request: {**request, "temperature": 0, "key": "a secret"}))
    ask(ares.bind(session="s"), Model())
    (event,) = events
    assert (event.kind, event.tool, event.session) == ("rewritten", "", "s")
    assert event.data == {
        "layer": "before",
        "layer_kind": "llm_request",
        "did": "changed",
        "at": ["/temperature", "/key"],
    }


def test_a_request_with_objects_of_the_programs_own_is_sent_as_it_is(ares: Ares) -> None:
    class Image:
        """Something that is no JSON."""

    model, image = Model(), Image()
    add(ares, before(None))
    ask(ares, model, {"messages": [image]})
    assert model.sent[0]["messages"] == [image]


def test_a_request_that_is_none_is_an_error_in_a_sentence(ares: Ares) -> None:
    with pytest.raises(UsageError, match="the request is 'hello'; give a mapping"):
        ask(ares, Model(), "hello")  # type: ignore[arg-type]


def test_a_layer_around_the_model_can_not_be_limited_to_tools(ares: Ares) -> None:
    add(ares, before(Deny("no"), tools=("double",)))
    assert ask(ares, Model()) == {"heard": 1}
    assert "can't be limited to tools" in ares.plugins.rows()[0].notes[0]
