"""``ares approvals``: from one process to the next a call waits, is decided, and goes on."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ares_core import Approval, ToolCall
from ares_core.cli import main
from ares_core.cli.approving import shown

KEEPER = """
import json
from pathlib import Path
import msgspec
from ares_core import PendingApproval, hookimpl

FILE = Path("approvals.json")

class Kept:
    def _all(self):
        return json.loads(FILE.read_text()) if FILE.exists() else {}
    def _put(self, approval):
        found = self._all()
        found[approval.id] = msgspec.to_builtins(approval)
        FILE.write_text(json.dumps(found))
    add = _put
    def get(self, id):
        return next((one for one in self.list() if one.id == id), None)
    def list(self):
        return [msgspec.convert(one, PendingApproval) for one in self._all().values()]
    def change(self, approval, before):
        fits = self.get(approval.id).status == before
        if fits:
            self._put(approval)
        return fits
    def close(self):
        pass

@hookimpl
def open_store(kind):
    return Kept() if kind == "approvals" else None
"""


Cli = Callable[..., Any]


@pytest.fixture
def waits(cli: Cli, install: Any, monkeypatch: pytest.MonkeyPatch) -> Cli:
    install("keeper", KEEPER)
    monkeypatch.setenv("ARES_STORES__APPROVALS", "keeper")
    monkeypatch.setenv("ARES_APPROVALS__DEFER", "true")
    return cli


def made(cli: Cli, *arguments: str) -> str:
    ended = cli("call", "erase", *(arguments or ("name=x",)), "--json")
    assert ended.code == 1
    return str(ended.document["metadata"]["approval"])


def test_a_call_waits_is_approved_and_goes_on(waits: Cli) -> None:
    id = made(waits)
    assert id in waits("approvals").out
    assert waits("approvals", "resume", id).code == 1
    approved = waits("approvals", "approve", id)
    assert (approved.code, f"ares approvals resume {id}" in approved.err) == (0, True)
    ended = waits("approvals", "resume", id)
    assert (ended.code, ended.out) == (0, "erased x\n")
    assert waits("approvals").out == ""
    assert "done" in waits("approvals", "list", "--all").out


def test_a_denied_call_does_not_run_and_says_why(waits: Cli) -> None:
    id = made(waits)
    assert waits("approvals", "deny", id, "--reason", "frozen until Monday").code == 0
    ended = waits("approvals", "resume", id)
    assert ended.code == 1
    assert "frozen until Monday" in ended.err


def test_every_command_speaks_json(waits: Cli) -> None:
    id = made(waits)
    assert [one["id"] for one in waits("approvals", "--json").document] == [id]
    assert waits("approvals", "show", id, "--json").document["arguments"]["name"] == "x"
    assert waits("approvals", "approve", id, "--json").document["status"] == "approved"
    assert waits("approvals", "resume", id, "--json").document["data"] == "erased x"


def test_what_was_changed_is_marked(waits: Cli) -> None:
    text = waits("approvals", "show", made(waits, "--args", '{"name": 5}')).out
    assert '\n-  "name": 5' in text
    assert '\n+  "name": "5"' in text


def test_a_person_sees_the_final_arguments_against_those_that_were_asked_for() -> None:
    call = ToolCall("erase", {"limit": 10, "pin": "1234"})
    text = shown(Approval(call, "why", "", shown={"limit": 10, "pin": "[redacted]"}, asked={"limit": 500}))
    assert '\n-  "limit": 500\n' in text
    assert '\n+  "limit": 10,\n' in text
    assert "1234" not in text


def test_arguments_that_are_hard_to_compare_do_not_hold_up_the_question() -> None:
    many = {f"{number}": number % 7 for number in range(300)}
    asked = {f"{number}": number % 5 for number in range(300)}
    started = time.process_time()
    assert "more, not shown here" in shown(Approval(ToolCall("erase"), "why", "", shown=many, asked=asked))
    assert time.process_time() - started < 30


@pytest.mark.parametrize("word", ["show", "approve", "deny", "resume"])
def test_an_approval_that_is_not_there_is_wrong_usage(waits: Cli, word: str) -> None:
    ended = waits("approvals", word, "nope", "--json")
    assert (ended.code, ended.document["error"]["code"]) == (2, "usage")


def test_what_is_decided_can_not_be_decided_again(waits: Cli) -> None:
    id = made(waits)
    waits("approvals", "deny", id)
    ended = waits("approvals", "approve", id)
    assert ended.code == 2
    assert "denied already" in ended.err


def test_secrets_are_given_again_to_resume(waits: Cli, project: Path) -> None:
    id = made(waits, "name=x", "password=correct horse")
    assert "correct horse" not in (project / "approvals.json").read_text("utf-8")
    waits("approvals", "approve", id)
    assert "give them again (--args)" in waits("approvals", "resume", id).err
    assert waits("approvals", "resume", id, "--args", '{"password": "wrong"}').code == 1
    assert waits("approvals", "resume", id, "--args", '{"password": "correct horse"}').code == 0


def test_arguments_that_are_none_are_wrong_usage(waits: Cli) -> None:
    id = made(waits)
    assert waits("approvals", "resume", id, "--args", "[1]").code == 2
    assert waits("approvals", "resume", id, "--args", '{"a": ').code == 2


def test_nothing_waits_is_said_beside_the_answer(waits: Cli) -> None:
    ended = waits("approvals")
    assert (ended.code, ended.out) == (0, "")
    assert "Nothing waits" in ended.err


def test_the_shell_completes_ids(
    process: Cli, install: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install("keeper", KEEPER)
    monkeypatch.setenv("ARES_STORES__APPROVALS", "keeper")
    monkeypatch.setenv("ARES_APPROVALS__DEFER", "true")
    id = made(process)
    monkeypatch.setattr("ares_core.cli.completing.PATIENCE", 60.0)
    monkeypatch.setenv("_ARES_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", f"ares approvals resume {id[:4]}")
    monkeypatch.setenv("COMP_CWORD", "3")
    with pytest.raises(SystemExit):
        main([])
    assert capsys.readouterr().out == f"plain,{id}\n"
