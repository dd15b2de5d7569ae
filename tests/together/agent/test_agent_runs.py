"""The loop, with each provider's format over real HTTP: it ends in the right state, and every call is answered once."""

from __future__ import annotations

import json
from typing import Any

CALLS = [("c1", "look", {"what": "sky"}), ("c2", "write", {"what": "poem"}), ("c3", "look", {"what": "trouble"})]


def test_calls_are_run_answered_once_in_order_and_the_answer_is_given(world: Any, dialect: Any) -> None:
    provider = world.provider(dialect.step("Let me see.", CALLS), dialect.step("All done."))
    run = world.agent(provider, dialect).run_sync("Do it.")
    assert (run.outcome, run.text, run.turns, run.calls) == ("final", "All done.", 2, 3)
    assert world.done == ["look sky", "write poem", "look trouble"]
    answers = dialect.answers(provider.asked[1])
    assert [id for id, _ in answers] == dialect.called(provider.asked[1]) == ["c1", "c2", "c3"]
    assert ["sky seen" in answers[0][1], "poem written" in answers[1][1], "dark" in answers[2][1]] == [True] * 3


def test_the_key_and_the_tools_go_along(world: Any, dialect: Any) -> None:
    provider = world.provider(dialect.step("Hello."))
    world.agent(provider, dialect, system="Be brief.").run_sync("Hi.")
    assert provider.paths[0].partition("?")[0] == dialect.path
    assert f"key-of-{dialect.model.partition(':')[0]}" in str(provider.headers[0])
    asked = json.dumps(provider.asked[0])
    assert all(word in asked for word in ("Be brief.", "Hi.", "look", "write", "Look at something"))


def test_a_name_that_does_not_exist_is_answered_with_those_that_do(world: Any, dialect: Any) -> None:
    provider = world.provider(dialect.step(calls=[("c1", "lok", {"what": "sky"})]), dialect.step("Sorry."))
    run = world.agent(provider, dialect).run_sync("Do it.")
    assert (run.outcome, run.calls, world.done) == ("final", 0, [])
    ((id, said),) = dialect.answers(provider.asked[1])
    assert id == "c1"
    assert "look" in said


def test_a_thousand_calls_in_one_turn_run_once_each(world: Any, dialect: Any) -> None:
    calls = [(f"c{number}", "look", {"what": f"star {number}"}) for number in range(1000)]
    provider = world.provider(dialect.step(calls=calls), dialect.step("Counted."))
    run = world.agent(provider, dialect).run_sync("Count.")
    assert (run.outcome, run.calls) == ("final", 1000)
    assert sorted(world.done) == sorted(f"look star {number}" for number in range(1000))
    assert [id for id, _ in dialect.answers(provider.asked[1])] == [id for id, _, _ in calls]


def test_the_same_call_for_ever_runs_three_times(world: Any, dialect: Any) -> None:
    provider = world.provider(dialect.step(calls=[("c1", "look", {"what": "sky"})]))
    run = world.agent(provider, dialect).run_sync("Do it.")
    assert run.outcome == "loop_detected"
    assert world.done == ["look sky"] * 3
    assert "over and over" in run.text
    assert "sky seen" in run.text
    assert "Use the result you have" in dialect.answers(provider.asked[-1])[-1][1]


def test_a_budget_of_calls_answers_every_id_and_says_that_it_ended(world: Any, dialect: Any) -> None:
    from ares_core import Budget

    count = iter(range(100))

    def two(body: Any) -> Any:
        return dialect.step(calls=[(f"c{n}", "look", {"what": f"{n}"}) for n in (next(count), next(count))])

    provider = world.provider(two)
    for _ in range(2):  # each budget is its own
        world.done.clear()
        run = world.agent(provider, dialect, budget=Budget(calls=5)).run_sync("Do it.")
        assert (run.outcome, len(world.done), run.turns) == ("budget_exhausted", 5, 3)
        assert "5 calls" in run.text
        sent = {"messages": run.state["messages"], "contents": run.state["messages"]}
        assert [id for id, _ in dialect.answers(sent)] == dialect.called(sent)
        assert len(dialect.called(sent)) == 6


def test_a_run_ends_after_so_many_turns(world: Any, dialect: Any) -> None:
    count = iter(range(100))
    provider = world.provider(lambda body: dialect.step(calls=[("c", "look", {"what": str(next(count))})]))
    run = world.agent(provider, dialect, max_iterations=4).run_sync("Do it.")
    assert (run.outcome, run.turns, len(provider.asked), len(world.done)) == ("budget_exhausted", 4, 4, 4)
    assert "4 turns of the model" in run.text


def test_calls_that_can_never_be_run_end_the_run(world: Any, dialect: Any) -> None:
    provider = world.provider(dialect.step(calls=[("c1", "look", {"where": ["x"]})]))
    run = world.agent(provider, dialect).run_sync("Do it.")
    assert (run.outcome, world.done, run.turns) == ("loop_detected", [], 5)
    assert "invalid_arguments" in run.text
