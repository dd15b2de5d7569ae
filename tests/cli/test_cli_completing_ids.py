"""Ids that a shell completes from what is kept: the newest first, a bounded number of them, and never an error."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event as Signal
from typing import Any

import click
import pytest

from ares_core.cli import completing

KEEPER = """
from ares_core import Event, hookimpl
from ares_core.eventlog import MemoryEvents

@hookimpl
def open_store(kind):
    events = MemoryEvents()
    events.append([Event("started", f"e{n}", float(n), "t", run=f"r{n}", session="mine") for n in range(60)])
    return events if kind == "events" else None
"""
BROKEN = """
from ares_core import hookimpl
from ares_core.eventlog import MemoryEvents

class Broken(MemoryEvents):
    def query(self, **wanted):
        raise OSError("the disk is gone")

@hookimpl
def open_store(kind):
    return Broken() if kind == "events" else None
"""


@pytest.fixture
def completed(cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Has the shell complete the last word of a line."""

    def complete(line: str) -> Any:
        monkeypatch.setattr(completing, "PATIENCE", 60.0)
        monkeypatch.setenv("ARES_STORES__EVENTS", "keeper")
        monkeypatch.setenv("_ARES_COMPLETE", "bash_complete")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
        return cli()

    return complete


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ares events show r5", [f"r{n}" for n in (*range(59, 49, -1), 5)]),
        ("ares events replay mi", ["mine"]),
        ("ares events --run r1", [f"r{n}" for n in (*range(19, 9, -1), 1)]),
        ("ares events list --execution e7", ["e7"]),
        ("ares events show zz", []),
    ],
)
def test_ids_are_completed_newest_first(completed: Any, install: Any, line: str, words: list[str]) -> None:
    install("keeper", KEEPER)
    ended = completed(line)
    assert (ended.code, ended.out.splitlines(), ended.err) == (0, [f"plain,{word}" for word in words], "")


def test_no_more_are_offered_than_a_person_can_look_through(completed: Any, install: Any) -> None:
    install("keeper", KEEPER)
    assert len(completed("ares events show ").out.splitlines()) == completing.MOST_OFFERED


def test_a_store_that_is_broken_or_not_there_writes_nothing_into_the_shell(completed: Any, install: Any) -> None:
    assert completed("ares events show ")[1:] == ("", "")
    install("keeper", BROKEN)
    assert completed("ares events show ")[1:] == ("", "")


def test_a_store_that_does_not_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch, ares_home: Any) -> None:
    monkeypatch.setattr(completing, "PATIENCE", 0.01)
    monkeypatch.setenv("ARES_ONLY_PLUGINS", "none")
    answers = Signal()
    complete = completing.kept(lambda ares: ["late"] if answers.wait(60) else [])
    argument = click.Argument(["id"])
    try:
        assert complete(click.Context(click.Command("x")), argument, "") == []
    finally:
        answers.set()
