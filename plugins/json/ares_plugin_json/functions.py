"""The functions of JSONPath filters; patterns are matched by RE2, in linear time."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from ares_core import ToolError
from ares_plugin_json.comparing import Budget

COST_OF_A_PATTERN = 20_000
"""Steps that compiling a pattern counts for; it can take some 50 ms at most."""
MOST_MEMORY = 1024 * 1024
LONGEST_PATTERN = 1_000
DOTS = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\.", re.DOTALL)


class Nothing:
    """The value of what is not there."""


NOTHING = Nothing()


class Functions:
    """Calls the five functions; ``notes`` says which patterns could not be used."""

    def __init__(self, budget: Budget) -> None:
        self.notes: list[str] = []
        self._budget = budget
        self._patterns: dict[str, Any] = {}

    def call(self, name: str, given: Sequence[Any], argument: Callable[[Any, bool], Any]) -> Any:
        """Call a function; ``argument`` works out one argument, as nodes or as a value."""
        values = [argument(each, name in ("count", "value")) for each in given]
        if name == "length":
            return len(values[0]) if type(values[0]) in (str, list, dict) else NOTHING
        if name == "count":
            return len(values[0])
        if name == "value":
            return values[0][0] if len(values[0]) == 1 else NOTHING
        return self._matches(values[0], values[1], whole=name == "match")

    def _matches(self, text: Any, pattern: Any, *, whole: bool) -> bool:
        if type(text) is not str or type(pattern) is not str:
            return False
        compiled = self._pattern(pattern)
        if compiled is None:
            return False
        data = text.encode("utf-8", "replace")
        self._budget.spend(1 + len(data) * int(compiled.programsize) // 200)
        return (compiled.fullmatch if whole else compiled.search)(data) is not None

    def _pattern(self, pattern: str) -> Any:
        """Compile a pattern once for the query; ``None`` if it is none, which then matches nothing."""
        if len(pattern) > LONGEST_PATTERN:
            advice = f"use patterns of up to {LONGEST_PATTERN:,} characters"
            raise ToolError("a pattern in the query is too long; nothing was read", hint=advice, blame="input")
        if pattern not in self._patterns:
            self._budget.spend(COST_OF_A_PATTERN)
            self._patterns[pattern] = self._compile(pattern)
        return self._patterns[pattern]

    def _compile(self, pattern: str) -> Any:
        re2 = import_module("re2")  # which has no type hints
        options = re2.Options()
        options.log_errors = False
        options.max_mem = MOST_MEMORY
        try:
            return re2.compile(as_re2(pattern).encode(), options)
        except (re2.error, ValueError) as error:
            said = error.args[0]
            why = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
            self.notes.append(f"the pattern {pattern[:80]!r} can't be used and matches nothing: {why[:120]}")
            return None
        finally:
            re2.purge()


def as_re2(pattern: str) -> str:
    r"""Write a pattern of RFC 9485 for RE2: a dot there is no line end at all.

    >>> as_re2(r"a.[.]\.")
    'a[^\\n\\r][.]\\.'
    """
    return DOTS.sub(lambda piece: r"[^\n\r]" if piece[0] == "." else piece[0], pattern)
