"""Runs that stop for a person and go on, live happenings, scopes and layers, and conversations that are kept."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from ares_plugin_agent import Agent, CallEnded, CallStarted, Finished, Retrying, TextPiece

from ares_core import Ares, Deny, Effects, Layer, Tool, UsageError, hookimpl

ERASE = [("c1", "look", {"what": "sky"}), ("c2", "erase", {"name": "x"}), ("c3", "look", {"what": "sea"})]


@pytest.fixture
def deferring(world: Any) -> Iterator[Any]:
    """A world in which what needs an approval waits for it."""
    with Ares(plugins=["wires", "network", "agent"], config={"approvals": {"defer": True}}) as ares:
        made = type(world)(ares)

        def erase(name: str) -> str:
            """Erase something."""
            made.done.append(f"erase {name}")
            return f"{name} erased"

        ares.register(Tool.from_function(erase, requires_approval=True))
        made.providers = world.providers
        yield made


def test_a_call_that_waits_for_a_person_stops_the_run_and_is_run_once_when_it_goes_on(
    deferring: Any, dialect: Any
) -> None:
    provider = deferring.provider(dialect.step(calls=ERASE), dialect.step("Gone."))
    run = deferring.agent(provider, dialect).run_sync("Erase x.")
    assert (run.outcome, len(run.approvals), len(provider.asked)) == ("approval_required", 1, 1)
    assert deferring.done == ["look sky", "look sea"]
    state = json.loads(json.dumps(run.state))
    deferring.ares.approvals.approve(run.approvals[0])
    again = deferring.agent(provider, dialect).resume_sync(json.dumps(state))
    assert (again.outcome, again.text, again.approvals) == ("final", "Gone.", ())
    assert deferring.done == ["look sky", "look sea", "erase x"]
    answers = dialect.answers(provider.asked[1])
    assert [id for id, _ in answers] == dialect.called(provider.asked[1]) == ["c1", "c2", "c3"]
    assert "x erased" in answers[1][1]
    deferring.agent(provider, dialect).resume_sync(state)
    assert deferring.done.count("erase x") == 1


def test_a_call_that_is_denied_is_told_to_the_model(deferring: Any, dialect: Any) -> None:
    provider = deferring.provider(dialect.step(calls=ERASE), dialect.step("As you wish."))
    run = deferring.agent(provider, dialect).run_sync("Erase x.")
    deferring.ares.approvals.deny(run.approvals[0], "x is dear to me")
    assert deferring.agent(provider, dialect).resume_sync(run.state).outcome == "final"
    assert "erase x" not in deferring.done
    assert "x is dear to me" in dialect.answers(provider.asked[1])[1][1]


def test_a_call_nobody_has_decided_goes_on_waiting(deferring: Any, openai: Any) -> None:
    provider = deferring.provider(openai.step(calls=ERASE), openai.step("Gone."))
    agent = deferring.agent(provider, openai)
    run = agent.run_sync("Erase x.")
    again = agent.resume_sync(run.state)
    assert (again.outcome, again.approvals, len(provider.asked)) == ("approval_required", run.approvals, 1)


def test_a_conversation_goes_on_with_another_word(world: Any, dialect: Any) -> None:
    provider = world.provider(dialect.step("Hello."), dialect.step("Again."))
    agent = world.agent(provider, dialect)
    first = agent.run_sync("Hi.")
    assert agent.resume_sync(first.state, "And now?").text == "Again."
    sent = json.dumps(provider.asked[1])
    assert [sent.index(word) for word in ("Hi.", "Hello.", "And now?")] == sorted(
        sent.index(word) for word in ("Hi.", "Hello.", "And now?")
    )


def test_a_state_of_another_provider_or_of_nothing_is_refused(world: Any, openai: Any) -> None:
    agent = world.agent(world.provider(openai.step("Hello.")), openai)
    state = agent.run_sync("Hi.").state
    for wrong in ({**state, "wire": "anthropic"}, {**state, "version": 9}, {}, "[]", "{"):
        with pytest.raises(UsageError, match="state"):
            agent.resume_sync(wrong)


def test_what_happens_is_given_as_it_happens(world: Any, dialect: Any) -> None:
    calls = [("c1", "look", {"what": "sky"}), ("c2", "nothing", {})]
    provider = world.provider(dialect.failing(500), dialect.step("Let me see.", calls), dialect.step("Done."))

    async def follow() -> list[Any]:
        return [happening async for happening in world.agent(provider, dialect).stream("Do it.")]

    seen = asyncio.run(follow())
    kinds = [type(one) for one in seen]
    assert kinds[0] is Retrying
    assert kinds[-1] is Finished
    assert [one.tool for one in seen if isinstance(one, CallStarted)] == ["look"]
    assert {(one.id, one.success, one.code) for one in seen if isinstance(one, CallEnded)} == {
        ("c1", True, None), ("c2", False, "unknown_tool"),
    }  # fmt: skip
    assert "".join(one.text for one in seen if isinstance(one, TextPiece)) == "Let me see.Done."
    assert seen[-1].run.text == "Done."


def test_who_stops_listening_stops_the_run(world: Any, openai: Any) -> None:
    slow = openai.step("one two three four")
    slow.pause = 1
    agent = world.agent(world.provider(slow), openai)

    async def follow() -> None:
        happenings = agent.stream("Do it.")
        async for _ in happenings:
            break
        await happenings.aclose()

    asyncio.run(follow())
    assert agent.last is not None
    assert agent.last.outcome == "cancelled"


def test_an_agent_has_only_its_tools(world: Any, openai: Any) -> None:
    provider = world.provider(openai.step(calls=[("c1", "write", {"what": "poem"})]), openai.step("Pity."))
    assert world.agent(provider, openai, tools=["look"]).run_sync("Write.").outcome == "final"
    assert [tool["function"]["name"] for tool in provider.asked[0]["tools"]] == ["look"]
    assert world.done == []
    provider = world.provider(openai.step("Hm."))
    world.agent(provider, openai, tools=[]).run_sync("Write.")
    assert "tools" not in provider.asked[0]
    part = Agent(world.ares.bind(tools=["look"]), openai.model, base_url=provider.url)
    assert part.run_sync("Write.").success
    assert [tool["function"]["name"] for tool in provider.asked[1]["tools"]] == ["look"]


def test_layers_around_models_see_and_change_what_is_sent(world: Any, openai: Any) -> None:
    async def cooler(request: Any) -> Any:
        return {**request, "temperature": 0}

    async def no_poems(request: Any) -> Any:
        return Deny("no poems") if "poem" in json.dumps(request["messages"]) else None

    class Layers:
        @hookimpl
        def register_middleware(self) -> list[Layer]:
            return [Layer("cooler", "llm_request", cooler), Layer("no poems", "llm_request", no_poems)]

    world.ares.add(Layers())
    provider = world.provider(openai.step("Hello."))
    assert world.agent(provider, openai).run_sync("Hi.").success
    assert provider.asked[0]["temperature"] == 0
    run = world.agent(provider, openai).run_sync("A poem.")
    assert (run.outcome, len(provider.asked)) == ("failed", 1)
    assert "no poems" in run.text


def test_a_layer_that_answers_nonsense_in_the_models_place_ends_the_run(world: Any, openai: Any) -> None:
    async def nonsense(request: Any, next_call: Any) -> Any:
        return "no body at all"

    class Layers:
        @hookimpl
        def register_middleware(self) -> list[Layer]:
            return [Layer("nonsense", "llm_execution", nonsense)]

    world.ares.add(Layers())
    provider = world.provider(openai.step("Hello."))
    run = world.agent(provider, openai).run_sync("Hi.")
    assert (run.outcome, provider.asked) == ("failed", [])
    assert "in the model's place" in run.text


def test_calls_written_as_text_are_read_if_the_profile_says_so(ares_home: Any, world: Any, openai: Any) -> None:
    said = 'Sure.\n<tool_call>{"name": "look", "arguments": {"what": "sky"}}</tool_call>'
    provider = world.provider(openai.step(said), openai.step("Blue."))
    models = {"small*": {"text_calls": "hermes"}}
    with Ares(plugins=["wires", "network", "agent"], config={"models": models}) as ares:
        other = type(world)(ares)
        run = other.agent(provider, openai, model="openai:small-1", tools_in_words=True).run_sync("Look.")
    assert (run.text, other.done) == ("Blue.", ["look sky"])
    assert "tools" not in provider.asked[0]
    assert "<tools>" in provider.asked[0]["messages"][0]["content"]
    assert "sky seen" in provider.asked[1]["messages"][-1]["content"]
    plain = world.agent(world.provider(openai.step(said)), openai).run_sync("Look.")
    assert (plain.outcome, plain.text) == ("final", said)


def test_an_agent_inside_a_tool_is_its_child(world: Any, openai: Any) -> None:
    inner = world.provider(openai.step(calls=[("c1", "look", {"what": "sky"})]), openai.step("Blue."))
    outer = world.provider(openai.step(calls=[("c1", "ask", {"what": "sky"})]), openai.step("It is blue."))

    async def ask(what: str) -> str:
        """Ask somebody else."""
        return (await Agent(world.ares, openai.model, base_url=inner.url).run(what)).text

    world.ares.register(Tool.from_function(ask, effects=Effects(read_only=True)))
    assert world.agent(outer, openai).run_sync("Ask.").text == "It is blue."
    assert "Blue." in openai.answers(outer.asked[1])[0][1]
    assert world.done == ["look sky"]


def test_runs_and_turns_are_told_of(world: Any, openai: Any) -> None:
    heard: list[Any] = []
    world.ares.on_event(heard.append)
    provider = world.provider(openai.step(calls=[("c1", "look", {"what": "sky"})]), openai.step("Blue."))
    run = world.agent(provider, openai).run_sync("Look.")
    kinds = [event.kind for event in heard if "." in event.kind]
    assert kinds == [
        "run.started", "turn.started", "turn.finished", "turn.started", "turn.finished", "run.finished",
    ]  # fmt: skip
    assert {event.run for event in heard} == {run.state["id"]}
