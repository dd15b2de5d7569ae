"""Putting one call or result to all plugins concerned, and what their answers come to.

These are the loops that every call goes through; which functions to ask was worked out before.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any

from msgspec.structs import replace

from ares_core.calls import Ask, Deny, Result, ToolCall
from ares_core.errors import said_by, shown

log = logging.getLogger("ares")

Guard = tuple[str, Callable[[ToolCall], Any]]
Observer = tuple[str, Callable[[Result], Any]]
BROKEN = (Exception, SystemExit)
"""What a plugin may raise without taking the program down."""


def ask_guards(
    guards: Iterable[Guard], call: ToolCall, recheck: Callable[[ToolCall], ToolCall]
) -> tuple[ToolCall, Deny | Ask | None]:
    """Put a call to every guard once; a guard that raises has denied it, so a broken guard opens no door.

    Gives the call as the guards left it, and the first ``Deny`` or else the first ``Ask``. ``recheck`` puts
    rewritten arguments to the schema before the next guard sees them.
    """
    asked: Ask | None = None
    for plugin, guard in guards:
        try:
            answer = guard(call)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            return call, Deny(f"the guard of plugin {plugin!r} {raised(error)}")
        if answer is None:
            continue
        if isinstance(answer, Deny):
            return call, answer
        if isinstance(answer, Ask):
            asked = asked or answer
        elif isinstance(answer, ToolCall) and answer.name == call.name:
            rewritten = recheck(answer) if answer.arguments != call.arguments else call
            call = rewritten if rewritten.arguments != call.arguments else call
        elif isinstance(answer, ToolCall):
            return call, Deny(f"the guard of plugin {plugin!r} changed the tool to {answer.name!r:.80}, not allowed")
        else:
            return call, Deny(
                f"the guard of plugin {plugin!r} answered {shown(answer)}, no ToolCall, Deny, Ask or None"
            )
    return call, asked


def ask_observers(observers: Iterable[Observer], result: Result) -> Result:
    """Show a result to every observer; what they change besides data and metadata is dropped, errors are logged."""
    for plugin, observer in observers:
        try:
            answer = observer(result)
        except KeyboardInterrupt:
            raise
        except BaseException:
            log.exception("plugin %s: post_tool_call raised", plugin)
            continue
        if isinstance(answer, Result) and isinstance(answer.metadata, dict):
            result = replace(result, data=answer.data, metadata=answer.metadata)
        elif answer is not None:
            log.warning("plugin %s: post_tool_call answered %.80r, which is no Result", plugin, answer)
    return result


def ask_formatters(formatters: Iterable[Observer], result: Result) -> str | None:
    """Ask for the text, until one answers; one that raises or gives no text is logged and the next is asked."""
    for plugin, formatter in formatters:
        try:
            text = formatter(result)
        except KeyboardInterrupt:
            raise
        except BaseException:
            log.exception("plugin %s: format_result raised", plugin)
            continue
        if isinstance(text, str):
            return text
        if text is not None:
            log.warning("plugin %s: format_result answered %.80r, which is no text", plugin, text)
    return None


def raised(error: BaseException) -> str:
    """Say in a few words what a plugin raised."""
    return f"raised {said_by(error)}"[:300]
