"""What went wrong, in words: exceptions of tools, deadlines, cancellations, and more help for each invalid call."""

from __future__ import annotations

import asyncio
import logging
import traceback
from typing import Any

import msgspec

from ares_core.call.deadline import DeadlineReached
from ares_core.call.finish import failed, quoting, redact
from ares_core.call.refusal import Refused, broken_off
from ares_core.call.route import Route
from ares_core.call.run import Run
from ares_core.calls import Code, Effects, Failure, Result
from ares_core.errors import ToolError, said_by

log = logging.getLogger("ares")
LONGEST_TRACE = 4_000
LAST_WORD = "This was the last hint: leave this tool, or ask the user."


def ended(run: Run, route: Route, error: BaseException) -> Result:
    """Make the result of a tool that an exception ended; what somebody else said stands behind its own words."""
    result = failed(run.runner, run, failure_of(run, route, error))
    return quoting(run.runner, run, result, error.said) if isinstance(error, ToolError) and error.said else result


def failure_of(run: Run, route: Route, error: BaseException) -> Failure:
    """Say what the exception that ended a tool means."""
    if isinstance(error, DeadlineReached):
        return _late(run, route, run.call.effects or Effects())
    if isinstance(error, ToolError):
        words = error.words or f"{route.name!r} failed."
        return Failure(error.code, words, retriable=error.retriable, blame=error.blame)
    if run.runner.listeners or log.isEnabledFor(logging.DEBUG):
        run.trace = redact(run.runner, run, "".join(traceback.format_exception(error)))[-LONGEST_TRACE:]
        log.debug("tool %s raised\n%s", route.name, run.trace)
    return _raised(route.name, error)


def _late(run: Run, route: Route, effects: Effects) -> Failure:
    seconds = run.deadline - run.executing_since
    if effects.read_only:
        message = f"{route.name!r} gave no answer within {seconds:g} s. It changes nothing, so it may be called again."
        return Failure("timeout", message, retriable=True, blame="tool")
    message = (
        f"{route.name!r} gave no answer within {seconds:g} s, and whether it took effect is unknown. "
        "Look before you call it again."
    )
    return Failure("outcome_unknown", message, blame="tool")


def cancelled(run: Run) -> Result:
    """Make the result of a call that was cancelled, or interrupted because Ares closes."""
    run.cancelled = True
    code: Code = "interrupted" if run.runner.closing else "cancelled"
    if not run.executed:
        return failed(run.runner, run, Failure(code, f"The call of {run.call.name!r:.80} was {code}."))
    changes = run.call.effects is None or run.call.effects.mutating
    return failed(run.runner, run, Failure(code, broken_off(run.call.name, code, changes)))


def ladder(run: Run, refusal: Refused) -> str:
    """Help more at the second invalid call in a row of one tool, and say so plainly at the third."""
    code: Code = refusal.failure.code
    session, route = run.session, run.route
    if session is None or session.name is None or route is None or not code.endswith("_arguments"):
        return refusal.extra
    count = session.count_invalid(route.name)
    lines = [refusal.extra]
    if count >= 2 and (example := route.checker.example()) is not None:
        lines.append(f"A correct call has arguments like {_json(example)}")
    if count >= 3:
        lines.append(LAST_WORD)
    return "\n".join(line for line in lines if line)


def _raised(tool: str, error: BaseException) -> Failure:
    if isinstance(error, asyncio.CancelledError):
        return Failure("cancelled", f"{tool!r} gave up by itself.", blame="tool")
    return Failure("tool_error", f"{tool!r} failed with {said_by(error)[:500]}.", blame="tool")


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
