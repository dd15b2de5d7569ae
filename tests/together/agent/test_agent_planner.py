"""Where the model gives nothing that can be used, the planner stands in, if it is sure and would only read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import click
import pytest
from ares_plugin_agent import Finished
from ares_plugin_agent.live import Live

from ares_core import Ares


@pytest.fixture
def planning(world: Any) -> Iterator[Any]:
    with Ares(plugins=["wires", "network", "agent", "calculator", "rules-en"]) as ares:
        made = type(world)(ares)
        made.providers = world.providers
        yield made


def test_a_name_that_does_not_exist_is_planned_for_from_the_request(planning: Any, dialect: Any) -> None:
    provider = planning.provider(dialect.step(calls=[("c1", "calculate", {"expr": "?"})]), dialect.step("It is 1024."))
    run = planning.agent(provider, dialect).run_sync("2**10")
    assert (run.outcome, run.text, run.planned) == ("final", "It is 1024.", False)
    assert "1024" in dialect.answers(provider.asked[1])[0][1]


@pytest.mark.parametrize(("planner", "outcome"), [("off", "failed"), ("fallback", "final"), ("check", "final")])
def test_a_model_that_says_nothing_of_use_gives_way_to_the_planner(
    planning: Any, openai: Any, planner: str, outcome: str
) -> None:
    provider = planning.provider(openai.step("blah " * 9, finish="length"))
    run = planning.agent(provider, openai, planner=planner).run_sync("sum from 1 to 1,000,000")
    assert (run.outcome, run.planned) == (outcome, outcome == "final")
    assert ("500000500000" in run.text) == run.planned


def test_an_answer_without_a_call_gives_way_only_where_that_is_wanted(planning: Any, openai: Any) -> None:
    provider = planning.provider(openai.step("It is about a thousand."))
    assert planning.agent(provider, openai).run_sync("2**10").text == "It is about a thousand."
    run = planning.agent(provider, openai, planner="check").run_sync("2**10")
    assert "1024" in run.text
    assert run.said == "It is about a thousand."


def test_an_answer_stands_where_the_planner_is_not_sure_or_a_call_was_run(planning: Any, openai: Any) -> None:
    provider = planning.provider(openai.step("Fine, thanks."))
    assert planning.agent(provider, openai, planner="check").run_sync("How are you?").text == "Fine, thanks."
    provider = planning.provider(openai.step(calls=[("c1", "look", {"what": "sky"})]), openai.step("Blue."))
    assert planning.agent(provider, openai, planner="check").run_sync("2**10").text == "Blue."


def test_the_planner_does_not_stand_in_for_a_provider_that_is_down(planning: Any, openai: Any) -> None:
    provider = planning.provider(openai.failing(500))
    assert planning.agent(provider, openai, planner="check").run_sync("2**10").outcome == "failed"


def test_what_would_change_something_is_never_run_by_the_planner_alone(planning: Any, openai: Any) -> None:
    provider = planning.provider(openai.step("Done!"))
    planning.agent(provider, openai, planner="check").run_sync("write a poem")
    assert planning.done == []


def test_a_model_that_calls_rightly_and_never_answers_gives_way_too(planning: Any, openai: Any) -> None:
    provider = planning.provider(openai.step(calls=[("c1", "calculator", {"expression": "2**10"})]))
    run = planning.agent(provider, openai).run_sync("2**10")
    assert (run.outcome, run.planned) == ("final", True)
    assert "1024" in run.text


def test_what_the_planner_called_in_a_models_place_is_shown(
    planning: Any, openai: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    provider = planning.provider(openai.step(calls=[("c1", "calculate", {"expr": "?"})]), openai.step("It is 1024."))

    async def follow() -> None:
        with click.Context(click.Command("run")), Live() as live:
            async for happening in planning.agent(provider, openai).stream("2**10"):
                if not isinstance(happening, Finished):
                    live.show(happening)

    asyncio.run(follow())
    assert 'calculator(expression="2**10") in place of calculate in ' in capsys.readouterr().err
