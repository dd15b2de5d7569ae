"""``ares durable``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ares_core import cli

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(ares_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setenv("ARES_ONLY_PLUGINS", "durable")

    def run(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            cli.main(["durable", *words])
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return run


def test_a_call_is_kept_listed_and_given_again(run: Run) -> None:
    assert run("jobs") == (0, "", "No jobs are kept yet.\n")
    code, _, said = run("call", "nothing", "--id", "a")
    assert (code, "no tool 'nothing'" in said) == (2, True)
    jobs: Any = json.loads(run("jobs", "--json")[1])
    assert jobs == [{"id": "a", "status": "success", "job": "ares_plugin_durable.jobs:call"}]
    code, _, said = run("resume", "a")
    assert (code, "no tool 'nothing'" in said) == (1, True)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("cancel", "nobodys"), "There is no job 'nobodys'"),
        (("unschedule", "nobodys"), "There is no schedule 'nobodys'"),
        (("schedule", "s", "whenever", "t"), "The schedule 's' can't be kept"),
        (("call", "t", "--args", "[1]"), "no JSON object"),
    ],
    ids=["cancel", "unschedule", "schedule", "call"],
)
def test_wrong_usage_is_a_sentence(run: Run, words: tuple[str, ...], sentence: str) -> None:
    code, _, said = run(*words)
    assert (code, sentence.lower() in said.lower()) == (2, True), said


def test_schedules_are_kept_listed_and_taken_out(run: Run) -> None:
    assert run("schedule", "daily", "0 7 * * *", "calculator")[0] == 0
    kept: Any = json.loads(run("schedules", "--json")[1])
    assert kept == [{"name": "daily", "schedule": "0 7 * * *", "job": "ares_plugin_durable.jobs:call"}]
    assert run("unschedule", "daily")[0] == 0
    assert run("schedules") == (0, "", "No schedules are kept.\n")
