"""How many sub-agents there may be, how deep, whose they are, of what kind, and what outlasts the process."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ares_core import Ares, Budget


async def waits(agent: Any, task: str) -> Any:
    await asyncio.sleep(float(task))
    return f"slept {task}"


async def goes_on(agent: Any, task: str) -> Any:
    """Give the task on, as deep as that goes."""
    if "delegate_task" not in agent.door.tools():
        return "the bottom"
    result = await agent.door.call("delegate_task", {"task": task})
    return f"below: {result.data['text']}" if result.success else result.text


@pytest.mark.parametrize(
    ("depth", "text"), [(1, "the bottom"), (2, "below: the bottom"), (3, "below: below: the bottom")]
)
def test_they_stand_so_deep_and_no_deeper(make: Callable[..., Any], depth: int, text: str) -> None:
    world = make(depth=depth)
    world.agents(goes_on)
    assert world.call("delegate_task", task="x").data["text"] == text


def test_the_way_around_the_scope_is_no_way_deeper(make: Callable[..., Any]) -> None:
    async def sneaks(agent: Any, task: str) -> Any:
        return (await world.ares.call("delegate_task", {"task": "again"})).text

    world = make(depth=1)
    world.agents(sneaks)
    assert "1 deep" in world.call("delegate_task", task="x").data["text"]


def test_depth_0_allows_none(make: Callable[..., Any]) -> None:
    world = make(depth=0)
    assert "0 deep" in world.call("delegate_task", task="x").text


def test_so_many_work_at_once_below_one_session_and_others_are_not_held_up(make: Callable[..., Any]) -> None:
    world = make(children=2)
    world.agents(waits)
    handles = [world.call("delegate_task", task="60", wait=0).data["handle"] for _ in range(2)]
    assert "2 sub-agents are at work" in world.call("delegate_task", task="0", wait=0).text
    assert world.call("delegate_task", session="other", task="0").success
    world.call("delegate_task", operation="stop", handle=handles[0])
    assert world.call("delegate_task", task="0").success


def test_so_many_in_all_below_one_session(make: Callable[..., Any]) -> None:
    world = make(delegations=2)
    world.agents(waits)
    assert [world.call("delegate_task", task="0").success for _ in range(3)] == [True, True, False]
    assert world.call("delegate_task", session="other", task="0").success


def test_those_of_those_count_too(make: Callable[..., Any]) -> None:
    world = make(depth=5, delegations=3, children=10)
    world.agents(goes_on)
    assert "has had its 3 sub-agents" in world.call("delegate_task", task="x").data["text"]
    assert len(world.kind.made) <= 4


def test_its_turns_are_bounded_and_its_time_by_its_callers(make: Callable[..., Any]) -> None:
    async def tells(agent: Any, task: str) -> Any:
        left = agent.budget.left()
        return f"{0 < left['time'] <= 50} {left['iterations']}"

    world = make(iterations=7)
    world.agents(tells)
    part = world.ares.bind(session="s", budget=Budget(time=100))
    assert part.call_sync("delegate_task", {"task": "x"}).data["text"] == "True 7"


def test_one_that_does_not_end_in_its_time_is_ended(make: Callable[..., Any]) -> None:
    world = make(seconds=1.0)
    world.agents(waits)
    handle = world.call("delegate_task", task="600", wait=0).data["handle"]
    result = world.call("delegate_task", operation="result", handle=handle, wait=20)
    assert result.data["status"] == "failed"
    assert "within 1 s" in result.text


def test_callers_that_are_cancelled_leave_no_place_taken(make: Callable[..., Any]) -> None:
    world = make(children=4, when_interrupted="stop")
    world.agents(waits)

    async def main() -> Any:
        for _ in range(5):
            calls = [
                asyncio.create_task(world.ares.call("delegate_task", {"task": "60", "tools": ["look"]}, session="s"))
                for _ in range(4)
            ]
            await asyncio.sleep(0.1)
            for call in calls:
                call.cancel()
            await asyncio.wait(calls)
        for _ in range(600):
            result = await world.ares.call("delegate_task", {"task": "0"}, session="s")
            if result.success:
                break
            await asyncio.sleep(0.1)
        return result

    assert asyncio.run(main()).data["text"] == "slept 0"


def test_one_whose_event_loop_was_closed_takes_no_place(make: Callable[..., Any]) -> None:
    world = make(children=1)
    world.agents(waits)
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *_: None)  # would tell of the task left in it, in the middle of a later test
    begun = loop.run_until_complete(world.ares.call("delegate_task", {"task": "60", "wait": 0}, session="s"))
    loop.close()
    assert world.call("delegate_task", task="0").success
    found = world.call("delegate_task", operation="result", handle=begun.data["handle"])
    assert found.data["status"] == "interrupted"


def test_another_session_or_user_does_not_know_its_handle(make: Callable[..., Any]) -> None:
    world, other = make(user="ann"), make(user="bob")
    world.agents(waits)
    handle = world.call("delegate_task", task="0").data["handle"]
    for where, session in ((world, "other"), (world, None), (other, "s")):
        for operation in ("result", "stop"):
            result = where.call("delegate_task", session=session, operation=operation, handle=handle)
            assert "there is no sub-agent" in result.text
    assert other.call("delegate_task", operation="list").data["sub_agents"] == []


def test_without_a_session_the_handle_alone_leads_to_it(world: Any) -> None:
    world.agents(waits)
    handle = world.call("delegate_task", session=None, task="0.1", wait=0).data["handle"]
    found = world.call("delegate_task", session=None, operation="result", handle=handle, wait=20)
    assert found.data["text"] == "slept 0.1"
    assert "no session" in world.call("delegate_task", session=None, operation="list").text


def test_what_it_found_outlasts_the_process(make: Callable[..., Any]) -> None:
    world = make()
    world.agents(waits)
    handle = world.call("delegate_task", task="0").data["handle"]
    world.ares.close()
    later = make().call("delegate_task", operation="result", handle=handle)
    assert (later.success, later.data["text"]) == (True, "slept 0")


def test_closing_ends_those_at_work_and_writes_that_down(make: Callable[..., Any]) -> None:
    world = make()
    world.agents(waits)
    handle = world.call("delegate_task", task="60", wait=0).data["handle"]
    world.ares.close()
    later = make().call("delegate_task", operation="result", handle=handle)
    assert later.data["status"] == "interrupted"


def test_closing_from_a_coroutine_writes_that_down_too(make: Callable[..., Any]) -> None:
    world = make()
    world.agents(waits)

    async def main() -> Any:
        async with world.ares as ares:
            return await ares.call("delegate_task", {"task": "60", "wait": 0}, session="s")

    handle = asyncio.run(main()).data["handle"]
    later = make().call("delegate_task", operation="result", handle=handle)
    assert later.data["status"] == "interrupted"


def test_a_hostile_session_and_answer_are_kept_as_well(make: Callable[..., Any]) -> None:
    async def answers(agent: Any, task: str) -> Any:
        return "half \ud800 of a character\x00"

    world = make()
    world.agents(answers)
    result = world.call("delegate_task", session="s\ud800\x00'; --", task="x")
    assert result.data["text"] == "half \ufffd of a character"
    found = world.call("delegate_task", session="s\ud800\x00'; --", operation="list")
    assert [one["status"] for one in found.data["sub_agents"]] == ["done"]


def test_one_whose_process_died_is_told_to_be_lost(make: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "kept.db"
    world = make(path=str(path))
    world.agents(waits)
    handle = world.call("delegate_task", task="0").data["handle"]
    world.ares.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        (document,) = connection.execute("SELECT document FROM delegations").fetchone()
        record = {**json.loads(document), "status": "running", "begun": 0.0, "until": 60.0}
        connection.execute("UPDATE delegations SET document = ?", (json.dumps(record).encode(),))
    later = make(path=str(path)).call("delegate_task", operation="result", handle=handle)
    assert later.data["status"] == "lost"


def test_a_file_that_cannot_be_used_does_not_keep_anyone_from_working(
    make: Callable[..., Any], tmp_path: Path, caplog: Any
) -> None:
    world = make(path=str(tmp_path))
    world.agents(waits)
    result = world.call("delegate_task", task="0")
    assert result.data["text"] == "slept 0"
    found = world.call("delegate_task", operation="result", handle=result.data["handle"])
    assert found.data["text"] == "slept 0"
    assert "lasts only as long as this process" in caplog.text


def test_the_configured_model_is_asked(make: Callable[..., Any]) -> None:
    world = make(model="openai:small", base_url="http://localhost:1")
    world.agents(waits)
    world.call("delegate_task", task="0")
    assert (world.kind.made[0].model, world.kind.made[0].base_url) == ("openai:small", "http://localhost:1")


def test_without_an_agent_it_says_what_to_install(ares_home: Any) -> None:
    with Ares(plugins=["ares_plugin_agent_tools"], config={"agent_tools": {"agent": "nobody"}}) as ares:
        result = ares.call_sync("delegate_task", {"task": "x"})
    assert "ares-plugin-agent" in result.text
    assert "nothing was done" in result.text


def test_many_sessions_delegate_at_once(make: Callable[..., Any]) -> None:
    async def looks(agent: Any, task: str) -> Any:
        return (await agent.door.call("look", {"what": task})).data

    world = make()
    world.agents(looks)

    async def main() -> list[Any]:
        calls = [
            world.ares.call("delegate_task", {"task": f"star {number}"}, session=f"s{number}") for number in range(40)
        ]
        return await asyncio.gather(*calls)

    assert [result.data["text"] for result in asyncio.run(main())] == [f"star {number} seen" for number in range(40)]
    assert len({session for session, _ in world.done}) == 40
