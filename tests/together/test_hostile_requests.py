"""Hostile text against the real rules: an answer soon, and nothing run that shouldn't be."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ares_core import Ares

ROOT = Path(__file__).parents[2]
PLUGINS = sorted(path.parent.name for path in ROOT.glob("plugins/*/pyproject.toml"))
FAR_TOO_LONG = 6.0
TEXTS = {
    "a megabyte of one wish": "sum of 1 and 2 " * 70_000,
    "a megabyte of one letter": "a" * 1_000_000,
    "a megabyte of Chinese": "从1加到100，" * 130_000,
    "ranges without an end": "从1加到100" * 1_400,
    "quotes": "join " + "'a', " * 1_900,
    "steps": "md5 of 'a', then " * 580,
    "dates": "days between 2024-01-01 and " * 330,
    "spans of time": "add 1 day and " * 700,
    "folders": "list files in a/b/c/" * 450,
    "JSON": '{"a":1} ' * 1_200,
    "paths into JSON": "$.a" * 3_300,
    "patterns of names": "list *.py files in " * 500,
    "searches": "search the web for cats, then count the words, " * 200,
    "places": "time in new york " * 580,
    "both": "join them with '-' and " * 400,
    "fences": "```" * 3_300,
    "digests in digests": "sha256 of " * 900 + "x",
    "digests in digests, in Chinese": "的md5" * 2_400,
    "heads without an object": "gcd and lcm and " * 600 + "of 4 and 6",
    "slips": "calcualte sqaure " * 580,
    "control characters": "\x00\x01\x1b[31m md5 of 'a' \x7f" * 400,
    "a lone surrogate": "md5 of 'a\ud800'",
    "directions that turn": "\u202emd5 of \u2066x\u2069" * 300,
}
CODE = ("__import__('os').system('id')", "eval('1+1')", "1; import os", "'; rm -rf / #", "${jndi:ldap://x}", "{{7*7}}")


@pytest.fixture(scope="module")
def everything() -> Iterator[Ares]:
    with Ares(plugins=PLUGINS) as ares:
        yield ares


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_answer_comes_soon_and_is_no_plan(everything: Ares, text: str) -> None:
    started = time.process_time()
    found = everything.plan(text)
    assert time.process_time() - started < FAR_TOO_LONG
    assert found.steps == ()
    assert found.error is not None
    assert len(found.error.message) < 1_000


@pytest.mark.parametrize("text", [*CODE, *(f"sum of 1 and {code}" for code in CODE), *(f"计算{code}" for code in CODE)])
def test_code_in_a_request_is_not_run(everything: Ares, text: str) -> None:
    assert everything.plan(text).steps == ()


def test_a_power_of_a_power_of_a_power_is_refused_and_not_computed(everything: Ares) -> None:
    started = time.process_time()
    result = everything.ask_sync("9**9**9")
    assert time.process_time() - started < FAR_TOO_LONG
    assert not result.success


def test_a_long_request_in_place_of_a_name_is_bounded_too(everything: Ares) -> None:
    started = time.process_time()
    result = everything.call_sync("no_such_tool", {"a": "b" * 100_000}, request="a" * 1_000_000)
    assert time.process_time() - started < FAR_TOO_LONG
    assert result.error is not None
    assert result.error.code == "unknown_tool"
