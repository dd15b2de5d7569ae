"""Agents that give tasks to sub-agents, over real HTTP: the model, the tools, the budget, and what is told of it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from ares_core import Ares, Budget, Event, Tool

TASK = {"task": "Look at the sky.", "tools": ["look"]}


@pytest.fixture
def delegating(world: Any) -> Iterator[Any]:
    """A world whose agents may have sub-agents."""
    with Ares(plugins=["wires", "network", "agent", "agent-tools"]) as ares:
        made = type(world)(ares)
        made.providers = world.providers
        yield made


def named(body: dict[str, Any]) -> list[str]:
    return sorted(tool["function"]["name"] for tool in body.get("tools", ()))


def test_a_sub_agent_asks_its_callers_model_with_its_own_tools_and_reports(delegating: Any, openai: Any) -> None:
    events: list[Event] = []
    delegating.ares.on_event(events.append)
    provider = delegating.provider(
        openai.step(calls=[("c1", "delegate_task", TASK)]),
        openai.step(calls=[("k1", "look", {"what": "sky"})]),
        openai.step("The sky is blue."),
        openai.step("It is blue."),
    )
    run = delegating.agent(provider, openai, session="s").run_sync("What colour is the sky?")
    assert (run.outcome, run.text, delegating.done) == ("final", "It is blue.", ["look sky"])
    assert "delegate_task" in named(provider.asked[0])
    assert named(provider.asked[1]) == ["look"]
    assert "Look at the sky." in str(provider.asked[1]["messages"])
    ((id, said),) = openai.answers(provider.asked[3])
    assert id == "c1"
    assert "The sky is blue." in said
    (started,) = [event for event in events if event.kind == "started" and event.tool == "look"]
    assert (started.session or "").startswith("s/d-")
    assert started.parent == next(event.execution_id for event in events if event.tool == "delegate_task")


def test_a_sub_agent_spends_from_its_callers_budget(delegating: Any, openai: Any) -> None:
    provider: Any = delegating.provider(
        openai.step(calls=[("c1", "delegate_task", TASK)]),
        lambda body: openai.step(calls=[("k", "look", {"what": str(len(provider.asked))})]),
    )
    agent = delegating.agent(provider, openai, budget=Budget(iterations=9))
    run = agent.run_sync("Go on.")
    # nine turns in all: one of the caller's, four of the sub-agent's, and what is left of the caller's
    assert (run.outcome, len(provider.asked)) == ("budget_exhausted", 9)


def test_a_sub_agent_that_fails_is_told_to_the_caller(delegating: Any, openai: Any) -> None:
    provider = delegating.provider(
        openai.step(calls=[("c1", "delegate_task", TASK)]), openai.failing(400), openai.step("It could not be done.")
    )
    run = delegating.agent(provider, openai).run_sync("Go on.")
    assert (run.outcome, run.text) == ("final", "It could not be done.")
    ((_, said),) = openai.answers(provider.asked[2])
    assert "gave no answer (failed)" in said
    assert "400" in said


def test_a_sub_agent_ends_its_work_when_its_caller_is_interrupted(delegating: Any, openai: Any) -> None:
    interrupted = threading.Event()

    def sub_agent_is_asked(body: Any) -> Any:
        interrupted.wait(20)
        return openai.step(calls=[("k1", "look", {"what": "sky"})])

    provider = delegating.provider(
        openai.step(calls=[("c1", "delegate_task", TASK)]),
        sub_agent_is_asked,
        openai.step("The sky is blue."),
    )

    async def main() -> Any:
        agent = delegating.agent(provider, openai, session="s")
        run = asyncio.create_task(agent.run("What colour is the sky?"))
        while len(provider.asked) < 2:  # noqa: ASYNC110 - the provider runs in a thread
            await asyncio.sleep(0.01)
        run.cancel()
        await asyncio.wait([run])
        interrupted.set()
        assert openai.called(agent.last.state) == [id for id, _ in openai.answers(agent.last.state)] == ["c1"]
        (row,) = (await delegating.ares.call("delegate_task", {"operation": "list"}, session="s")).data["sub_agents"]
        asked = {"operation": "result", "handle": row["handle"], "wait": 20}
        return await delegating.ares.call("delegate_task", asked, session="s")

    assert asyncio.run(main()).data["text"] == "The sky is blue."
    assert delegating.done == ["look sky"]


def test_a_sub_agent_that_waits_for_a_person_goes_on_when_it_is_approved(world: Any, openai: Any) -> None:
    provider = world.provider(openai.step(calls=[("k1", "erase", {"name": "x"})]), openai.step("x is gone."))
    section = {"model": openai.model, "base_url": provider.url}
    config = {"approvals": {"defer": True}, "agent_tools": section}
    with Ares(plugins=["wires", "network", "agent", "agent-tools"], config=config) as ares:
        erased: list[str] = []

        def erase(name: str) -> str:
            """Erase something."""
            erased.append(name)
            return f"{name} erased"

        ares.register(Tool.from_function(erase, requires_approval=True))
        result = ares.call_sync("delegate_task", {"task": "Erase x."}, session="s")
        (approval,) = result.data["approvals"]
        ares.approvals.approve(approval)
        again = {"operation": "resume", "handle": result.data["handle"]}
        assert ares.call_sync("delegate_task", again, session="s").data["text"] == "x is gone."
    assert erased == ["x"]


def test_a_node_of_a_graph_is_done_by_a_sub_agent(delegating: Any, openai: Any) -> None:
    from ares_plugin_graph import AgentNode, Graph

    provider = delegating.provider(openai.step("Four."))
    config = {"agent_tools": {"model": openai.model, "base_url": provider.url}}
    with Ares(plugins=["wires", "network", "agent", "agent-tools", "graph"], config=config) as ares:
        ares.register(delegating.look)
        result = Graph([AgentNode("think", "2+2?", tools=["look"])]).run_sync(ares)
    assert (result.status, result["think"].data["text"]) == ("done", "Four.")
    assert named(provider.asked[0]) == ["look"]
