"""Configuration: which layer wins, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from ares_core.config import check_section, config_dir, load, unknown_sections
from ares_core.errors import ConfigError


def user_config(text: str) -> Path:
    path = Path(config_dir(), "ares.yaml")
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


def refused(config: Any, **options: Any) -> str:
    with pytest.raises(ConfigError) as error:
        load(config, **options)
    return str(error.value)


def test_argument_beats_environment_beats_project_beats_user_beats_default(project: Path) -> None:
    user_config("limits: {timeout: 1, queue_wait: 1, max_parallel: 1, max_waiting: 1}")
    (project / "ares.yaml").write_text("limits: {timeout: 2, queue_wait: 2, max_parallel: 2}")
    environ = {"ARES_LIMITS__TIMEOUT": "3", "ARES_LIMITS__QUEUE_WAIT": "3"}
    limits = load({"limits": {"timeout": 4}}, files=True, environ=environ).settings.limits
    assert (limits.timeout, limits.queue_wait, limits.max_parallel, limits.max_waiting) == (4, 3, 2, 1)
    assert limits.max_timeout == 600


def test_the_library_reads_no_file_unless_asked(project: Path) -> None:
    (project / "ares.yaml").write_text("limits: {timeout: 2}")
    assert load({"guard": {}}, environ={}).settings.limits.timeout == 30


def test_every_key_remembers_who_set_it(project: Path) -> None:
    path = project / "ares.yaml"
    path.write_text("limits: {timeout: 2}")
    loaded = load(None, files=True, environ={"ARES_LIMITS__QUEUE_WAIT": "3"})
    assert loaded.source("limits.timeout") == str(path)
    assert loaded.source("limits.queue_wait") == "the variable ARES_LIMITS__QUEUE_WAIT"
    assert loaded.source("limits.max_timeout") == "the defaults"
    assert loaded.files == (str(path),)


def test_entries_of_a_mapping_merge_and_lists_replace(project: Path) -> None:
    user_config("tools: {prefer: {a: one, b: one}}\nplanner: {rule_sets: [en, zh]}")
    config = {"tools": {"prefer": {"b": "two"}}, "planner": {"rule_sets": ["zh"]}}
    settings = load(config, files=True, environ={}).settings
    assert settings.tools.prefer == {"a": "one", "b": "two"}
    assert settings.planner.rule_sets == ("zh",)


def test_what_protects_adds_up_over_all_layers(project: Path) -> None:
    user_config("results: {redact: [secret]}\napprovals: {rules: [{answer: deny, tool: shell}]}")
    (project / "ares.yaml").write_text("results: {redact: [token]}\napprovals: {rules: []}")
    settings = load(None, files=True, environ={}).settings
    assert settings.results.redact == ("token", "secret")
    assert [rule.tool for rule in settings.approvals.rules] == ["shell"]


@pytest.mark.parametrize(
    ("variable", "text", "expected"),
    [
        ("ARES_ONLY_PLUGINS", "a, b", ("a", "b")),
        ("ARES_PLUGINS__ONLY", '["a"]', ("a",)),
        ("ARES_ONLY_PLUGINS", "", ()),
    ],
)
def test_a_variable_is_read_by_the_type_of_its_key(variable: str, text: str, expected: Any) -> None:
    assert load(None, environ={variable: text}).settings.plugins.only == expected


def test_a_variable_may_set_a_key_of_a_plugin() -> None:
    class Section(BaseModel):
        digits: int = 10

    loaded = load(None, environ={"ARES_CALCULATOR__DIGITS": "50"})
    assert check_section(loaded, "calculator", Section).digits == 50


def test_a_wrong_variable_is_named() -> None:
    assert "ARES_LIMITS__TIMEOUT" in refused(None, environ={"ARES_LIMITS__TIMEOUT": "30x"})
    assert "did you mean limits.timeout" in refused(None, environ={"ARES_LIMITS__TIMOUT": "3"})
    assert "ARES___TIMEOUT" in refused(None, environ={"ARES___TIMEOUT": "3"})


@pytest.mark.parametrize("value", [0, -1, True, "30", "30x", float("nan"), float("inf"), 1e12, [30], {"s": 30}])
def test_a_timeout_that_is_no_time_is_refused(value: object) -> None:
    message = refused({"limits": {"timeout": value}})
    assert message.startswith("limits.timeout in the config argument: expected seconds")


def test_nothing_leaves_a_key_unset() -> None:
    assert load({"limits": {"timeout": None}, "guard": None}).settings.limits.timeout == 30


def test_no_timeout_goes_above_the_largest() -> None:
    assert "at most limits.max_timeout" in refused({"limits": {"timeout": 20, "max_timeout": 10}})
    assert load({"limits": {"max_timeout": 10}}).settings.limits.timeout == 10


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"limits": {"tmeout": 1}}, "limits.tmeout in the config argument: there is no such key; did you mean"),
        ({"timeout": "thirty"}, "timeout in the config argument: expected a mapping"),
        ({"timeout": 30}, "did you mean limits.timeout?"),
        ({"guard": {"budgets": {"cals": 1}}}, "did you mean guard.budgets.calls?"),
        ({"approvals": {"rules": [{"answer": "maybe"}]}}, "approvals.rules[0].answer"),
        ({"approvals": {"rules": [{"tool": "x"}]}}, "answer is missing"),
        ({"approvals": {"rules": [{"answer": "ask", "tol": "x"}]}}, "did you mean approvals.rules[0].tool?"),
        ({"models": {"qwen*": {"text_call": "x"}}}, "did you mean models.qwen*.text_calls?"),
        ({"limits": {"rates": {"a": "3/min"}}}, "such as 10/minute"),
        ({"results": {"redact": ["("]}}, "results.redact[0]"),
        ({"planner": {"rule_sets": "en"}}, "expected a list, each a name"),
        ({1: {"x": 1}, "limits": {2: 3}}, "limits.2"),
    ],
)
def test_a_wrong_key_or_value_is_named_with_what_was_expected(config: dict[Any, Any], said: str) -> None:
    assert said in refused(config)


def test_a_section_of_no_plugin_is_a_warning_that_suggests_one() -> None:
    loaded = load({"calculatr": {"digits": 5}, "store_sqlite": {"path": "x"}})
    (warning,) = unknown_sections(loaded, ["calculator", "store-sqlite"])
    assert "calculatr.digits" in warning
    assert "did you mean calculator?" in warning


def test_core_and_plugin_share_a_section() -> None:
    loaded = load({"files": {"provider": "files", "max_size": 5}})
    assert loaded.settings.files.provider == "files"
    assert loaded.sections == {"files": {"max_size": 5}}


def test_a_plugin_section_is_checked_against_its_model() -> None:
    class Section(BaseModel):
        digits: int = 10

    loaded = load({"calculator": {"digts": 3}})
    with pytest.raises(ConfigError, match=r"calculator\.digts in .*did you mean calculator\.digits"):
        check_section(loaded, "calculator", Section)
    loaded = load({"calculator": {"digits": "many"}})
    with pytest.raises(ConfigError, match=r"calculator\.digits in the config argument: .*got the text 'many'"):
        check_section(loaded, "calculator", Section)


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
section_names = st.sampled_from(["limits", "guard", "files", "approvals", "models", "x"]) | st.text(max_size=6)


@given(st.dictionaries(section_names, plain, max_size=3))
def test_any_plain_data_is_settings_or_a_sentence(config: dict[str, Any]) -> None:
    try:
        load(config, environ={})
    except ConfigError as error:
        assert "the config argument" in str(error)


def test_reading_no_configuration_imports_neither_yaml_nor_pydantic() -> None:
    code = (
        "import sys; from ares_core.config import load; load(None);"
        "print([name for name in ('yaml', 'pydantic', 'tomllib', 'difflib') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=240)
    assert run.stdout.strip() == "[]"


def test_blanks_around_a_variable_do_no_harm() -> None:
    assert load(environ={"ARES_LIMITS__TIMEOUT": " 5\r"}).settings.limits.timeout == 5


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ARES_LIMITS_TIMEOUT", "write ARES_LIMITS__TIMEOUT"),
        ("ARES_LIMITS", "write ARES_LIMITS__KEY"),
        ("ARES_MCP_TOKEN", ""),
        ("ARES_STRICT", ""),
    ],
)
def test_a_variable_that_only_looks_like_a_key_is_told(name: str, said: str) -> None:
    notes = load(environ={name: "5"}).notes
    assert [note.rpartition("; ")[2] for note in notes] == ([said] if said else [])


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"plugins": {"only": ["calculator", 5]}}, "plugins.only[1] in the config argument: expected a name, got 5"),
        ({"results": {"redact": [""]}}, "results.redact[0] in the config argument: expected a name, got the text ''"),
    ],
)
def test_the_wrong_part_of_a_list_is_named(config: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(config)
    assert str(caught.value) == said


def test_a_section_that_begins_with_a_known_name_suggests_that_one() -> None:
    loaded = load({"mcpServers": {"a": {"command": "x"}}})
    assert unknown_sections(loaded, ["mcp", "stores"])[0].endswith("did you mean mcp?")
