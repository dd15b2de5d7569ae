"""A call that nobody decides at once is kept and decided later, and runs once: exactly what was approved."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from ares_core import (
    Approval,
    Defer,
    Deny,
    Result,
    UsageError,
    hookimpl,
    replace,
)

Load = Callable[[str], ModuleType]


def test_a_call_that_finds_nobody_is_kept_and_says_so(world: Any) -> None:
    with world.ares() as ares:
        result = ares.call_sync("delete_rows", {"table": "t", "limit": "10"})
        (kept,) = ares.approvals.list()
    assert world.code(result) == "approval_required"
    assert "Not executed" in result.text
    assert kept.id == result.metadata["approval"]
    assert kept.id in result.text
    assert (kept.tool, kept.arguments, kept.status) == ("delete_rows", {"table": "t", "limit": 10}, "waiting")
    assert world.deleted == []


def test_without_being_told_to_nothing_is_kept(world: Any) -> None:
    with world.ares(defer=False) as ares:
        result = ares.call_sync("delete_rows", {"table": "t"})
        assert ares.approvals.list() == []
    assert world.code(result) == "approval_required"
    assert "approval" not in result.metadata


@pytest.mark.parametrize("defer", [True, False])
def test_an_approver_may_put_a_call_off(world: Any, defer: bool) -> None:
    with world.ares(approver=lambda request: Defer("asked in the channel"), defer=defer) as ares:
        id = world.wait(ares)
        assert ares.approvals.get(id).reason == "asked in the channel"


def test_an_async_approver_may_put_a_call_off(world: Any) -> None:
    async def later(request: Approval) -> Defer:
        await asyncio.sleep(0)
        return Defer()

    with world.ares(approver=later) as ares:
        assert ares.approvals.get(world.wait(ares)).reason == "this tool always asks"


def test_with_an_approver_who_decides_nothing_is_kept(world: Any) -> None:
    with world.ares(approver=lambda request: Deny("no")) as ares:
        assert world.code(ares.call_sync("delete_rows", {"table": "t"})) == "denied"
        assert ares.approvals.list() == []


def test_an_approved_call_runs_when_it_is_resumed_and_only_then(world: Any) -> None:
    with world.ares() as ares:
        id = world.wait(ares)
        ares.approvals.approve(id)
        assert world.deleted == []
        result = ares.approvals.resume_sync(id)
        assert ares.approvals.get(id).status == "done"
    assert (result.data, result.metadata["approval"]) == ("10 gone from t", id)
    assert world.deleted == [("t", 10)]


def test_resuming_again_gives_the_outcome_and_runs_nothing(world: Any) -> None:
    with world.ares() as ares:
        id = world.wait(ares)
        ares.approvals.approve(id)
        first, again = (ares.approvals.resume_sync(id) for _ in range(2))
    assert again.data == first.data
    assert again.metadata["replayed"]
    assert len(world.deleted) == 1


def test_resuming_many_times_at_one_moment_runs_it_once(world: Any) -> None:
    async def main() -> list[Result]:
        return list(await asyncio.gather(*(ares.approvals.resume(id) for _ in range(10))))

    with world.ares() as ares:
        id = world.wait(ares)
        ares.approvals.approve(id)
        results = asyncio.run(main())
    assert len(world.deleted) == 1
    assert {world.code(result) for result in results} <= {None, "outcome_unknown"}


def test_a_call_that_waits_or_was_denied_does_not_run(world: Any) -> None:
    with world.ares() as ares:
        id = world.wait(ares)
        assert world.code(ares.approvals.resume_sync(id)) == "approval_required"
        ares.approvals.deny(id, "too many")
        result = ares.approvals.resume_sync(id)
    assert world.code(result) == "denied"
    assert "too many" in result.text
    assert world.deleted == []


def test_an_approval_can_be_taken_back_before_it_is_used(world: Any) -> None:
    with world.ares() as ares:
        id = world.wait(ares)
        ares.approvals.approve(id)
        ares.approvals.deny(id)
        assert world.code(ares.approvals.resume_sync(id)) == "denied"
        with pytest.raises(UsageError, match="denied already"):
            ares.approvals.approve(id)


def test_what_nobody_decides_in_time_expires(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with world.ares(expires=3600) as ares:
        waiting, approved = world.wait(ares), world.wait(ares)
        ares.approvals.approve(approved)
        an_hour_later = time.time() + 3601
        monkeypatch.setattr(time, "time", lambda: an_hour_later)
        results = [ares.approvals.resume_sync(id) for id in (waiting, approved)]
        with pytest.raises(UsageError, match="has expired"):
            ares.approvals.approve(waiting)
        assert ares.approvals.list("approved") == []
    assert [world.code(result) for result in results] == ["denied", "denied"]
    assert all("has expired" in result.text for result in results)
    assert world.deleted == []


def test_a_tool_that_became_another_one_is_not_run(world: Any) -> None:
    with world.ares() as ares:
        id = world.wait(ares)
        ares.approvals.approve(id)
        tool = ares.unregister("delete_rows")
        ares.register(replace(tool, description="Delete whole tables."))
        result = ares.approvals.resume_sync(id)
        assert (world.code(result), world.deleted) == ("denied", [])
        assert "no longer what was approved" in result.text
        ares.unregister("delete_rows")
        ares.register(tool)
        assert ares.approvals.resume_sync(id).success


def test_a_tool_that_is_gone_is_not_run(world: Any) -> None:
    with world.ares() as ares:
        id = world.wait(ares)
        ares.approvals.approve(id)
        ares.unregister("delete_rows")
        assert world.code(ares.approvals.resume_sync(id)) == "unknown_tool"


def test_a_guard_that_now_rewrites_the_arguments_is_not_what_was_approved(world: Any) -> None:
    limits = [10]
    plugin = ModuleType("rewrites")
    vars(plugin)["pre_tool_call"] = hookimpl(
        lambda call: replace(call, arguments={**call.arguments, "limit": limits[0]})
    )
    with world.ares(plugin) as ares:
        id = world.wait(ares)
        ares.approvals.approve(id)
        limits[0] = 100_000
        assert world.code(ares.approvals.resume_sync(id)) == "denied"
    assert world.deleted == []


def test_a_guard_that_now_denies_is_heard(world: Any) -> None:
    frozen: list[bool] = []
    plugin = ModuleType("freezes")
    vars(plugin)["pre_tool_call"] = hookimpl(lambda call: Deny("frozen until Monday") if frozen else None)
    with world.ares(plugin) as ares:
        id = world.wait(ares)
        ares.approvals.approve(id)
        frozen.append(True)
        assert "frozen until Monday" in ares.approvals.resume_sync(id).text


def test_what_was_approved_and_used_can_be_neither_used_again_nor_denied(world: Any) -> None:
    with world.ares() as ares:
        id = world.wait(ares)
        assert not ares.approvals.use(id)
        ares.approvals.approve(id)
        assert ares.approvals.use(id)
        assert not ares.approvals.use(id)
        assert ares.approvals.list("approved") == []
        with pytest.raises(UsageError, match="can't be denied: it is done already"):
            ares.approvals.deny(id)
