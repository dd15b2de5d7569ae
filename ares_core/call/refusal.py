"""A call that does not go on: the exception that carries it out of a stage, and its words for the model."""

from __future__ import annotations

from typing import Any

from ares_core.calls import Code, Failure, Issue, Result, ToolCall
from ares_core.hints import CORRECT

NOT_EXECUTED = "Not executed."
MOST_SAID = 3
"""How many issues stand in the sentence; the others follow in lines of their own."""


class Refused(Exception):
    """Leaves a stage with the failure that becomes the result; never leaves the runner."""

    __slots__ = ("extra", "failure")

    def __init__(self, failure: Failure, extra: str = "") -> None:
        self.failure = failure
        self.extra = extra


def refuse(code: Code, message: str, *, extra: str = "", **details: Any) -> Refused:
    """Make the exception that refuses a call."""
    return Refused(Failure(code, message, **details), extra)


def words(failure: Failure, extra: str = "", *, executed: bool = False) -> str:
    """Write a failure for the model: what was wrong, every issue, what to do next, and whether anything ran."""
    parts = [failure.message] if failure.message else []
    if len(failure.issues) > MOST_SAID:
        parts += [f"- {issue}" for issue in failure.issues[MOST_SAID:]]
    if extra:
        parts.append(extra)
    if not executed:
        parts.append(NOT_EXECUTED)
    return "\n".join(parts)


def invalid_arguments(tool: str, issues: tuple[Issue, ...], excerpt: str = "") -> Refused:
    """Refuse arguments that don't fit the schema, with the slice of the schema concerned."""
    if len(issues) == 1:
        said = str(issues[0])
    else:
        more = f" (and {len(issues) - MOST_SAID} more)" if len(issues) > MOST_SAID else ""
        said = "; ".join([str(issue) for issue in issues[:MOST_SAID]]) + more
    message = f"The arguments of {tool!r} don't fit: {said}. {CORRECT}"
    return Refused(Failure("invalid_arguments", message, issues), f"Schema: {excerpt}" if excerpt else "")


def broken_off(name: str, code: Code, changes: bool) -> str:
    """Say of a call that had begun what being cancelled or interrupted means."""
    known = "and it may have taken effect" if changes else "before it had an answer; it changes nothing"
    return f"The call of {name!r:.80} was {code}{',' if changes else ''} {known}."


def failed_alone(
    call: ToolCall, code: Code, message: str, *, executed: bool = False, blame: str = "input"
) -> Result:  # fmt: skip
    """Make the result of a call that never reached the runner, or got lost on the way."""
    failure = Failure(code, message, blame=blame)
    return Result(
        False, None, failure, words(failure, executed=executed), call, metadata={"duration_ms": 0.0, "attempts": 0}
    )
