"""Standing rules look at arguments too, and nobody gets past them by writing a path in another way."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ares_core import Ares, ConfigError, Effects, Tool
from ares_core.call.rules import fits

PATHS = [
    ("/tmp/a", "runs"),
    ("/tmp/a/../b", "runs"),
    ("/tmp/../etc/passwd", "asks"),
    ("/tmp/a/../../etc/passwd", "asks"),
    ("/tmp/..\\..\\etc", "asks"),
    ("//tmp/a", "asks"),
    ("/tmp", "asks"),
    (" /tmp/a", "asks"),
    ("/TMP/a", "asks"),
    ("/etc/passwd", "refused"),
    ("/etc/./passwd", "refused"),
    ("/etc//passwd", "refused"),
    ("/tmp/../../etc/shadow", "asks"),
    ("/srv/../etc/x", "refused"),
    ("//etc/x", "refused"),
]


def write(path: str, force: bool = False, level: int = 1, options: dict[str, Any] | None = None) -> str:
    """Write a file."""
    return path


def copy(paths: list[str]) -> list[str]:
    """Copy files."""
    return paths


def outcome(rules: list[dict[str, Any]], tool: str, **arguments: Any) -> str:
    with Ares(plugins=[], config={"approvals": {"rules": rules}}) as ares:
        for function in (write, copy):
            effects = Effects(open_world=False)
            ares.register(Tool.from_function(function, requires_approval=True, effects=effects))
        result = ares.call_sync(tool, arguments)
    codes = {None: "runs", "approval_required": "asks", "denied": "refused"}
    return codes[result.error.code if result.error else None]


ALLOW = {"answer": "allow", "tool": "write", "arguments": {"path": "/tmp/*"}}
DENY = {"answer": "deny", "arguments": {"path": "/etc/*"}}


@pytest.mark.parametrize(("path", "expected"), [pair for pair in PATHS if pair[1] != "refused"])
def test_a_rule_that_allows_a_folder_allows_nothing_outside_it(path: str, expected: str) -> None:
    assert outcome([ALLOW], "write", path=path) == expected


@pytest.mark.parametrize("path", [path for path, expected in PATHS if expected == "refused"])
def test_a_rule_that_denies_a_folder_denies_every_way_to_write_it(path: str) -> None:
    assert outcome([DENY], "write", path=path) == "refused"


def test_deny_beats_allow_also_by_argument() -> None:
    rules = [{**ALLOW, "arguments": {}}, DENY]
    assert outcome(rules, "write", path="/etc/x") == "refused"
    assert outcome(rules, "write", path="/home/x") == "runs"


@pytest.mark.parametrize(
    ("wanted", "arguments", "expected"),
    [
        ({"force": True}, {"force": True}, "runs"),
        ({"force": True}, {"force": False}, "asks"),
        ({"level": 1}, {"level": 1}, "runs"),
        ({"level": 1}, {"level": 2}, "asks"),
        ({"level": "1*"}, {"level": 15}, "runs"),
        ({"force": 1}, {"force": True}, "asks"),
        ({"path": "p*", "level": 2}, {"level": 2}, "runs"),
        ({"path": "q*", "level": 2}, {"level": 2}, "asks"),
        ({"nothing": "*"}, {}, "asks"),
        ({"/options/mode": "dry*"}, {"options": {"mode": "dry run"}}, "runs"),
        ({"/options/mode": "dry*"}, {"options": {"mode": "wet"}}, "asks"),
        ({"/options/mode": "*"}, {"options": {}}, "asks"),
    ],
)
def test_all_argument_patterns_of_a_rule_must_fit(wanted: Any, arguments: Any, expected: str) -> None:
    rule = {"answer": "allow", "arguments": wanted}
    assert outcome([rule], "write", **{"path": "p", **arguments}) == expected


def test_of_a_list_every_item_must_be_allowed_and_one_is_enough_to_deny() -> None:
    allow = {"answer": "allow", "arguments": {"paths": "/tmp/*"}}
    deny = {"answer": "deny", "arguments": {"paths": "/etc/*"}}
    assert outcome([allow], "copy", paths=["/tmp/a", "/tmp/b"]) == "runs"
    assert outcome([allow], "copy", paths=["/tmp/a", "/home/b"]) == "asks"
    assert outcome([deny], "copy", paths=["/tmp/a", "/etc/b"]) == "refused"


def test_an_address_keeps_its_host() -> None:
    rule = {"answer": "allow", "tool": "write", "arguments": {"path": "https://example.com/*"}}
    assert outcome([rule], "write", path="https://example.com/a") == "runs"
    assert outcome([rule], "write", path="https://example.com.evil/a") == "asks"
    assert outcome([rule], "write", path="https://example.com/../../evil.com/a") == "asks"


@given(st.text("ab*", max_size=8), st.text("ab", max_size=12))
def test_a_pattern_fits_what_the_same_regular_expression_fits(pattern: str, text: str) -> None:
    import re

    expression = ".*".join(re.escape(part) for part in pattern.split("*"))
    assert fits(pattern, text) is bool(re.fullmatch(expression, text, re.DOTALL))


def test_no_pattern_and_no_text_takes_long() -> None:
    started = time.process_time()
    assert not fits("*a" * 90 + "*b", "a" * 1_000_000)
    assert not fits("[a-z]*(a+)+$", "a" * 1_000_000)
    assert time.process_time() - started < 30


@pytest.mark.parametrize("arguments", [["/tmp/*"], {"path": ["a"]}, {"path": None}, "path"])
def test_a_pattern_that_is_none_is_a_configuration_error(arguments: Any) -> None:
    rule = {"answer": "allow", "arguments": arguments}
    with pytest.raises(ConfigError, match=r"approvals.rules\[0\].arguments"):
        Ares(plugins=[], config={"approvals": {"rules": [rule]}})
