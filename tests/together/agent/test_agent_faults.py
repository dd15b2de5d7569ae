"""A provider that fails in every way: what passes is tried again, what does not ends the run, nothing runs twice."""

from __future__ import annotations

import asyncio
import json
import time
from email.utils import formatdate
from typing import Any

import pytest

ONE = [("c1", "write", {"what": "poem"})]


def test_a_provider_that_is_busy_is_asked_again_when_it_says(world: Any, dialect: Any) -> None:
    provider = world.provider(dialect.failing(429, Retry_After="1"), dialect.step("Here."))
    assert world.agent(provider, dialect).run_sync("Do it.").outcome == "final"
    assert provider.times[1] - provider.times[0] >= 1
    assert provider.asked[0] == provider.asked[1]


def test_a_date_to_come_back_is_understood(world: Any, dialect: Any) -> None:
    def busy(body: Any) -> Any:
        return dialect.failing(503, Retry_After=formatdate(time.time() + 2, usegmt=True))

    provider = world.provider(busy, dialect.step("Here."))
    assert world.agent(provider, dialect).run_sync("Do it.").success
    assert provider.times[1] - provider.times[0] >= 0.5


def test_a_provider_that_wants_an_hour_is_not_waited_for(world: Any, dialect: Any) -> None:
    provider = world.provider(dialect.failing(429, Retry_After="3600"))
    run = world.agent(provider, dialect).run_sync("Do it.")
    assert (run.outcome, len(provider.asked)) == ("failed", 1)
    assert "3600 s" in run.text


@pytest.mark.parametrize("status", [500, 502, 503, 529])
def test_a_server_error_passes(world: Any, dialect: Any, status: int) -> None:
    provider = world.provider(dialect.failing(status), dialect.failing(status), dialect.step("Here."))
    assert world.agent(provider, dialect).run_sync("Do it.").text == "Here."
    assert len(provider.asked) == 3


def test_a_server_that_fails_for_good_is_given_up(world: Any, dialect: Any) -> None:
    provider = world.provider(dialect.failing(500))
    run = world.agent(provider, dialect).run_sync("Do it.")
    assert (run.outcome, len(provider.asked)) == ("failed", 4)
    assert "500: try later" in run.text
    assert "tried 4 times" in run.text


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_a_request_that_is_wrong_is_not_sent_again(world: Any, dialect: Any, status: int) -> None:
    provider = world.provider(dialect.failing(status))
    run = world.agent(provider, dialect).run_sync("Do it.")
    assert (run.outcome, len(provider.asked)) == ("failed", 1)
    assert str(status) in run.text


def test_a_stream_that_breaks_off_is_asked_for_again_and_nothing_of_it_runs(world: Any, dialect: Any) -> None:
    provider = world.provider(dialect.cut("I will", ONE), dialect.step(calls=ONE), dialect.step("Done."))
    run = world.agent(provider, dialect).run_sync("Do it.")
    assert (run.outcome, world.done) == ("final", ["write poem"])
    assert [id for id, _ in dialect.answers(provider.asked[-1])] == ["c1"]


def test_a_stream_that_ends_early_without_an_error_counts_as_broken_off(world: Any, dialect: Any) -> None:
    cut = dialect.cut("I will", ONE)
    cut.breaks_off = False
    provider = world.provider(cut, dialect.step("Done."))
    run = world.agent(provider, dialect).run_sync("Do it.")
    assert (run.outcome, run.text, world.done) == ("final", "Done.", [])


def test_a_server_that_hangs_is_given_up_and_asked_again(world: Any, dialect: Any) -> None:
    hanging = dialect.step("Slow.")
    hanging.pause = 3
    provider = world.provider(hanging, dialect.step("Quick."))
    assert world.agent(provider, dialect, timeout=0.5).run_sync("Do it.").text == "Quick."


def test_a_server_that_is_not_there_is_told_of(world: Any, dialect: Any) -> None:
    provider = world.provider(dialect.step("Hi."))
    agent = world.agent(provider, dialect)
    provider.close()
    run = agent.run_sync("Do it.")
    assert run.outcome == "failed"
    assert "refused" in run.text


