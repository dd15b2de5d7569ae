"""``ares events`` tells what happened: as a tree, as lines, again, and whether it is whole."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ares_core import Event

Cli = Callable[..., Any]
KEEPER = """
from ares_core import hookimpl
from ares_core.eventlog import MemoryEvents

EVENTS = MemoryEvents()
FAULTS = []

class Kept(MemoryEvents):
    def append(self, events):
        EVENTS.append(events)

    def query(self, **wanted):
        return EVENTS.query(**wanted)

    def check(self):
        return FAULTS

@hookimpl
def open_store(kind):
    return Kept() if kind == "events" else None
"""


@pytest.fixture
def kept(install: Callable[..., None], monkeypatch: pytest.MonkeyPatch, cli: Cli) -> Any:
    """The store of events, after a call that was repaired and one that failed."""
    install("keeper", KEEPER)
    monkeypatch.setenv("ARES_STORES__EVENTS", "keeper")
    cli("call", "echo", "a", "--session", "mine")
    cli("call", "fail", "no luck")
    return sys.modules["cli_sample_keeper"]


def of(kept: Any, tool: str) -> str:
    found: str = kept.EVENTS.query(tool=tool)[0].execution_id
    return found


def test_show_tells_of_a_call_with_its_end_and_its_times(cli: Cli, kept: Any) -> None:
    lines = cli("events", "show", of(kept, "fail")).out.splitlines()
    assert lines[0].startswith("call fail: failed (tool_error) in ")
    assert "no luck" in lines[-1]
    (story,) = cli("events", "show", "mine", "--json").document
    assert (story["name"], story["status"], story["waited_ms"]) == ("echo", "finished", 0)


def test_show_puts_calls_below_the_nodes_and_runs_that_made_them(cli: Cli, kept: Any) -> None:
    def event(kind: Any, at: float, tool: str = "", id: str = "r", **more: Any) -> Event:
        return Event(kind, id, at, tool, run="r", **more)

    kept.EVENTS.append([
        event("run.started", 1.0, data={"graph": "g"}), event("node.started", 1.1, node="n"),
        event("requested", 1.2, "t", "1", node="n"), event("queued", 1.2, "t", "1", node="n", data={"for": "a place"}),
        event("started", 1.7, "t", "1", node="n"),
        event("repaired", 1.7, "t", "1", node="n", data={"pointer": "/a", "before": 1, "after": "1", "rule": "r"}),
        event("requested", 1.8, "u", "2", node="n", parent="1"), event("denied", 1.9, "u", "2", node="n", parent="1",
              data={"code": "denied", "text": "Plugin p said no.", "duration_ms": 1.0}),
        event("finished", 2.2, "t", "1", node="n", data={"duration_ms": 1000.0}),
        event("node.skipped", 2.3, node="m"), event("node.finished", 2.3, node="n"), event("run.finished", 2.4),
    ])  # fmt: skip
    assert cli("events", "show", "r").out.splitlines() == [
        "run g: finished in 1.4 s  [r]",
        "  node n: finished in 1.2 s  [r]",
        "    call t: finished in 500 ms, after waiting 500 ms  [1]",
        "      - waited for a place",
        "      - repaired /a: 1 to '1' (r)",
        "      call u: denied (denied) in 1 ms  [2]",
        "        - Plugin p said no.",
        "  node m: skipped in 0 ms  [r]",
    ]
    assert cli("events", "list", "--run", "r", "--json").document[0]["kind"] == "run.started"


def test_export_writes_a_line_an_event(cli: Cli, kept: Any, tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    assert cli("events", "export", "-o", str(path), "--tool", "echo").code == 0
    kinds = [json.loads(line)["kind"] for line in path.read_text().splitlines()]
    assert kinds == ["requested", "resolved", "validated", "started", "finished"]
    assert json.loads(cli("--json", "events", "export", "-o", str(path)).out)["path"] == str(path)
    assert cli("events", "export", "--kind", "failed").out.count("\n") == 1


def test_replay_runs_no_tool_and_shows_the_first_difference(cli: Cli, kept: Any, install: Any) -> None:
    before = len(kept.EVENTS.query(limit=1000))
    assert cli("events", "replay", of(kept, "echo")).out == "1 call went as recorded.\n"
    assert cli("events", "replay", of(kept, "fail"), "--json").document == {"calls": 1, "difference": None}
    assert len(kept.EVENTS.query(limit=1000)) == before
    install(
        "strict", "from ares_core import Deny, hookimpl\n\n@hookimpl\ndef pre_tool_call(call):\n    return Deny('no')\n"
    )
    ended = cli("events", "replay", of(kept, "echo"))
    assert ended.code == 1
    assert "ended with denied, and was recorded with success" in ended.out


@pytest.mark.parametrize("code", ["timeout", "outcome_unknown", "cancelled", "approval_required", "rate_limited"])
def test_replay_lets_a_call_fail_as_it_was_recorded(cli: Cli, kept: Any, code: str) -> None:
    end: Any = ("failed", {"code": code, "text": "no"})
    told: list[Any] = [("requested", {}), ("validated", {"arguments": {"why": "a"}}), end]
    kept.EVENTS.append([Event(kind, "9", 5.0, "fail", run="r", data=data) for kind, data in told])
    kept.EVENTS.append([Event("failed", "10", 6.0, "echo", run="r", data={"code": "invalid_arguments"})])
    document = cli("events", "replay", "r", "--json").document
    assert document == {"calls": 1, "left_out": 1, "difference": None}


def test_replay_shows_that_a_policy_no_longer_says_no(cli: Cli, kept: Any) -> None:
    told: list[Any] = [("validated", {"arguments": {"text": "a"}}), ("denied", {"code": "denied", "text": "no"})]
    kept.EVENTS.append([Event(kind, "9", 5.0, "echo", data=data) for kind, data in told])
    assert "ended with success, and was recorded with denied" in cli("events", "replay", "9").out


def test_a_call_that_says_it_made_itself_is_told_none_the_less(cli: Cli, kept: Any) -> None:
    kept.EVENTS.append([Event("requested", "9", 5.0, "echo", parent="9")])
    assert cli("events", "show", "9").out == "call echo: under way  [9]\n"


def test_what_a_tool_tells_of_its_progress_is_not_taken_for_anything_else(cli: Cli, kept: Any) -> None:
    kept.EVENTS.append([Event("progress", "9", 5.0, "echo", data={"message": "half", "candidates": 5})])
    kept.EVENTS.append([Event("finished", "9", 6.0, "echo", data={"duration_ms": "long"})])
    assert cli("events", "show", "9").out == "call echo: finished in 1 s  [9]\n  - progress half\n"
    assert cli("events", "check").code == 0


def test_check_tells_what_the_store_finds_and_calls_without_an_end(cli: Cli, kept: Any) -> None:
    assert cli("events", "check").out == "Everything that is kept is whole.\n"
    kept.FAULTS.append("page 5 is damaged")
    kept.EVENTS.append([Event("requested", "9", 5.0, "slow")])
    ended = cli("events", "check", "--json")
    assert ended.code == 1
    assert ended.document == {"faults": ["page 5 is damaged", "call slow [9] began and has no end"]}


@pytest.mark.parametrize("words", [["show", "none"], ["replay", "none"], ["tail", "--json"]])
def test_wrong_use_is_told_in_a_sentence(cli: Cli, kept: Any, words: list[str]) -> None:
    assert cli("events", *words).code == 2


def test_replay_leaves_out_questions_to_a_person(cli: Cli, kept: Any) -> None:
    told: list[Any] = [
        ("validated", {"arguments": {"question": "Sure?"}}), ("approval_requested", {"reason": "always"}),
        ("finished", {"text": "yes"}),
    ]  # fmt: skip
    kept.EVENTS.append([Event(kind, "9", 5.0, "ask_person", run="r", data=data) for kind, data in told])
    kept.EVENTS.append([Event("denied", "10", 6.0, "echo", run="r", data={"code": "denied"})])
    ended = cli("events", "replay", "r")
    assert (ended.code, ended.out) == (0, "0 calls went as recorded.\n")
    assert "Not replayed: 1 call put to a person (ask_person)." in ended.err
    assert "Not replayed: 1 call refused before its arguments were kept." in ended.err


def test_each_turn_has_its_calls_below_it(cli: Cli, kept: Any) -> None:
    for number in (1, 2):
        turn = f"a-{number}"
        kept.EVENTS.append([
            Event("turn.started", "a", number, "", run="a", data={"model": "m", "turn": turn}),
            Event("turn.finished", "a", number + 0.5, "", run="a", data={"model": "m", "turn": turn}),
            Event("requested", turn, number + 0.5, "echo", run="a", turn=turn),
            Event("finished", turn, number + 0.6, "echo", run="a", turn=turn, data={"duration_ms": 100.0}),
        ])  # fmt: skip
    assert cli("events", "show", "a").out.splitlines() == [
        "turn m: finished in 500 ms  [a-1]", "  call echo: finished in 100 ms  [a-1]",
        "turn m: finished in 500 ms  [a-2]", "  call echo: finished in 100 ms  [a-2]",
    ]  # fmt: skip


def test_a_line_has_times_as_people_read_them_and_nothing_that_is_not_known(cli: Cli, kept: Any) -> None:
    kept.EVENTS.append(
        [Event("node.finished", "r", 5.0, "", node="n", data={"duration_ms": 3.33155100088, "tool": None})]
    )
    assert cli("events", "list", "--kind", "node.finished").out.rstrip().endswith("n  node.finished  duration_ms=3.33")
