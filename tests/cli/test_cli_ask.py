"""``ares ask``, ``ares plan`` and ``ares rules test``: requests in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]


def test_the_answer_by_itself_and_what_was_done(cli: Cli) -> None:
    ended = cli("ask", 'say "hello world"')
    assert (ended.code, ended.out) == (0, "hello world\n")
    assert ended.err.startswith('echo(text="hello world"')


def test_the_words_of_a_request_need_no_quotes_and_may_come_from_stdin(process: Cli) -> None:
    assert process("ask", "say", '"hello"').out == "hello\n"
    assert process("ask", "-", text='say "hello"').out == "hello\n"


def test_a_request_that_is_not_understood_runs_nothing_and_says_so(cli: Cli) -> None:
    ended = cli("ask", "make me a sandwich")
    assert (ended.code, ended.out) == (1, "")
    assert "Not executed" in ended.err


def test_with_json_the_steps_and_the_plan_are_in_the_document(cli: Cli) -> None:
    found = cli("ask", 'say "a"', "--explain", "--json").document
    assert found["success"] is True
    assert found["plan"]["steps"][0]["tool"] == "echo"
    assert cli("ask", "make me a sandwich", "--json").document["error"]["code"] == "no_plan"


def test_explain_shows_the_plan_on_stderr(cli: Cli) -> None:
    ended = cli("ask", 'say "a"', "--explain")
    assert ended.out == "a\n"
    assert "by rule 'say' of parrot" in ended.err


def test_a_plan_is_shown_and_not_run(cli: Cli) -> None:
    ended = cli("plan", 'say "a"')
    assert ended.code == 0
    assert "step s1: echo" in ended.out
    assert cli("plan", 'say "a"', "--json").document["steps"][0]["arguments"] == {"text": "a"}


def test_no_plan_is_exit_code_1(cli: Cli) -> None:
    ended = cli("plan", "make me a sandwich", "--json")
    assert (ended.code, ended.document["error"]["code"]) == (1, "no_plan")


@pytest.mark.parametrize("command", ["ask", "plan"])
def test_a_request_is_needed(cli: Cli, command: str) -> None:
    assert cli(command).code == 2


CASES = """\
- {request: say "a", tool: echo, arguments: {text: a}}
- {request: say "a", tool: [echo], arguments: {text: b}}
- {request: make me a sandwich, error: no_plan}
- {request: make me a sandwich, tool: echo}
"""


def test_requests_of_a_file_are_planned_and_compared(cli: Cli, project: Path) -> None:
    (project / "cases.yaml").write_text(CASES, "utf-8")
    found = cli("rules", "test", "cases.yaml", "--json")
    assert found.code == 1
    problems = [failure["problem"] for failure in found.document["failures"]]
    assert problems == ["expected text='b', got 'a'", "expected echo, got no_plan"]
    assert cli("rules", "test", "cases.yaml").out.splitlines()[-1] == "2 of 4 requests planned as expected"


def test_the_rule_that_hits_can_be_tested_by_itself(cli: Cli, project: Path) -> None:
    cases = "- {request: say 'a', rule: say}\n- {request: say 'a', rule: shout}\n- {request: say 'a'}\n"
    (project / "cases.yaml").write_text(cases, "utf-8")
    failures = cli("rules", "test", "cases.yaml", "--json").document["failures"]
    assert [failure["problem"] for failure in failures] == [
        "expected rule shout, got say", "expected a tool or an error to be named, got echo",
    ]  # fmt: skip


def test_the_rules_of_a_set_are_listed_with_their_wordings(cli: Cli) -> None:
    name = cli("rules", "list", "--json").document[0]["name"]
    rules = cli("rules", "list", name, "--json").document
    assert rules[0].keys() == {"rule", "capabilities", "reads", "phrases", "excludes", "plugin"}
    assert f"{rules[0]['rule']}:" in cli("rules", "list", name).out
    ended = cli("rules", "list", "nobodys")
    assert ended.code == 2
    assert "There is no rule set 'nobodys'" in ended.err


def test_a_plan_is_told_at_length_or_in_short(cli: Cli) -> None:
    long, short = cli("plan", 'say "a"', "--explain").out, cli("plan", 'say "a"', "--brief").out
    assert "understood" in long
    assert "candidate" in long
    assert "understood" not in short
    assert "step s1: echo" in short


@pytest.mark.parametrize("text", ["- {tool: echo}", "- {request: a, tol: b}", "request: a", "- *a", "["])
def test_a_file_that_holds_no_cases_is_wrong_usage(cli: Cli, project: Path, text: str) -> None:
    (project / "cases.yaml").write_text(text, "utf-8")
    ended = cli("rules", "test", "cases.yaml")
    assert ended.code == 2
    assert "cases.yaml holds no list of cases" in ended.err
