from __future__ import annotations

import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ares_plugin_store_sqlite
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ares_core import Ares, ConfigError, Event, Evidence, EvidenceRow

GOOD = EvidenceRow("add", True, 4.0, 1.0, declared_latency_ms=100.0)
BAD = EvidenceRow("add", False, 40.0, 2.0, "timeout", declared_latency_ms=100.0)


def event(number: int, **fields: Any) -> Event:
    return Event("finished", str(number), float(number), fields.pop("tool", "add"), **fields)


def folded(rows: list[EvidenceRow]) -> Evidence:
    """The rule of the design, in floating point numbers, one row after the other."""
    n = successes = failures = 0.0
    latency = rows[0].declared_latency_ms
    for row in rows:
        n = n * 0.98 + 1
        successes = successes * 0.98 + row.success
        failures = failures * 0.98 + (not row.success)
        latency += (row.latency_ms - latency) / (n + 5)
    return Evidence(n, successes, failures, latency)


def numbers(evidence: Evidence) -> Any:
    found = (evidence.n, evidence.successes, evidence.failures, evidence.latency_ms)
    return pytest.approx(found)


def test_evidence_outlives_the_process_that_gave_it(open_store: Any) -> None:
    first = open_store("evidence")
    first.record([GOOD, BAD, GOOD])
    first.close()
    found = open_store("evidence").read("add")
    assert (found.n, found.successes, found.failures, found.latency_ms) == numbers(folded([GOOD, BAD, GOOD]))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1e6), st.floats(0, 1e4)), min_size=1, max_size=30))
def test_evidence_follows_the_rule_however_it_is_cut_into_batches(open_store: Any, outcomes: list[Any]) -> None:
    rows = [EvidenceRow("any", good, took, 0.0, None, declared) for good, took, declared in outcomes]
    store = open_store("evidence")
    store.reset()
    store.record(rows[:3])
    store.read("any")
    store.record(rows[3:])
    found = store.read("any")
    assert (found.n, found.successes, found.failures, found.latency_ms) == numbers(folded(rows))


def test_an_unknown_tool_has_no_evidence(open_store: Any) -> None:
    assert open_store("evidence").read("nobody") == Evidence()


def test_evidence_is_listed_and_forgotten_by_tool(open_store: Any) -> None:
    store = open_store("evidence")
    store.record([GOOD, EvidenceRow("sub", True, 1.0, 1.0)])
    assert list(store.all()) == ["add", "sub"]
    store.reset("add")
    assert list(store.all()) == ["sub"]
    store.reset()
    assert store.all() == {}


def test_events_come_back_whole_and_oldest_first(open_store: Any) -> None:
    store = open_store("events")
    given_events = [
        event(2, call_id="c", session="s", turn="t", parent="1", data={"attempt": 1, "words": "\ud800 汉"}),
        event(1),
    ]
    store.append(given_events)
    store.close()
    assert open_store("events").query() == [given_events[1], given_events[0]]


def test_events_are_found_by_tool_session_and_execution(open_store: Any) -> None:
    store = open_store("events")
    store.append([event(n, tool="add" if n % 2 else "sub", session=f"s{n % 3}") for n in range(12)])
    assert [found.time for found in store.query(tool="sub", limit=2)] == [8.0, 10.0]
    assert [found.time for found in store.query(session="s1", tool="add")] == [1.0, 7.0]
    assert [found.time for found in store.query(execution_id="5")] == [5.0]
    assert store.query(tool="mul") == store.query(limit=0) == []


def test_only_the_newest_events_are_kept(open_store: Any) -> None:
    store = open_store("events", max_events=10)
    for number in range(0, 500, 25):
        store.append([event(n) for n in range(number, number + 25)])
        store.query()
    assert [found.time for found in store.query(limit=1000)] == [float(n) for n in range(490, 500)]


def test_the_data_of_an_event_that_is_too_large_is_left_out_and_said_so(open_store: Any) -> None:
    store = open_store("events")
    store.append([event(1, data={"text": "x" * 100_000})])
    assert "100012 characters" in store.query()[0].data["omitted"]


def test_half_a_character_in_a_name_loses_nothing(open_store: Any) -> None:
    store = open_store("events")
    store.append([event(1, tool="\ud800"), event(2)])
    assert [found.tool for found in store.query()] == ["\\ud800", "add"]


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"path": "ares.db"}, "move with the working folder"),
        ({"max_events": 0}, "max_events"),
        ({"max_event": 5}, "unknown field `max_event`"),
        ({"path": 5}, "path"),
    ],
)
def test_a_wrong_configuration_is_refused_with_what_it_takes(
    open_store: Any, config: dict[str, Any], words: str
) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        open_store("events", **config)
    assert "'max_events', a whole number" in str(caught.value)


def test_other_kinds_are_not_kept_here(path: Path) -> None:
    host: Any = SimpleNamespace(config={"path": str(path)}, log=logging.getLogger())
    assert ares_plugin_store_sqlite.open_store("others", host) is None
    assert not path.exists()


def add(a: int, b: int) -> int:
    """Add two whole numbers."""
    return a + b


def test_calls_leave_evidence_and_events_that_another_ares_finds(path: Path) -> None:
    config = {
        "stores": {"evidence": "store-sqlite", "events": "store-sqlite"},
        "store_sqlite": {"path": str(path), "max_events": 1000},
    }
    with Ares(plugins=[ares_plugin_store_sqlite], config=config) as ares:
        ares.register(add)
        assert ares.call_sync("add", {"a": 2, "b": 3}).data == 5
    with Ares(plugins=[ares_plugin_store_sqlite], config=config) as ares:
        assert ares.evidence.read("add").successes == 1.0
        assert ares.events is not None
        assert [found.kind for found in ares.events.query(tool="add")][-1] == "finished"
