"""The ledger and approvals may be kept by a plugin; where that fails nothing that it should watch is run."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from ares_core import Ares, ConfigError, Effects, Result, Tool, ToolCall, ToolContext

Load = Callable[[str], ModuleType]
READS = Effects(read_only=True, open_world=False)


def code(result: Result) -> str | None:
    return result.error.code if result.error else None


class World:
    """Counts what took effect, with a plugin that keeps the ledger and approvals."""

    def __init__(self, plugin: ModuleType, name: str, *kinds: str) -> None:
        self.effects: list[int] = []
        stores = dict.fromkeys(kinds, name)
        self.ares = Ares(plugins=[plugin], config={"stores": stores, "approvals": {"defer": True}})
        self.ares.register(Tool.from_function(self.change, effects=Effects(open_world=False)))
        self.ares.register(Tool.from_function(self.change, name="look", effects=READS))
        self.ares.register(Tool.from_function(self.change, name="ask", requires_approval=True))

    def change(self, to: int = 1) -> int:
        """Change."""
        self.effects.append(to)
        return to


@pytest.fixture
def keeper(sample: Load) -> ModuleType:
    return sample("keeps_ledgers")


@pytest.fixture
def world(keeper: ModuleType) -> Any:
    made = World(keeper, "keeps-ledgers", "ledger", "approvals")
    yield made
    made.ares.close()


def test_a_plugin_keeps_what_was_begun_and_what_came_of_it(keeper: ModuleType, world: World) -> None:
    first, again = (world.ares.call_sync(ToolCall("change", {"to": 2}, key="k")) for _ in range(2))
    (row,) = keeper.ledger.rows.values()
    assert (row.key, row.tool, row.status) == ("k", "change", "done")
    assert again.data == first.data == 2
    assert world.effects == [2]


def test_calls_that_nobody_can_ask_for_again_are_not_kept(keeper: ModuleType, world: World) -> None:
    world.ares.call_sync("change")
    world.ares.call_sync("look", session="s")
    assert keeper.ledger.rows == {}


def test_a_store_is_closed_with_its_ares(keeper: ModuleType, world: World) -> None:
    world.ares.close()
    assert keeper.ledger.closed


@pytest.mark.parametrize("what", ["find", "claim"])
def test_when_the_ledger_fails_the_call_is_not_made(keeper: ModuleType, world: World, what: str) -> None:
    keeper.ledger.failing.add(what)
    result = world.ares.call_sync(ToolCall("change", key="k"))
    assert code(result) == "internal_error"
    assert f"disk full at {what}" in result.text
    assert "Not executed" in result.text
    assert world.effects == []
    assert world.ares.call_sync("look").success
    keeper.ledger.failing.clear()
    assert world.ares.call_sync(ToolCall("change", key="k")).success


def test_an_outcome_that_can_not_be_kept_is_given_all_the_same_and_not_run_again(
    keeper: ModuleType, world: World, caplog: pytest.LogCaptureFixture
) -> None:
    keeper.ledger.failing.add("settle")
    assert world.ares.call_sync(ToolCall("change", key="k")).success
    assert "counts as unknown" in caplog.text
    assert keeper.ledger.rows["k"].status == "claimed"


def test_when_approvals_can_not_be_kept_the_call_is_refused(keeper: ModuleType, world: World) -> None:
    keeper.approvals.failing = True
    result = world.ares.call_sync("ask")
    assert code(result) == "internal_error"
    assert "no approval could be kept" in result.text
    assert world.effects == []


@pytest.mark.parametrize("kind", ["ledger", "approvals"])
def test_while_such_a_store_can_not_be_opened_nothing_is_changed(
    sample: Load, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    world = World(sample("breaks_its_providers"), "breaks-its-providers", kind)
    with world.ares as ares:
        results = [ares.call_sync(name) for name in ("change", "ask")]
        assert ares.call_sync("look").success
    assert [code(result) for result in results] == ["internal_error", "internal_error"]
    assert all("cupboard locked" in result.text for result in results)
    assert world.effects == [1]
    assert f"stores.{kind}: breaks-its-providers can't be used" in caplog.text


@pytest.mark.parametrize("kind", ["ledger", "approvals"])
def test_such_a_store_of_a_plugin_that_is_not_there_is_a_configuration_error(kind: str) -> None:
    with pytest.raises(ConfigError, match=f"stores.{kind} is 'ghost'"):
        Ares(plugins=[], config={"stores": {kind: "ghost"}})


def test_a_slow_store_does_not_hold_up_other_calls(keeper: ModuleType, world: World) -> None:
    find, others_are_through = keeper.ledger.find, threading.Event()

    def slow(key: str) -> Any:
        others_are_through.wait(20)
        return find(key)

    async def main() -> list[str]:
        order: list[str] = []

        async def call(name: str, key: str | None) -> None:
            await world.ares.call(ToolCall(name, key=key))
            order.append(name)

        async def call_others() -> None:
            await call("look", None)
            others_are_through.set()

        await asyncio.gather(call("change", "k"), call_others())
        return order

    keeper.ledger.find = slow
    assert asyncio.run(main()) == ["look", "change"]


def test_a_call_that_is_cancelled_while_it_is_being_claimed_leaves_no_claim(keeper: ModuleType, world: World) -> None:
    claim, release = keeper.ledger.claim, keeper.ledger.release
    begun, go_on, released = threading.Event(), threading.Event(), threading.Event()

    def slow(row: Any) -> Any:
        begun.set()
        go_on.wait(20)
        return claim(row)

    def let_go(key: str) -> None:
        release(key)
        released.set()

    async def main() -> None:
        task = asyncio.ensure_future(world.ares.call(ToolCall("change", key="k")))
        await asyncio.to_thread(begun.wait, 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go_on.set()
        assert await asyncio.to_thread(released.wait, 60)

    keeper.ledger.claim, keeper.ledger.release = slow, let_go
    asyncio.run(main())
    assert keeper.ledger.rows == {}
    assert world.effects == []


def test_what_a_store_is_given_holds_no_secrets(keeper: ModuleType, world: World) -> None:
    def log_in(password: str) -> dict[str, str]:
        """Log in."""
        return {"token": "abc123secret", "said": password}

    world.ares.register(Tool.from_function(log_in))
    world.ares.call_sync(ToolCall("log_in", {"password": "correct horse"}, key="k"))
    assert "abc123secret" not in str(keeper.ledger.rows)


def test_data_that_is_too_large_is_left_out_of_a_replay_and_said_so() -> None:
    def read() -> str:
        """Give much."""
        return "x" * 100_000

    with Ares(plugins=[]) as ares:
        ares.register(read)
        first, again = (ares.call_sync(ToolCall("read", key="k")) for _ in range(2))
    assert again.text == first.text
    assert again.data is None
    assert "characters" in again.metadata["left_out"]


@pytest.mark.parametrize("data", [10**40, "\ud800", float("inf"), {"a": [10**30, None]}], ids=ascii)
def test_odd_data_is_replayed_as_it_was(data: Any) -> None:
    def odd() -> Any:
        """Give something odd."""
        return data

    with Ares(plugins=[]) as ares:
        ares.register(odd)
        first, again = (ares.call_sync(ToolCall("odd", key="k")) for _ in range(2))
    assert again.metadata["replayed"]
    assert again.text == first.text


def test_memory_holds_the_last_keys_only() -> None:
    from ares_core.call.ledger import MemoryLedger
    from ares_core.stores import LedgerRow

    ledger = MemoryLedger(most=100)
    ledger.claim(LedgerRow("open", "d", "t", "claimed", 0.0))
    for number in range(1_000):
        ledger.settle(LedgerRow(str(number), "d", "t", "done", 0.0, "x"))
    assert ledger.find("open") is not None
    assert ledger.find("999") is not None
    assert sum(ledger.find(str(number)) is not None for number in range(1_000)) <= 100


def test_the_tool_is_given_the_key_that_the_ledger_knows() -> None:
    keys: list[str] = []

    def note(context: ToolContext) -> None:
        """Note the key."""
        keys.append(context.idempotency_key)

    with Ares(plugins=[]) as ares:
        ares.register(note)
        ares.call_sync(ToolCall("note", key="mine"))
        ares.call_sync(ToolCall("note", id="c"), session="s")
        ares.call_sync(ToolCall("note", id="c"), session="t")
    assert keys[0] == "mine"
    assert len(set(keys)) == 3