def test_a_model_that_refuses_ends_the_run(world: Any, dialect: Any) -> None:
    run = world.agent(world.provider(dialect.refused()), dialect).run_sync("Do it.")
    assert run.outcome == ("filtered" if dialect.model.startswith("gemini") else "refused")
    assert not run.success


def test_an_answer_that_is_filtered_ends_the_run(world: Any, dialect: Any) -> None:
    assert world.agent(world.provider(dialect.filtered()), dialect).run_sync("Do it.").outcome == "filtered"


def test_an_empty_answer_is_asked_for_again_a_few_times(world: Any, dialect: Any) -> None:
    provider = world.provider(dialect.empty(), dialect.step("Here."))
    assert world.agent(provider, dialect).run_sync("Do it.").text == "Here."
    run = world.agent(world.provider(dialect.empty()), dialect, retries=1).run_sync("Do it.")
    assert run.outcome == "failed"


@pytest.mark.parametrize("body", [b"<html>oops</html>", b'{"choices": [', b"[1, 2]", b""])
def test_what_is_no_answer_at_all_is_asked_for_again(world: Any, dialect: Any, body: bytes) -> None:
    broken = dialect.step("x")
    broken.pieces, broken.kind = [body] if body else [], "application/json"
    provider = world.provider(broken, dialect.step("Here."))
    assert world.agent(provider, dialect).run_sync("Do it.").text == "Here."
    assert world.agent(world.provider(broken), dialect, retries=1).run_sync("Do it.").outcome == "failed"


def test_arguments_that_can_be_repaired_run_and_others_are_refused(world: Any, openai: Any) -> None:
    calls = [("c1", "look", "{'what': 'sky',}"), ("c2", "look", '{"what": "sk'), ("c3", "look", "not json")]
    provider = world.provider(openai.step(calls=calls), openai.step("Done."))
    run = world.agent(provider, openai).run_sync("Do it.")
    assert (run.outcome, world.done) == ("final", ["look sky"])
    answers = openai.answers(provider.asked[1])
    assert [id for id, _ in answers] == ["c1", "c2", "c3"]
    assert ["not executed" in said.lower() for _, said in answers] == [False, True, True]


def test_a_call_cut_off_at_the_output_limit_never_runs(world: Any, openai: Any) -> None:
    cut = openai.step(calls=[("c1", "write", '{"what": "half a po')], finish="length")
    provider = world.provider(cut, openai.step("Done."))
    assert world.agent(provider, openai).run_sync("Do it.").outcome == "final"
    assert world.done == []
    assert "cut off" in openai.answers(provider.asked[1])[0][1]


def test_an_answer_cut_off_at_the_output_limit_is_no_final_answer(world: Any, dialect: Any) -> None:
    finish = {"openai:test": "length", "anthropic:test": "max_tokens", "gemini:test": "MAX_TOKENS"}[dialect.model]
    run = world.agent(world.provider(dialect.step("Half an answ", finish=finish)), dialect).run_sync("Do it.")
    assert (run.outcome, run.said) == ("failed", "Half an answ")
    assert "cut off" in run.text


def test_repeated_and_missing_ids_are_answered_each(world: Any, openai: Any) -> None:
    calls = [("c1", "write", {"what": "a"}), ("c1", "write", {"what": "b"}), ("", "write", {"what": "c"})]
    provider = world.provider(openai.step(calls=calls), openai.step("Done."))
    world.agent(provider, openai).run_sync("Do it.")
    assert world.done == ["write a", "write b", "write c"]
    answered = [id for id, _ in openai.answers(provider.asked[1])]
    assert answered == openai.called(provider.asked[1])
    assert len(set(answered)) == 3


def test_the_same_ids_in_two_turns_are_two_calls(world: Any, dialect: Any) -> None:
    again = [("c1", "write", {"what": "more"})]
    provider = world.provider(dialect.step(calls=ONE), dialect.step(calls=again), dialect.step("Done."))
    world.agent(provider, dialect, session="s").run_sync("Do it.")
    provider.asked.clear()
    world.agent(provider, dialect, session="s").run_sync("Do it again.")
    assert world.done == ["write poem", "write more"] * 2


