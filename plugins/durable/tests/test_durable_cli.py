"""``ares durable``."""

from __future__ import annotations

import json
import signal
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ares_core import Ares, cli

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(ares_home: Path, ares: Ares, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command line with the tool ``double``."""

    @contextmanager
    def opened() -> Iterator[Ares]:
        yield ares

    monkeypatch.setattr(cli, "opened", opened)

    def run(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            cli.main(["durable", *words])
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return run


@pytest.mark.parametrize("command", ["show", "cancel", "resume"])
def test_the_shell_completes_ids_of_jobs(run: Run, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    run("call", "nothing", "--id", "mine")
    monkeypatch.setenv("ARES_ONLY_PLUGINS", "durable")
    monkeypatch.setattr(cli.completing, "PATIENCE", 60.0)
    monkeypatch.setenv("_ARES_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", f"ares durable {command} m")
    monkeypatch.setenv("COMP_CWORD", "3")
    assert run() == (0, "plain,mine\n", "")


def test_a_call_is_kept_listed_shown_and_given_again(run: Run) -> None:
    assert run("jobs") == (0, "", "No jobs are kept yet.\n")
    code, _, said = run("call", "nothing", "--id", "a")
    assert (code, "no tool 'nothing'" in said) == (2, True)
    jobs: Any = json.loads(run("jobs", "--json")[1])
    assert [(one["id"], one["status"], one["what"]) for one in jobs] == [("a", "unknown_tool", "nothing")]
    assert "outcome: There is no tool 'nothing'" in run("show", "a")[1]
    assert json.loads(run("show", "a", "--json")[1])["outcome"]["error"]["code"] == "unknown_tool"
    code, _, said = run("resume", "a")
    assert (code, "no tool 'nothing'" in said) == (1, True)


def test_arguments_are_written_as_for_a_call_that_is_not_kept(run: Run) -> None:
    assert run("call", "double", "n=4")[:2] == (0, "8\n")
    assert run("call", "double", "5")[:2] == (0, "10\n")
    assert json.loads(run("schedule", "daily", "0 7 * * *", "double", "n=1", "--json")[1])["kept"] is True
    assert json.loads(run("schedules", "--json")[1])[0]["what"] == "double"
    code, _, said = run("call", "double", "m=1", "2")
    assert (code, "/m" in said) == (2, True), said


def test_an_id_with_other_input_is_refused(run: Run) -> None:
    same = ("call", "double", "--id", "a", "--args", '{"n": 1}')
    assert [run(*same)[:2] for _ in range(2)] == [(0, "2\n")] * 2
    code, said, _ = run(*same[:-1], '{"n": 2}', "--json")
    assert (code, json.loads(said)["error"]["code"]) == (2, "key_conflict")
    code, _, said = run("ask", "double", "2", "--id", "a")
    assert (code, "'a' was used before with other input (double)" in said) == (1, True)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("cancel", "nobodys"), "There is no job 'nobodys'"),
        (("show", "nobodys"), "There is no job 'nobodys'"),
        (("unschedule", "nobodys"), "There is no schedule 'nobodys'"),
        (("schedule", "s", "whenever", "double", "--args", '{"n": 1}'), "kept: 'whenever' is no time such as"),
        (("schedule", "s", "0 7 * * *", "duoble"), "There is no tool 'duoble'. Did you mean 'double'?"),
        (("schedule", "s", "0 7 * * *", "double", "--args", '{"n": "x"}'), "don't fit double: /n: expected"),
        (("call", "t", "--args", "[1]"), "no JSON object"),
    ],
    ids=["cancel", "show", "unschedule", "cron", "tool", "arguments", "call"],
)
def test_wrong_usage_is_a_sentence(run: Run, words: tuple[str, ...], sentence: str) -> None:
    code, _, said = run(*words)
    assert (code, sentence.lower() in said.lower()) == (2, True), said


def test_schedules_are_kept_listed_and_taken_out(run: Run) -> None:
    assert run("schedule", "daily", "0 7 * * *", "double", "--args", '{"n": 1}')[0] == 0
    kept: Any = json.loads(run("schedules", "--json")[1])
    assert kept == [
        {"name": "daily", "schedule": "0 7 * * *", "job": "ares_plugin_durable.jobs:call", "what": "double"}
    ]
    assert run("unschedule", "daily")[0] == 0
    assert run("schedules") == (0, "", "No schedules are kept.\n")


def test_work_ends_well_with_ctrl_c(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    def note(text: str) -> None:
        told.append(text)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(cli, "note", note)
    assert (run("work")[0], told) == (0, ["Working; Ctrl-C ends it."])


def test_the_file_is_its_owners_alone_and_a_damaged_one_is_a_sentence(
    run: Run, ares_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ares_plugin_durable import engine

    file = ares_home / "durable.db"
    monkeypatch.setattr(engine, "place", lambda settings: f"sqlite:///{file}")
    run("jobs")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.write_bytes(file.read_bytes()[:4096] + b"A" * 8192)
    for words in (("jobs",), ("call", "double")):
        code, _, said = run(*words)
        assert (code, said.count("\n"), "durable.url: the database can't be used" in said) == (2, 1, True), said
