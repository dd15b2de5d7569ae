"""A call that nobody decides at once is kept and decided later, and runs once: exactly what was approved."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import msgspec
import pytest

from ares_core import (
    Approval,
    Ares,
    Defer,
    Deny,
    PendingApproval,
    Result,
    Tool,
    ToolCall,
    UsageError,
    hookimpl,
    replace,
)

Load = Callable[[str], ModuleType]


class World:
    """A table whose rows can be deleted, with approval."""

    def __init__(self) -> None:
        self.deleted: list[Any] = []

    def delete_rows(self, table: str, limit: int = 1) -> str:
        """Delete rows."""
        self.deleted.append((table, limit))
        return f"{limit} gone from {table}"

    def log_in(self, user: str, password: str) -> str:
        """Log in."""
        self.deleted.append((user, password))
        return f"hello {user}"

    def ares(self, *plugins: Any, approver: Any = None, **approvals: Any) -> Ares:
        ares = Ares(plugins=list(plugins), config={"approvals": {"defer": True, **approvals}}, approver=approver)
        for function in (self.delete_rows, self.log_in):
            ares.register(Tool.from_function(function, requires_approval=True))
        return ares


@pytest.fixture
def world() -> World:
    return World()


def code(result: Result) -> str | None:
    return result.error.code if result.error else None


def wait(ares: Ares, arguments: Any = None, tool: str = "delete_rows") -> str:
    result = ares.call_sync(tool, arguments or {"table": "t", "limit": "10"})
    assert code(result) == "approval_required"
    return str(result.metadata["approval"])


def test_a_call_that_finds_nobody_is_kept_and_says_so(world: World) -> None:
    with world.ares() as ares:
        result = ares.call_sync("delete_rows", {"table": "t", "limit": "10"})
        (kept,) = ares.approvals.list()
    assert code(result) == "approval_required"
    assert "Not executed" in result.text
    assert kept.id == result.metadata["approval"]
    assert kept.id in result.text
    assert (kept.tool, kept.arguments, kept.status) == ("delete_rows", {"table": "t", "limit": 10}, "waiting")
    assert world.deleted == []


def test_without_being_told_to_nothing_is_kept(world: World) -> None:
    with world.ares(defer=False) as ares:
        result = ares.call_sync("delete_rows", {"table": "t"})
        assert ares.approvals.list() == []
    assert code(result) == "approval_required"
    assert "approval" not in result.metadata


@pytest.mark.parametrize("defer", [True, False])
def test_an_approver_may_put_a_call_off(world: World, defer: bool) -> None:
    with world.ares(approver=lambda request: Defer("asked in the channel"), defer=defer) as ares:
        id = wait(ares)
        assert ares.approvals.get(id).reason == "asked in the channel"


def test_an_async_approver_may_put_a_call_off(world: World) -> None:
    async def later(request: Approval) -> Defer:
        await asyncio.sleep(0)
        return Defer()

    with world.ares(approver=later) as ares:
        assert ares.approvals.get(wait(ares)).reason == "this tool always asks"


def test_with_an_approver_who_decides_nothing_is_kept(world: World) -> None:
    with world.ares(approver=lambda request: Deny("no")) as ares:
        assert code(ares.call_sync("delete_rows", {"table": "t"})) == "denied"
        assert ares.approvals.list() == []


def test_an_approved_call_runs_when_it_is_resumed_and_only_then(world: World) -> None:
    with world.ares() as ares:
        id = wait(ares)
        ares.approvals.approve(id)
        assert world.deleted == []
        result = ares.approvals.resume_sync(id)
        assert ares.approvals.get(id).status == "done"
    assert (result.data, result.metadata["approval"]) == ("10 gone from t", id)
    assert world.deleted == [("t", 10)]


def test_resuming_again_gives_the_outcome_and_runs_nothing(world: World) -> None:
    with world.ares() as ares:
        id = wait(ares)
        ares.approvals.approve(id)
        first, again = (ares.approvals.resume_sync(id) for _ in range(2))
    assert again.data == first.data
    assert again.metadata["replayed"]
    assert len(world.deleted) == 1


def test_resuming_many_times_at_one_moment_runs_it_once(world: World) -> None:
    async def main() -> list[Result]:
        return await asyncio.gather(*(ares.approvals.resume(id) for _ in range(10)))

    with world.ares() as ares:
        id = wait(ares)
        ares.approvals.approve(id)
        results = asyncio.run(main())
    assert len(world.deleted) == 1
    assert {code(result) for result in results} <= {None, "outcome_unknown"}


def test_a_call_that_waits_or_was_denied_does_not_run(world: World) -> None:
    with world.ares() as ares:
        id = wait(ares)
        assert code(ares.approvals.resume_sync(id)) == "approval_required"
        ares.approvals.deny(id, "too many")
        result = ares.approvals.resume_sync(id)
    assert code(result) == "denied"
    assert "too many" in result.text
    assert world.deleted == []


def test_an_approval_can_be_taken_back_before_it_is_used(world: World) -> None:
    with world.ares() as ares:
        id = wait(ares)
        ares.approvals.approve(id)
        ares.approvals.deny(id)
        assert code(ares.approvals.resume_sync(id)) == "denied"
        with pytest.raises(UsageError, match="denied already"):
            ares.approvals.approve(id)


def test_what_nobody_decides_in_time_expires(world: World) -> None:
    with world.ares(expires=0.05) as ares:
        waiting, approved = wait(ares), wait(ares)
        ares.approvals.approve(approved)
        time.sleep(0.1)
        results = [ares.approvals.resume_sync(id) for id in (waiting, approved)]
        with pytest.raises(UsageError, match="has expired"):
            ares.approvals.approve(waiting)
        assert ares.approvals.list("approved") == []
    assert [code(result) for result in results] == ["denied", "denied"]
    assert all("has expired" in result.text for result in results)
    assert world.deleted == []


def test_a_tool_that_became_another_one_is_not_run(world: World) -> None:
    with world.ares() as ares:
        id = wait(ares)
        ares.approvals.approve(id)
        tool = ares.unregister("delete_rows")
        ares.register(replace(tool, description="Delete whole tables."))
        result = ares.approvals.resume_sync(id)
        assert (code(result), world.deleted) == ("denied", [])
        assert "no longer what was approved" in result.text
        ares.unregister("delete_rows")
        ares.register(tool)
        assert ares.approvals.resume_sync(id).success


def test_a_tool_that_is_gone_is_not_run(world: World) -> None:
    with world.ares() as ares:
        id = wait(ares)
        ares.approvals.approve(id)
        ares.unregister("delete_rows")
        assert code(ares.approvals.resume_sync(id)) == "unknown_tool"


def test_a_guard_that_now_rewrites_the_arguments_is_not_what_was_approved(world: World) -> None:
    limits = [10]
    plugin = ModuleType("rewrites")
    vars(plugin)["pre_tool_call"] = hookimpl(
        lambda call: replace(call, arguments={**call.arguments, "limit": limits[0]})
    )
    with world.ares(plugin) as ares:
        id = wait(ares)
        ares.approvals.approve(id)
        limits[0] = 100_000
        assert code(ares.approvals.resume_sync(id)) == "denied"
    assert world.deleted == []


def test_a_guard_that_now_denies_is_heard(world: World) -> None:
    frozen: list[bool] = []
    plugin = ModuleType("freezes")
    vars(plugin)["pre_tool_call"] = hookimpl(lambda call: Deny("frozen until Monday") if frozen else None)
    with world.ares(plugin) as ares:
        id = wait(ares)
        ares.approvals.approve(id)
        frozen.append(True)
        assert "frozen until Monday" in ares.approvals.resume_sync(id).text


def test_secrets_are_not_kept_but_run_all_the_same_where_the_call_was_made(world: World) -> None:
    with world.ares() as ares:
        id = wait(ares, {"user": "u", "password": "correct horse"}, "log_in")
        kept = ares.approvals.get(id)
        assert "correct horse" not in json.dumps(msgspec.to_builtins(kept))
        assert (kept.arguments["password"], kept.hidden) == ("[redacted]", True)
        ares.approvals.approve(id)
        assert ares.approvals.resume_sync(id).success
    assert world.deleted == [("u", "correct horse")]


def elsewhere(world: World, kept: PendingApproval) -> Ares:
    """Give an Ares that knows of an approval only what was kept."""
    ares = world.ares()
    ares.runner.approvals.store.add(json_again(kept))
    return ares


def json_again(kept: PendingApproval) -> PendingApproval:
    return msgspec.convert(json.loads(json.dumps(msgspec.to_builtins(kept))), PendingApproval)


def test_what_is_kept_is_json_from_which_another_process_goes_on(world: World) -> None:
    with world.ares() as ares:
        kept = ares.approvals.approve(wait(ares))
    with elsewhere(world, kept) as other:
        assert other.approvals.resume_sync(kept.id).data == "10 gone from t"
    assert world.deleted == [("t", 10)]


def test_elsewhere_secrets_have_to_be_given_again_and_must_be_the_same(world: World) -> None:
    with world.ares() as ares:
        kept = ares.approvals.approve(wait(ares, {"user": "u", "password": "correct horse"}, "log_in"))
    with elsewhere(world, kept) as other:
        assert code(other.approvals.resume_sync(kept.id)) == "missing_input"
        assert code(other.approvals.resume_sync(kept.id, {"password": "battery"})) == "denied"
        assert code(other.approvals.resume_sync(kept.id, {"password": "correct horse", "user": "root"})) == "denied"
        assert world.deleted == []
        assert other.approvals.resume_sync(kept.id, {"password": "correct horse"}).success


def test_what_was_resumed_elsewhere_with_an_outcome_that_is_not_known_here_does_not_run(world: World) -> None:
    with world.ares() as ares:
        kept = ares.approvals.approve(wait(ares))
    with elsewhere(world, replace(kept, status="resumed")) as other:
        assert code(other.approvals.resume_sync(kept.id)) == "outcome_unknown"
    assert world.deleted == []


def test_a_call_that_was_refused_before_it_began_can_be_resumed_again(world: World) -> None:
    with world.ares() as ares:
        id = wait(ares)
        ares.approvals.approve(id)
        tool = ares.unregister("delete_rows")
        ares.approvals.resume_sync(id)
        ares.register(tool)
        assert ares.approvals.get(id).status == "approved"
        assert ares.approvals.resume_sync(id).success


def test_the_same_call_made_again_waits_as_the_same_approval(world: World) -> None:
    call = ToolCall("delete_rows", {"table": "t"}, id="c")
    with world.ares() as ares:
        first, again = (ares.call_sync(call, session="s").metadata["approval"] for _ in range(2))
        other = ares.call_sync(replace(call, id="d"), session="s").metadata["approval"]
        assert first == again != other
        ares.approvals.approve(first)
        assert "waits to be resumed" in ares.call_sync(call, session="s").text
        ares.approvals.resume_sync(first)
        assert ares.call_sync(call, session="s").metadata["replayed"]
        ares.approvals.deny(other, "no")
        assert code(ares.call_sync(replace(call, id="d"), session="s")) == "denied"
    assert world.deleted == [("t", 1)]


def test_what_the_caller_asked_for_is_kept_beside_what_will_run(world: World) -> None:
    with world.ares() as ares:
        kept = ares.approvals.get(wait(ares, '{"table": "t", "limit": "10"}'))
        assert kept.asked == {"table": "t", "limit": "10"}
        assert ares.approvals.get(wait(ares, {"table": "t", "limit": 10})).asked is None


def test_a_tool_that_only_one_agent_has_is_found_when_its_call_is_resumed(world: World) -> None:
    private = Tool.from_function(world.delete_rows, name="private", requires_approval=True)
    with world.ares() as ares:
        id = str(ares.bind(tools=[private]).call_sync("private", {"table": "t"}).metadata["approval"])
        ares.approvals.approve(id)
        assert ares.approvals.resume_sync(id).success


def test_nobody_knows_an_approval_that_is_not_there(world: World) -> None:
    with world.ares() as ares:
        assert code(ares.approvals.resume_sync("nope")) == "denied"
        for work in (ares.approvals.get, ares.approvals.approve, ares.approvals.deny):
            with pytest.raises(UsageError, match="no approval 'nope'"):
                work("nope")


def test_only_so_many_wait_in_memory(world: World) -> None:
    from ares_core.call.approve import MemoryApprovals

    store = MemoryApprovals(most=10)
    for number in range(25):
        store.add(PendingApproval(str(number), "t", {}, "", "", 0.0, 0.0))
    assert [kept.id for kept in store.list()] == [str(number) for number in range(15, 25)]


def test_one_deferred_call_in_a_batch_leaves_the_others_alone(world: World) -> None:
    def read(path: str) -> str:
        """Read."""
        return path

    with world.ares() as ares:
        ares.register(read)
        calls = [
            ToolCall("read", {"path": "a"}),
            ToolCall("delete_rows", {"table": "t"}),
            ToolCall("read", {"path": "b"}),
        ]
        first, waits, last = ares.call_many_sync(calls)
    assert (first.data, code(waits), last.data) == ("a", "approval_required", "b")


def test_what_an_approver_is_shown_has_no_secrets_and_what_was_asked(world: World) -> None:
    seen: list[Approval] = []

    def approver(request: Approval) -> bool:
        seen.append(request)
        return True

    with world.ares(approver=approver) as ares:
        ares.call_sync("log_in", '{"user": 5, "password": "correct horse"}')
    (request,) = seen
    assert request.shown == {"user": "5", "password": "[redacted]"}
    assert request.asked == {"user": 5, "password": "[redacted]"}
    assert request.call.arguments == {"user": "5", "password": "correct horse"}
