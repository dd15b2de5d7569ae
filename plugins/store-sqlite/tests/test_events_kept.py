"""Events are kept in the order in which they came, none lost on the way, and read again without holding them all."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ares_core import Ares, ConfigError, Effects, Event, tool


def opened(folder: Path, **more: Any) -> Ares:
    section = {"path": str(folder / "ares.db"), **more}
    return Ares(plugins=["store-sqlite"], config={"stores": {"events": "store-sqlite"}, "store_sqlite": section})


def kept(ares: Ares) -> Any:
    return ares.events


def event(number: int, **more: Any) -> Event:
    return Event("finished", f"e{number}", more.pop("time", float(number)), "add", **more)


def test_more_events_than_any_buffer_holds_are_all_written(tmp_path: Path) -> None:
    with opened(tmp_path) as ares:
        for start in range(0, 60_000, 6_000):
            kept(ares).append([event(number) for number in range(start, start + 6_000)])
        assert len(kept(ares).query(limit=100_000)) == 60_000


def test_events_older_than_their_age_are_gone_after_the_next_are_written(tmp_path: Path) -> None:
    with opened(tmp_path, max_age_days=1) as ares:
        kept(ares).append([event(1, time=time.time() - 100_000)])
        kept(ares).append([event(2, time=time.time())])
        assert [one.execution_id for one in kept(ares).query()] == ["e2"]
    with pytest.raises(ConfigError, match="max_age_days"), opened(tmp_path, max_age_days=0) as ares:
        ares.ready()


def test_everything_is_read_page_by_page_in_the_order_of_writing(tmp_path: Path) -> None:
    with opened(tmp_path) as ares:
        kept(ares).append([event(number, run=f"r{number % 2}/x") for number in range(12_000)])
        kept(ares).query(limit=1)
        store = kept(ares).store
        assert [one.execution_id for one in store.read()] == [f"e{number}" for number in range(12_000)]
        assert len(list(store.read(run_below="r1"))) == 6_000
        assert [one.execution_id for one in store.read(since=5.0, until=6.0)] == ["e5", "e6"]


def test_a_row_that_can_not_be_read_is_told_and_hides_no_other(tmp_path: Path) -> None:
    with opened(tmp_path) as ares:
        kept(ares).append([event(1), event(2)])
        kept(ares).query(limit=1)
        with closing(sqlite3.connect(tmp_path / "ares.db")) as other, other:
            other.execute("UPDATE events SET data='{' WHERE execution_id='e1'")
        assert [one.execution_id for one in kept(ares).query()] == ["e1", "e2"]
        assert kept(ares).check() == ["the data of event 1 is no JSON object"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_tells_its_own_events_and_not_those_of_its_parent_again(tmp_path: Path) -> None:
    @tool(effects=Effects(read_only=True))
    def add(n: int) -> int:
        """Add one."""
        return n + 1

    with opened(tmp_path) as ares:
        ares.register(add)
        ares.call_sync("add", {"n": 1}, session="parent")
        child = os.fork()
        if not child:
            ares.call_sync("add", {"n": 2}, session="child")
            ares.close()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        ends = [one.session for one in kept(ares).query(limit=1000) if one.kind == "finished"]
    assert sorted(ends) == ["child", "parent"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("time='soon'", "the time of event 1 is none"), ("time=1e308", "the time of event 1 is none"),
        ("data='[1]'", "the data of event 1 is no JSON object"), ("kind=''", "the kind of event 1 is none"),
        ("data=replace(hex(zeroblob(9000)), '00', '[')", "the data of event 1 is no JSON object"),
    ],
)  # fmt: skip
def test_an_event_that_somebody_edited_is_told_and_costs_nothing(tmp_path: Path, change: str, told: str) -> None:
    with opened(tmp_path) as ares:
        kept(ares).append([event(1), event(2)])
        kept(ares).query(limit=1)
        with closing(sqlite3.connect(tmp_path / "ares.db")) as other, other:
            other.execute(f"UPDATE events SET {change} WHERE execution_id='e1'")
        assert kept(ares).check() == [told]
        assert all(isinstance(one.time, float) for one in kept(ares).query())