def test_a_call_that_the_provider_could_not_read_is_read_and_run(world: Any, openai: Any) -> None:
    generation = '<tool_call>{"name": "write", "arguments": {"what": "poem"}}</tool_call>'
    body = {"error": {"message": "failed", "code": "tool_use_failed", "failed_generation": generation}}
    failed = openai.failing(400)
    failed.pieces = [json.dumps(body).encode()]
    provider = world.provider(failed, openai.step("Done."))
    assert world.agent(provider, openai).run_sync("Do it.").outcome == "final"
    assert world.done == ["write poem"]


def test_a_budget_of_tokens_closes_the_stream_in_its_middle(world: Any, dialect: Any) -> None:
    from ares_core import Budget

    endless = dialect.step("x")
    line = dialect.step("word " * 40).pieces
    endless.pieces, endless.pause = line[:-2] * 300 if len(line) > 3 else line[:1] * 300, 0.01
    provider = world.provider(endless)
    started = time.monotonic()
    run = world.agent(provider, dialect, budget=Budget(tokens=200)).run_sync("Do it.")
    assert (run.outcome, len(provider.asked)) == ("budget_exhausted", 1)
    assert "200 tokens" in run.text
    assert time.monotonic() - started < 60


def test_an_answer_that_is_there_counts_although_it_used_up_the_tokens(world: Any, dialect: Any) -> None:
    from ares_core import Budget

    provider = world.provider(dialect.step("Fine."))
    run = world.agent(provider, dialect, budget=Budget(tokens=50)).run_sync("Hi. " * 500)
    assert (run.outcome, run.text) == ("final", "Fine.")


def test_a_budget_of_time_closes_a_silent_stream(world: Any, dialect: Any) -> None:
    from ares_core import Budget

    silent = dialect.step("Slow.")
    silent.pause = 100
    started = time.monotonic()
    run = world.agent(world.provider(silent), dialect, budget=Budget(time=0.5)).run_sync("Do it.")
    assert run.outcome == "budget_exhausted"
    assert time.monotonic() - started < 60


def test_cancelled_in_the_middle_of_a_stream_the_conversation_stays_sound(world: Any, dialect: Any) -> None:
    slow = dialect.step("one two three")
    slow.pause = 5
    provider = world.provider(slow)
    agent = world.agent(provider, dialect)

    async def stop_soon() -> None:
        work = asyncio.create_task(agent.run("Do it."))
        while not provider.asked:  # noqa: ASYNC110 - the provider runs in a thread
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(stop_soon())
    assert agent.last is not None
    assert agent.last.outcome == "cancelled"
    assert len(agent.last.state["messages"]) == 1


def test_cancelled_in_the_middle_of_a_tool_every_id_is_answered(world: Any, dialect: Any) -> None:
    import threading

    begun, stop = threading.Event(), threading.Event()

    def wait(what: str) -> str:
        """Wait for something."""
        begun.set()
        stop.wait(20)
        return "waited"

    world.ares.register(wait)
    calls = [("c1", "write", {"what": "a"}), ("c2", "wait", {"what": "b"}), ("c3", "write", {"what": "c"})]
    agent = world.agent(world.provider(dialect.step(calls=calls), dialect.step("On.")), dialect)

    async def stop_in_between() -> None:
        work = asyncio.create_task(agent.run("Do it."))
        await asyncio.to_thread(begun.wait, 20)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(stop_in_between())
    stop.set()
    assert agent.last.outcome == "cancelled"
    sent = {"messages": agent.last.state["messages"], "contents": agent.last.state["messages"]}
    answers = dict(dialect.answers(sent))
    assert list(answers) == dialect.called(sent) == ["c1", "c2", "c3"]
    assert "a written" in answers["c1"]
    assert world.done == ["write a"]
    assert agent.resume_sync(agent.last.state, "Go on.").text == "On."
    assert world.done == ["write a"]
