"""The list of tasks: one for each session, replaced or changed in one step, bounded."""

from __future__ import annotations

import asyncio
from typing import Any

from ares_core import Ares
from ares_core.testing import check_plugin

TWO = [{"id": "1", "content": "read"}, {"id": "2", "content": "mend", "status": "completed"}]


def contents(result: Any) -> list[tuple[str, str, str]]:
    return [(task["id"], task["content"], task["status"]) for task in result.data["todos"]]


def test_the_plugin_stands_what_every_plugin_should(ares_home: Any) -> None:
    check_plugin("ares_plugin_agent_tools")


def test_a_list_is_written_and_read_back_with_counts(world: Any) -> None:
    world.call("todo", todos=TWO)
    result = world.call("todo")
    assert contents(result) == [("1", "read", "pending"), ("2", "mend", "completed")]
    assert result.data["counts"] == {"pending": 1, "in_progress": 0, "completed": 1, "cancelled": 0}
    assert result.text == "[ ] 1: read\n[x] 2: mend\n1 pending, 1 completed"


def test_merging_changes_what_is_given_and_adds_what_is_new(world: Any) -> None:
    world.call("todo", todos=TWO)
    changes = [{"id": "2", "status": "cancelled"}, {"id": "3", "content": "tell"}, {"id": "3", "content": "tell all"}]
    result = world.call("todo", todos=changes, merge=True)
    assert contents(result) == [
        ("1", "read", "pending"), ("2", "mend", "cancelled"), ("3", "tell all", "pending"),
    ]  # fmt: skip


def test_false_written_as_text_replaces(world: Any) -> None:
    world.call("todo", todos=TWO)
    result = world.ares.call_sync("todo", {"todos": [{"id": "9", "content": "new"}], "merge": "false"}, session="s")
    assert contents(result) == [("9", "new", "pending")]


def test_a_known_task_keeps_its_words_when_the_list_is_replaced(world: Any) -> None:
    world.call("todo", todos=TWO)
    assert contents(world.call("todo", todos=[{"id": "1"}])) == [("1", "read", "pending")]


def test_a_new_task_without_words_leaves_the_list_as_it_is(world: Any) -> None:
    world.call("todo", todos=TWO)
    result = world.call("todo", todos=[{"id": "1", "content": "other"}, {"id": "7"}], merge=True)
    assert "'7' is new" in result.text
    assert contents(world.call("todo"))[0] == ("1", "read", "pending")


def test_merging_past_the_limit_is_refused_whole(world: Any) -> None:
    def tasks(prefix: str) -> list[dict[str, str]]:
        return [{"id": f"{prefix}{number}", "content": "x"} for number in range(200)]

    world.call("todo", todos=tasks("a"))
    assert "more than 256" in world.call("todo", todos=tasks("b"), merge=True).text
    assert len(world.call("todo").data["todos"]) == 200


def test_another_status_is_refused_by_the_schema(world: Any) -> None:
    result = world.call("todo", todos=[{"id": "1", "content": "x", "status": "nearly"}])
    assert result.error.code == "invalid_arguments"


def test_sessions_at_once_never_see_each_others_lists(ares_home: Any) -> None:
    async def work(ares: Ares, session: str) -> list[str]:
        for number in range(20):
            todos = [{"id": str(number), "content": session}]
            await ares.call("todo", {"todos": todos, "merge": True}, session=session)
        result = await ares.call("todo", {}, session=session)
        return [task["content"] for task in result.data["todos"]]

    async def main() -> list[list[str]]:
        async with Ares(plugins=["ares_plugin_agent_tools"]) as ares:
            return await asyncio.gather(*(work(ares, f"s{number}") for number in range(30)))

    assert asyncio.run(main()) == [[f"s{number}"] * 20 for number in range(30)]


def test_a_call_without_a_session_says_that_nothing_is_kept(world: Any) -> None:
    assert "not kept" in world.call("todo", session=None, todos=TWO).text
    assert world.call("todo", session=None).text == "no tasks"
