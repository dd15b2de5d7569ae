"""A call that can be asked for again takes effect once: its outcome is given again, or it is said to be unknown."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ares_core import Ares, Deny, Effects, Result, Tool, ToolCall, ToolError

READS = Effects(read_only=True, open_world=False)


class World:
    """Counts what took effect."""

    def __init__(self) -> None:
        self.effects: list[Any] = []

    def change(self, to: int) -> dict[str, int]:
        """Change."""
        self.effects.append(to)
        return {"to": to, "changes": len(self.effects)}

    def fail(self, why: str) -> None:
        """Change, then fail."""
        self.effects.append(why)
        raise ToolError(why, blame="world", retriable=True)

    def look(self) -> int:
        """Look."""
        self.effects.append("look")
        return len(self.effects)

    async def wait(self, seconds: float) -> str:
        """Change slowly."""
        self.effects.append(seconds)
        await asyncio.sleep(seconds)
        return "waited"

    def ares(self, **options: Any) -> Ares:
        ares = Ares(plugins=[], **options)
        for function in (self.change, self.fail, self.wait):
            ares.register(Tool.from_function(function, effects=Effects(open_world=False)))
        ares.register(Tool.from_function(self.look, effects=READS))
        return ares


@pytest.fixture
def world() -> World:
    return World()


def code(result: Result) -> str | None:
    return result.error.code if result.error else None


def test_the_same_key_runs_once_and_gives_the_same_answer_again(world: World) -> None:
    with world.ares() as ares:
        first, again = (ares.call_sync(ToolCall("change", {"to": 5}, key="k")) for _ in range(2))
    assert world.effects == [5]
    assert (again.success, again.data, again.text) == (True, first.data, first.text)
    assert again.metadata["replayed"] is True
    assert "replayed" not in first.metadata


@pytest.mark.parametrize("session", [None, "s"])
def test_a_given_key_is_remembered_with_and_without_a_session(world: World, session: str | None) -> None:
    with world.ares() as ares:
        for other in (session, None, "another"):
            ares.call_sync(ToolCall("change", {"to": 5}, key="k"), session=other)
    assert world.effects == [5]


def test_a_given_key_with_other_arguments_or_another_tool_is_a_conflict(world: World) -> None:
    with world.ares() as ares:
        ares.call_sync(ToolCall("change", {"to": 5}, key="k"))
        others = [ToolCall("change", {"to": 6}, key="k"), ToolCall("fail", {"why": "x"}, key="k")]
        results = [ares.call_sync(call) for call in others]
    assert [code(result) for result in results] == ["key_conflict", "key_conflict"]
    assert all("Not executed" in result.text for result in results)
    assert world.effects == [5]


def test_arguments_that_mean_the_same_are_the_same_call(world: World) -> None:
    with world.ares() as ares:
        ares.call_sync(ToolCall("change", {"to": "5"}, key="k"))
        assert ares.call_sync(ToolCall("change", ' {"to": 5.0}', key="k")).metadata.get("replayed")


def test_a_number_is_the_same_in_either_spelling(world: World) -> None:
    with world.ares() as ares:
        for seconds in (0, 0.0, "0.0"):
            assert ares.call_sync(ToolCall("wait", {"seconds": seconds}, key="k")).success
        assert code(ares.call_sync(ToolCall("wait", {"seconds": 0.5}, key="k"))) == "key_conflict"
    assert len(world.effects) == 1


def test_in_a_named_session_the_id_of_a_call_is_its_key(world: World) -> None:
    with world.ares() as ares:
        for _ in range(2):
            ares.call_sync(ToolCall("change", {"to": 5}, id="c"), session="s")
        ares.call_sync(ToolCall("change", {"to": 5}, id="c"), session="t")
        ares.call_sync(ToolCall("change", {"to": 5}, id="d"), session="s")
        ares.call_sync(ToolCall("change", {"to": 6}, id="c"), session="s")
        ares.call_sync(ToolCall("change", {"to": 5}, id="c", turn="2"), session="s")
    assert world.effects == [5, 5, 5, 6, 5]


def test_without_a_session_nothing_is_remembered_but_given_keys(world: World) -> None:
    with world.ares() as ares:
        for _ in range(3):
            ares.call_sync(ToolCall("change", {"to": 5}, id="c", turn="t"))
    assert world.effects == [5, 5, 5]


def test_calls_of_a_turn_without_ids_are_known_by_their_place(world: World) -> None:
    turn = [ToolCall("change", {"to": 5}, turn="1"), ToolCall("change", {"to": 5}, turn="1")]
    with world.ares() as ares:
        for _ in range(2):
            results = ares.call_many_sync(turn, session="s")
    assert world.effects == [5, 5]
    assert [result.metadata.get("replayed") for result in results] == [True, True]


def test_a_call_without_id_and_turn_is_never_a_replay(world: World) -> None:
    with world.ares() as ares:
        for _ in range(2):
            ares.call_sync("change", {"to": 5}, session="s")
    assert world.effects == [5, 5]


def test_reading_calls_run_each_time_unless_the_caller_gave_a_key(world: World) -> None:
    with world.ares() as ares:
        for _ in range(2):
            ares.call_sync(ToolCall("look", id="c"), session="s")
        for _ in range(2):
            ares.call_sync(ToolCall("look", key="k"))
    assert len(world.effects) == 3


@pytest.mark.parametrize("effects", [Effects(), Effects(idempotent=True)])
def test_a_tool_that_says_it_failed_leaves_the_key_free(world: World, effects: Effects) -> None:
    with world.ares() as ares:
        ares.register(Tool.from_function(world.fail, name="again", effects=effects))
        results = [ares.call_sync(ToolCall("again", {"why": "no"}, key="k")) for _ in range(2)]
    assert [result.metadata.get("replayed") for result in results] == [None, None]
    assert len(world.effects) >= 2


def test_a_refusal_leaves_the_key_free(world: World) -> None:
    answers = iter([Deny("not yet"), True])
    with world.ares(approver=lambda request: next(answers)) as ares:
        ares.register(Tool.from_function(world.change, name="ask", requires_approval=True))
        assert code(ares.call_sync(ToolCall("change", {"to": "x"}, key="k"))) == "invalid_arguments"
        assert code(ares.call_sync(ToolCall("ask", {"to": 1}, key="k"))) == "denied"
        assert ares.call_sync(ToolCall("ask", {"to": 1}, key="k")).success
        assert ares.call_sync(ToolCall("ask", {"to": 1}, key="k")).metadata["replayed"]


def test_a_call_past_its_deadline_is_unknown_and_never_runs_again(world: World) -> None:
    call = ToolCall("wait", {"seconds": 25}, key="k", timeout=0.05)
    with world.ares() as ares:
        first, again = ares.call_sync(call), ares.call_sync(call)
    assert (code(first), code(again)) == ("outcome_unknown", "outcome_unknown")
    assert "was begun before, and whether it took effect is unknown. It was not run again" in again.text
    assert world.effects == [25]


def test_a_call_that_is_cancelled_in_the_middle_is_unknown(world: World) -> None:
    call = ToolCall("wait", {"seconds": 30}, key="k")

    async def main(ares: Ares) -> Result:
        task = asyncio.ensure_future(ares.call(call))
        while not world.effects:  # noqa: ASYNC110 - the tool tells nobody
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await ares.call(call)

    with world.ares() as ares:
        result = asyncio.run(main(ares))
    assert code(result) == "outcome_unknown"
    assert world.effects == [30]


def test_a_call_that_is_cancelled_before_its_tool_began_leaves_the_key_free(world: World) -> None:
    asked = asyncio.Event()

    async def never(request: Any) -> bool:
        asked.set()
        await asyncio.sleep(30)
        return True

    async def main(ares: Ares) -> None:
        task = asyncio.ensure_future(ares.call(ToolCall("ask", {"to": 1}, key="k")))
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with world.ares(approver=never) as ares:
        ares.register(Tool.from_function(world.change, name="ask", requires_approval=True))
        asyncio.run(main(ares))
        ares.unregister("ask")
        ares.register(Tool.from_function(world.change, name="ask"))
        assert ares.call_sync(ToolCall("ask", {"to": 1}, key="k")).success


def test_many_at_one_moment_run_once_and_all_get_the_answer(world: World) -> None:
    call = ToolCall("wait", {"seconds": 0.05}, key="k")

    async def main(ares: Ares) -> list[Result]:
        return await asyncio.gather(*(ares.call(call) for _ in range(20)))

    with world.ares() as ares:
        results = asyncio.run(main(ares))
    assert world.effects == [0.05]
    assert all(result.data == "waited" for result in results)
    assert sum("replayed" in result.metadata for result in results) == 19


def test_threads_at_one_moment_run_once(world: World) -> None:
    results: list[Result] = []

    def call() -> None:
        results.append(ares.call_sync(ToolCall("change", {"to": 1}, key="k")))

    with world.ares() as ares:
        threads = [threading.Thread(target=call) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert world.effects == [1]
    assert all(result.success for result in results)


def test_the_outcome_of_a_call_that_still_runs_is_awaited_for_a_bounded_time(world: World) -> None:
    call = ToolCall("wait", {"seconds": 25}, key="k")

    async def main(ares: Ares) -> Result:
        first = asyncio.ensure_future(ares.call(call))
        while not world.effects:  # noqa: ASYNC110 - the tool tells nobody
            await asyncio.sleep(0)
        second = await ares.call(call)
        first.cancel()
        return second

    with world.ares(config={"limits": {"queue_wait": 0.1}}) as ares:
        second = asyncio.run(main(ares))
    assert code(second) == "outcome_unknown"
    assert "still runs" in second.text


def test_replays_leave_no_evidence_and_are_not_counted_as_a_loop(world: World) -> None:
    with world.ares() as ares:
        results = [ares.call_sync(ToolCall("change", {"to": 1}, id="c"), session="s") for _ in range(8)]
        assert ares.evidence.read("change").n == 1
    assert all(result.success for result in results)


def test_a_replay_holds_no_secret_of_the_data(world: World) -> None:
    def login(user: str) -> dict[str, str]:
        """Log in."""
        return {"user": user, "token": "abc123secret"}

    with world.ares() as ares:
        ares.register(login)
        _, again = (ares.call_sync(ToolCall("login", {"user": "u"}, key="k")) for _ in range(2))
    assert again.data == {"user": "u", "token": "[redacted]"}


def test_changing_the_data_of_an_answer_does_not_change_what_is_replayed(world: World) -> None:
    with world.ares() as ares:
        ares.call_sync(ToolCall("change", {"to": 5}, key="k")).data["to"] = 6
        assert ares.call_sync(ToolCall("change", {"to": 5}, key="k")).data["to"] == 5


def test_what_was_taken_back_with_its_turn_is_known_as_failed(world: World) -> None:
    change = Tool.from_function(
        world.change, name="undoable", effects=Effects(open_world=False), undo=lambda arguments, data: None
    )
    turn = [ToolCall("undoable", {"to": 1}, id="a"), ToolCall("fail", {"why": "no"}, id="b")]
    with world.ares() as ares:
        ares.register(change)
        first, again = (ares.call_many_sync(turn, session="s", rollback=True) for _ in range(2))
    assert [code(result) for result in (*first, *again)] == ["step_failed", "tool_error", "step_failed", "cancelled"]
    assert world.effects == [1, "no"]


@pytest.mark.parametrize("key", ["", "x" * 501, 5, b"k"], ids=["empty", "long", "number", "bytes"])
def test_a_key_that_is_none_is_refused(world: World, key: Any) -> None:
    with world.ares() as ares:
        assert code(ares.call_sync(ToolCall("change", {"to": 5}, key=key))) == "invalid_arguments"
    assert world.effects == []


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 2), st.sampled_from(["s", "t"])), max_size=12))
def test_no_call_takes_effect_twice_whatever_is_asked_for(calls: list[tuple[str, int, str]]) -> None:
    world = World()
    with world.ares() as ares:
        for id, to, session in calls:
            assert ares.call_sync(ToolCall("change", {"to": to}, id=id), session=session).success
    assert len(world.effects) == len(set(calls))


def test_waiting_for_an_answer_costs_no_time_when_it_is_there(world: World) -> None:
    started = time.monotonic()
    with world.ares() as ares:
        for _ in range(200):
            ares.call_sync(ToolCall("change", {"to": 1}, key="k"))
    assert time.monotonic() - started < 50
