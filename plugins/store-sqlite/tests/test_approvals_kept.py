"""Approvals in a file: a call waits in one process, is decided in another, and goes on in a third."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import ares_plugin_store_sqlite
import pytest

from ares_core import Ares, PendingApproval, Tool, replace


def kept(id: str, **fields: Any) -> PendingApproval:
    given = {"created": time.time(), "expires": time.time() + 60, **fields}
    return PendingApproval(
        id, "erase", {"name": "汉 \ud800".encode("utf-8", "replace").decode()}, "why", "hash", **given
    )


def test_they_come_back_whole_and_oldest_first(open_store: Any) -> None:
    store = open_store("approvals")
    given = [kept("b", created=1.0), kept("a", created=2.0, asked={"name": 5}, session="s", hidden=True)]
    for one in reversed(given):
        store.add(one)
    again = open_store("approvals")
    assert again.list() == given
    assert again.get("a") == given[1]
    assert again.get("c") is None


def test_of_two_who_decide_one_succeeds(open_store: Any) -> None:
    first, second = open_store("approvals"), open_store("approvals")
    first.add(kept("a"))
    assert first.change(kept("a", status="approved"), "waiting")
    assert not second.change(kept("a", status="denied"), "waiting")
    assert second.get("a").status == "approved"


def test_those_that_are_over_for_long_are_forgotten(open_store: Any) -> None:
    store = open_store("approvals")
    store.add(kept("old", expires=1.0))
    store.add(kept("new"))
    assert [one.id for one in store.list()] == ["new"]


@pytest.fixture
def config(path: Path) -> dict[str, Any]:
    stores = dict.fromkeys(("ledger", "approvals"), "store-sqlite")
    return {"stores": stores, "store_sqlite": {"path": str(path)}, "approvals": {"defer": True}}


def opened(config: dict[str, Any], erased: list[str]) -> Ares:
    def erase(name: str) -> str:
        """Erase something."""
        erased.append(name)
        return f"erased {name}"

    ares = Ares(plugins=[ares_plugin_store_sqlite], config=config)
    ares.register(Tool.from_function(erase, requires_approval=True))
    return ares


def test_a_call_goes_on_in_another_ares_and_once_in_all_of_them(config: dict[str, Any]) -> None:
    erased: list[str] = []
    with opened(config, erased) as ares:
        id = str(ares.call_sync("erase", {"name": "x"}).metadata["approval"])
    with opened(config, erased) as ares:
        ares.approvals.approve(id)
    results = []
    for _ in range(2):
        with opened(config, erased) as ares:
            results.append(ares.approvals.resume_sync(id))
    assert [result.data for result in results] == ["erased x", "erased x"]
    assert results[1].metadata["replayed"]
    assert erased == ["x"]


def test_a_call_that_was_broken_off_while_it_was_resumed_is_unknown(config: dict[str, Any]) -> None:
    erased: list[str] = []
    with opened(config, erased) as ares:
        id = str(ares.call_sync("erase", {"name": "x"}).metadata["approval"])
        approved = ares.approvals.approve(id)
        store = ares.runner.approvals.store
        store.change(replace(approved, status="resumed"), "approved")
    with opened(config, erased) as ares:
        result = ares.approvals.resume_sync(id)
    assert result.error is not None
    assert result.error.code == "outcome_unknown"
    assert erased == []
