"""What is kept of a call that waits: no secrets, and enough to go on with elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

import msgspec
import pytest

from ares_core import (
    Approval,
    PendingApproval,
    Tool,
    ToolCall,
    UsageError,
    replace,
)

Load = Callable[[str], ModuleType]


def test_secrets_are_not_kept_but_run_all_the_same_where_the_call_was_made(world: Any) -> None:
    with world.ares() as ares:
        id = world.wait(ares, {"user": "u", "password": "correct horse"}, "log_in")
        kept = ares.approvals.get(id)
        assert "correct horse" not in json.dumps(msgspec.to_builtins(kept))
        assert (kept.arguments["password"], kept.hidden) == ("[redacted]", True)
        ares.approvals.approve(id)
        assert ares.approvals.resume_sync(id).success
    assert world.deleted == [("u", "correct horse")]


def elsewhere(world: Any, kept: PendingApproval) -> Any:
    """Give an Ares that knows of an approval only what was kept."""
    ares = world.ares()
    ares.runner.approvals.store.add(json_again(kept))
    return ares


def json_again(kept: PendingApproval) -> PendingApproval:
    return msgspec.convert(json.loads(json.dumps(msgspec.to_builtins(kept))), PendingApproval)


def test_what_is_kept_is_json_from_which_another_process_goes_on(world: Any) -> None:
    with world.ares() as ares:
        kept = ares.approvals.approve(world.wait(ares))
    with elsewhere(world, kept) as other:
        assert other.approvals.resume_sync(kept.id).data == "10 gone from t"
    assert world.deleted == [("t", 10)]


def test_elsewhere_secrets_have_to_be_given_again_and_must_be_the_same(world: Any) -> None:
    with world.ares() as ares:
        kept = ares.approvals.approve(world.wait(ares, {"user": "u", "password": "correct horse"}, "log_in"))
    with elsewhere(world, kept) as other:
        assert world.code(other.approvals.resume_sync(kept.id)) == "missing_input"
        assert world.code(other.approvals.resume_sync(kept.id, {"password": "battery"})) == "denied"
        assert (
            world.code(other.approvals.resume_sync(kept.id, {"password": "correct horse", "user": "root"})) == "denied"
        )
        assert world.deleted == []
        assert other.approvals.resume_sync(kept.id, {"password": "correct horse"}).success


def test_what_was_resumed_elsewhere_with_an_outcome_that_is_not_known_here_does_not_run(world: Any) -> None:
    with world.ares() as ares:
        kept = ares.approvals.approve(world.wait(ares))
    with elsewhere(world, replace(kept, status="resumed")) as other:
        assert world.code(other.approvals.resume_sync(kept.id)) == "outcome_unknown"
    assert world.deleted == []


def test_a_call_that_was_refused_before_it_began_can_be_resumed_again(world: Any) -> None:
    with world.ares() as ares:
        id = world.wait(ares)
        ares.approvals.approve(id)
        tool = ares.unregister("delete_rows")
        ares.approvals.resume_sync(id)
        ares.register(tool)
        assert ares.approvals.get(id).status == "approved"
        assert ares.approvals.resume_sync(id).success


def test_the_same_call_made_again_waits_as_the_same_approval(world: Any) -> None:
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
        assert world.code(ares.call_sync(replace(call, id="d"), session="s")) == "denied"
    assert world.deleted == [("t", 1)]


def test_what_the_caller_asked_for_is_kept_beside_what_will_run(world: Any) -> None:
    with world.ares() as ares:
        kept = ares.approvals.get(world.wait(ares, '{"table": "t", "limit": "10"}'))
        assert kept.asked == {"table": "t", "limit": "10"}
        assert ares.approvals.get(world.wait(ares, {"table": "t", "limit": 10})).asked is None


def test_a_tool_that_only_one_agent_has_is_found_when_its_call_is_resumed(world: Any) -> None:
    private = Tool.from_function(world.delete_rows, name="private", requires_approval=True)
    with world.ares() as ares:
        id = str(ares.bind(tools=[private]).call_sync("private", {"table": "t"}).metadata["approval"])
        ares.approvals.approve(id)
        assert ares.approvals.resume_sync(id).success


def test_nobody_knows_an_approval_that_is_not_there(world: Any) -> None:
    with world.ares() as ares:
        assert world.code(ares.approvals.resume_sync("nope")) == "denied"
        for work in (ares.approvals.get, ares.approvals.approve, ares.approvals.deny):
            with pytest.raises(UsageError, match="no approval 'nope'"):
                work("nope")


def test_only_so_many_wait_in_memory(world: Any) -> None:
    from ares_core.call.approve import MemoryApprovals

    store = MemoryApprovals(most=10)
    for number in range(25):
        store.add(PendingApproval(str(number), "t", {}, "", "", 0.0, 0.0))
    assert [kept.id for kept in store.list()] == [str(number) for number in range(15, 25)]


def test_one_deferred_call_in_a_batch_leaves_the_others_alone(world: Any) -> None:
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
    assert (first.data, world.code(waits), last.data) == ("a", "approval_required", "b")


def test_what_an_approver_is_shown_has_no_secrets_and_what_was_asked(world: Any) -> None:
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
