"""How a value is refused that can't be understood or doesn't exist."""

from __future__ import annotations

from ares_core import ToolError


def refusal(message: str, hint: str | None = None) -> ToolError:
    """Make the error: what is wrong, that nothing was done, and what to do.

    >>> refusal("there is no month 13", "write a month from 1 to 12").hint
    'Write a month from 1 to 12.'
    """
    if hint:
        hint = hint[0].upper() + hint[1:] + ("" if hint.endswith("?") else ".")
    return ToolError(f"{message}; nothing was computed" + ("." if hint else ""), hint=hint, blame="input")
