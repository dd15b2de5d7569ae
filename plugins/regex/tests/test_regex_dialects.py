"""Patterns in other dialects: what would silently find nothing here is told, with what to write instead."""

from __future__ import annotations

from typing import Any

import pytest

SPELLED = {
    "/ab+c/gi": "slashes",
    r"\d{2, 3}": "blank",
    "a{,3}": "{0,3}",
    "[a-z&&[^b]]": "&&",
    r"\<abc\>": r"\b",
}


@pytest.mark.parametrize(("pattern", "note"), SPELLED.items())
def test_a_pattern_that_finds_nothing_for_its_spelling_gets_a_note(ares: Any, pattern: str, note: str) -> None:
    ares.add("ares_plugin_regex")
    result = ares.call_sync("regex", {"operation": "findall", "pattern": pattern, "text": "ABBC abc 123 aa"})
    assert note in result.data["notes"][0]
    assert note in result.text
