"""Patterns made to hang or fill a process: each is answered or refused soon, and the process goes on serving."""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ares_plugin_regex
import pytest

AB = "".join(random.Random(7).choices("ab", k=1_000_000))
LONGEST_S = 20
"""Ten times what an attack may take."""
BOMBS: dict[str, tuple[str, str]] = {
    "nested plus": ("^(a+)+$", "a" * 100_000 + "!"),
    "nested star": ("(a*)*b", "a" * 100_000),
    "two ways round": ("(x+x+)+y", "x" * 100_000),
    "lazy commas": ("(.*?,){25}P", "1," * 50_000),
    "overlapping alternatives": (r"^(\w|_)*$", "a" * 100_000 + "-"),
    "same alternative twice": ("^(a|a)*$", "a" * 100_000 + "!"),
    "optional in star": ("^(a?)*$", "a" * 100_000 + "!"),
    "many optionals": ("(?:a?){500}a{500}", "a" * 499),
    "email": (r"^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+$", "a" * 100_000 + "!"),
    "blanks at the end": (r"\s+$", " " * 100_000 + "x"),
    "dots": ("(.*)" * 60 + "!", "a" * 100_000),
    "states without end": ("(?:a|b)*a(?:a|b){200}c", AB),
    "states, with groups": ("(a|b)*a(a|b){12}c", AB),
    "nested groups": ("(((((((((a|b)*)*)*)*)*)*)*)*)*", AB),
    "many groups": ("(?:" + "|".join(f"(c{n})" for n in range(95)) + "|(a)|(b))*", AB),
    "far ahead at each match": ("a(?:.*b)?", "a" * 500_000),
    "far ahead, with lines": ("(?s)a(?:.*z)?", AB),
    "repetition of repetitions": ("((a{100}){100}){100}", "a"),
    "thousandfold": ("(?:a{1000}){1000}", "a"),
    "huge classes": (r"(?:\pL{31}x){32}", "a"),
    "huge classes, folded": (r"(?i)[\p{L}\p{N}\p{M}]{300}", "é" * 300_000),
    "deep brackets": ("(?:" * 1_300 + ")" * 1_300, "a" * 100_000),
    "deep open brackets": ("(" * 4_000, "a"),
    "classes without end": ("[" * 4_000, "a"),
    "alternatives": ("|".join(f"w{n}" for n in range(700)), "w" * 500_000),
    "every match large": ("(" * 99 + ".*" + ")" * 99, "a" * 1_000_000),
    "nothing at every place": ("", "a" * 5_000_000),
    "empty at every place": ("x*", "a" * 5_000_000),
    "empty between characters": ("x*", "汉" * 1_000_000),
    "quotes without end": (r"\Q" * 1_900, r"\Q" * 100_000),
}


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1]) if sys.platform == "linux" else 0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6 if pages else 0.0


@pytest.fixture
def call(ares: Any) -> Iterator[Any]:
    ares.add(ares_plugin_regex)
    yield lambda **arguments: ares.call_sync("regex", arguments)
    assert ares.call_sync("regex", {"operation": "match", "pattern": "a", "text": "a"}).data["count"] == 1


@pytest.mark.parametrize("operation", ["match", "replace", "split"])
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_answered_or_refused_soon(call: Any, name: str, operation: str, capfd: Any) -> None:
    pattern, text = BOMBS[name]
    more = {"replacement": r"\g<0>\g<0>"} if operation == "replace" else {}
    call(operation=operation, pattern="a", text="a", **more)
    before, started = resident_mb(), time.monotonic()
    result = call(operation=operation, pattern=pattern, text=text, **more)
    assert time.monotonic() - started < LONGEST_S
    assert resident_mb() - before < 1_000
    assert result.success or result.error.code in {"tool_error", "invalid_arguments"}
    assert result.success or result.error.message
    assert "re2" not in capfd.readouterr().err.lower()


def test_a_linear_pattern_gives_the_right_answer_where_others_hang(call: Any) -> None:
    assert call(operation="match", pattern="^(a+)+$", text="a" * 100_000 + "!").data["matched"] is False
    assert call(operation="match", pattern="^(a+)+$", text="a" * 100_000).data["matched"] is True


@pytest.mark.parametrize("replacement", ["b" * 10_000, r"\g<0>" * 190])
def test_a_text_that_would_grow_without_end_is_refused_before_it_is_built(call: Any, replacement: str) -> None:
    result = call(operation="replace", pattern="a", text="a" * 100_000, replacement=replacement)
    assert "2,000,000 bytes" in result.error.message


def test_a_replacement_of_thousands_of_groups_is_refused(call: Any) -> None:
    result = call(operation="replace", pattern="a", text="a" * 100_000, replacement=r"\g<0>" * 2_000)
    assert "more than 200 times" in result.error.message


def test_many_patterns_one_after_another_leave_little_behind(call: Any) -> None:
    text = AB[:100_000]
    call(operation="match", pattern="a", text=text)
    before = resident_mb()
    for number in range(24):
        call(operation="match", pattern=f"(?:a|b)*a(?:a|b){{{number + 8}}}c", text=text)
    assert resident_mb() - before < 1_000
