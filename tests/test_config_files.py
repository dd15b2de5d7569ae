"""Configuration files: what is read, where, and what a project's file may say before it is trusted."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from ares_core.config import (
    Loaded,
    config_dir,
    is_trusted,
    load,
    project_file,
    state_dir,
    trust,
    untrust,
    widening_keys,
)
from ares_core.errors import ConfigError

WIDE = "http: {allow_hosts: [intranet]}\nplugins: {block: [x]}\nlimits: {timeout: 3}\n"


def found() -> Loaded:
    return load(None, files=True, environ={})


def refused(path: Path) -> str:
    with pytest.raises(ConfigError) as error:
        load(path)
    assert str(path) in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{,}", "line 1, column 2"),
        ("limits:\n\ttimeout: 3", "line 2, column 1"),
        ("limits: {timeout: 1}\nlimits: {}", "line 2, column 1: the key 'limits' is given twice"),
        ("a: &x {b: 1}\nc: *x", "line 2, column 4: the alias *x is not allowed"),
        ("a: !!python/object/apply:os.system [ls]", "line 1"),
        ("- limits", "expected sections such as 'limits:' at the top, got a list"),
        ("thirty", "got a single value"),
        ("1: {}", "line 1, column 1: a key must be text"),
        ("limits: {timeout: thirty}", "limits.timeout"),
        ("a: 1\n---\nb: 2", "line 2"),
        ("a: " + "[" * 1000, "nested deeper than 40"),
        (b"a: \xff", "byte 3 is no UTF-8"),
        ("a: \x00", "line 1"),
        (r'a: "\ud83d"', "line 1, column 4: an escape is half a character"),
        ("a: " + "x" * 200_000, "too large"),
    ],
)
def test_a_broken_file_is_refused_with_the_place(project: Path, text: str | bytes, said: str) -> None:
    path = project / "ares.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    assert said in refused(path)


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "\n\n"])
def test_an_empty_file_counts_as_empty_with_a_note_and_stays_as_it_is(project: Path, text: str) -> None:
    path = project / "ares.yaml"
    path.write_text(text)
    assert found().notes == (f"{path} is empty, so nothing is configured there",)
    assert path.read_text() == text


def test_a_byte_order_mark_does_no_harm(project: Path) -> None:
    (project / "ares.yaml").write_bytes(b"\xef\xbb\xbflimits: {timeout: 3}")
    assert found().settings.limits.timeout == 3


def test_yaml_words_and_numbers_mean_what_they_look_like(project: Path) -> None:
    (project / "ares.yaml").write_text("x: {a: no, b: true, c: 010, d: 1:30, e: 2024-01-01, f: 1e3, g: ~, h: 0x1F}")
    assert found().sections["x"] == {
        "a": "no", "b": True, "c": 10, "d": "1:30", "e": "2024-01-01", "f": 1000.0, "g": None, "h": "0x1F",
    }  # fmt: skip


def test_what_a_program_wrote_as_json_is_read_as_that(project: Path) -> None:
    values = {"smile": "\U0001f600 hi", "k" * 2000: 10**30, "tab": "a\tb", "third": 0.33333333333333333333333}
    (project / "ares.yaml").write_text(json.dumps({"x": values}, indent="\t"))
    assert found().sections["x"] == values
    (project / "ares.yaml").write_text('{"limits"\n:\n{"timeout":\t3}}')
    assert found().settings.limits.timeout == 3


def test_a_long_list_in_brackets_is_read_as_it_comes() -> None:
    from ares_core.config.yaml_loader import PlainLoader

    loader: Any = PlainLoader("[" + "{a: b},\n" * 1000 + "]")
    for _ in range(100):
        loader.get_event()
    assert len(loader.tokens) < 100


def test_a_file_that_anyone_can_change_is_remarked_on(project: Path) -> None:
    path = project / "ares.yaml"
    path.write_text("limits: {timeout: 3}")
    path.chmod(stat.S_IRUSR | stat.S_IWUSR | stat.S_IWOTH)
    assert "every user of this machine" in found().notes[0]


def test_a_missing_file_is_named(project: Path) -> None:
    assert "no.yaml: can't be read" in refused(project / "no.yaml")


def test_pyproject_can_hold_the_configuration(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.ares.limits]\ntimeout = 7\n[tool.ruff]\nx = 1")
    assert found().settings.limits.timeout == 7


def test_a_broken_pyproject_names_line_and_column(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.ares]\nlimits = =\n")
    assert "line 2, column 10" in refused(project / "pyproject.toml")


def test_a_pyproject_without_our_table_is_passed_over(project: Path) -> None:
    (project / "ares.yaml").write_text("limits: {timeout: 3}")
    inner = project / "inner"
    inner.mkdir()
    (inner / "pyproject.toml").write_text("[tool.ares-other\nbroken")
    assert project_file(str(inner)) == str(project / "ares.yaml")


def test_the_search_stops_at_the_repository_and_below_home(project: Path) -> None:
    (project.parent / "ares.yaml").write_text("limits: {timeout: 3}")
    assert project_file() is None
    home = Path(os.environ["HOME"])
    (home / "work").mkdir(parents=True)
    (home / "ares.yaml").write_text("limits: {timeout: 3}")
    assert project_file(str(home / "work")) is None
    assert project_file(str(home)) == str(home / "ares.yaml")


def test_a_project_file_widens_nothing_until_it_is_trusted(project: Path) -> None:
    path = project / "ares.yaml"
    path.write_text(WIDE)
    loaded = found()
    assert (loaded.settings.http.allow_hosts, loaded.settings.plugins.block) == ((), ())
    assert loaded.settings.limits.timeout == 3
    assert loaded.notes == (
        f"{path} sets http.allow_hosts, plugins.block, which widens what may run or be reached; "
        f"this counts only after: ares trust {path}",
    )


def test_a_rule_that_allows_counts_from_a_project_file_only_when_it_is_trusted(project: Path) -> None:
    path = project / "ares.yaml"
    path.write_text(
        "approvals:\n  rules:\n"
        "    - {answer: allow, tool: file_tools, arguments: {path: '/*'}}\n"
        "    - {answer: ask, effect: mutating, arguments: {path: '/etc/*'}}\n"
    )
    assert [rule.answer for rule in found().settings.approvals.rules] == ["ask"]
    assert "approvals.rules (allow)" in found().notes[0]
    trust(path)
    assert [rule.answer for rule in found().settings.approvals.rules] == ["allow", "ask"]
    assert found().settings.approvals.rules[0].arguments == {"path": "/*"}


def test_trust_holds_for_this_file_with_this_content(project: Path) -> None:
    path = project / "ares.yaml"
    path.write_text(WIDE)
    assert trust(path) == ["http.allow_hosts", "plugins.block"]
    loaded = found()
    assert (loaded.settings.http.allow_hosts, loaded.notes) == (("intranet",), ())
    path.write_text(WIDE.replace("intranet", "elsewhere"))
    assert not is_trusted(path)
    assert found().settings.http.allow_hosts == ()


def test_trust_is_not_carried_to_a_copy(project: Path) -> None:
    (project / "ares.yaml").write_text(WIDE)
    trust(project / "ares.yaml")
    (project / "copy.yaml").write_text(WIDE)
    assert not is_trusted(project / "copy.yaml")


def test_trust_can_be_taken_away_from_all_that_a_file_ever_said(project: Path) -> None:
    path = project / "ares.yaml"
    for text in (WIDE, WIDE + "guard: {}\n"):
        path.write_text(text)
        trust(path)
    assert untrust(path)
    assert not untrust(path)
    path.write_text(WIDE)
    assert not is_trusted(path)


def test_trust_is_for_nobody_else_to_see(project: Path) -> None:
    (project / "ares.yaml").write_text(WIDE)
    trust(project / "ares.yaml")
    assert stat.S_IMODE(Path(state_dir(), "trusted").stat().st_mode) == 0o700


def test_an_untrusted_file_may_deny_and_ask_but_not_allow(project: Path) -> None:
    (project / "ares.yaml").write_text("approvals: {rules: [{answer: allow}, {answer: deny, tool: shell}]}")
    loaded = found()
    assert [rule.answer for rule in loaded.settings.approvals.rules] == ["deny"]
    assert "approvals.rules (allow)" in loaded.notes[0]


def test_a_file_given_by_name_and_the_users_file_count_fully(project: Path) -> None:
    (project / "mine.yaml").write_text("plugins: {block: [x]}")
    user = Path(config_dir(), "ares.yaml")
    user.parent.mkdir(parents=True)
    user.write_text("http: {allow_hosts: [intranet]}")
    settings = load(project / "mine.yaml", files=True, environ={}).settings
    assert (settings.plugins.block, settings.http.allow_hosts) == (("x",), ("intranet",))


@pytest.mark.parametrize(
    ("values", "keys"),
    [
        ({"mcp": {"servers": {"a": {"command": "sh"}}}}, ["mcp.servers"]),
        ({"tools": {"file_sandbox_dir": "/"}}, ["tools.file_sandbox_dir"]),
        ({"code_runner": {"enabled": True}}, ["code_runner.enabled"]),
        ({"agent_tools": {"path": "memory.db", "memories": 5}}, ["agent_tools.path"]),
        ({"agent": {"models": {"x": {"base_url": "http://evil"}}}}, ["agent.models.x.base_url"]),
        ({"web_search": {"endpoint": "http://evil", "results": 3}}, ["web_search.endpoint"]),
        ({"limits": {"timeout": 5}, "tools": {"prefer": {"a": "b"}}}, []),
    ],
)
def test_keys_that_widen(values: dict[str, Any], keys: list[str]) -> None:
    assert widening_keys(values) == keys


def test_a_path_that_is_none_is_an_error_in_a_sentence() -> None:
    with pytest.raises(ConfigError, match="can't be read"):
        load("a\0b")
