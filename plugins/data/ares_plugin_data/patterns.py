"""Patterns of the caller, matched by RE2 in linear time; one that it can't read is an error, never passed over."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ares_core import ToolError

MOST_WORK = 200_000_000
"""Steps of a pattern times bytes of the text, all patterns together."""
MOST_LOOKS = 200_000
"""Lines times patterns."""
MOST_MEMORY = 2 * 1024 * 1024


def compiled(patterns: list[str], text: str) -> list[Any]:
    """Have RE2 read some patterns, for lines as bytes, if they can be looked for in a second or so."""
    if len(patterns) * (text.count("\n") + 1) > MOST_LOOKS:
        raise _refusal(
            f"{len(patterns)} patterns in so many lines take too long", "use fewer patterns, or a part of the log"
        )
    re2 = import_module("re2")  # which has no type hints
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MOST_MEMORY
    options.case_sensitive = False
    try:
        found = [_compile(re2, pattern, options) for pattern in patterns]
    finally:
        re2.purge()
    if sum(pattern.programsize for pattern in found) * len(text.encode("utf-8", "replace")) > MOST_WORK:
        raise _refusal(
            "the patterns could take too long on so long a log", "use simpler patterns, or a part of the log"
        )
    return found


def _compile(re2: Any, pattern: str, options: Any) -> Any:
    try:
        return re2.compile(pattern.encode("utf-8", "replace"), options)
    except (re2.error, ValueError) as error:
        said = error.args[0]
        why = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        raise _refusal(
            f"the pattern {pattern[:80]!r} can't be used: {why[:120]}",
            "use RE2 syntax: no look-around, no back references",
        ) from None


def _refusal(message: str, hint: str) -> ToolError:
    return ToolError(f"{message}; nothing was looked for", hint=hint, blame="input")
