"""Stages 5 and 6: middleware may rewrite the request, and every plugin is asked whether it may go ahead.

Deny beats ask beats allow. Whoever rewrites sends the call back to the schema, and everybody is asked again about
the new call; one that still changes after three rounds is denied.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from ares_core.answers import BROKEN, ask_guards
from ares_core.call.refusal import Refused, refuse
from ares_core.call.route import Route
from ares_core.call.run import SORTED
from ares_core.calls import Ask, Deny, ToolCall
from ares_core.protocols import Layer

ROUNDS = 3
Recheck = Callable[[ToolCall], ToolCall]


def authorise(route: Route, call: ToolCall, recheck: Recheck) -> tuple[ToolCall, Ask | None]:
    """Stage 6: put the call to all guards until nobody changes it any more."""
    for _ in range(ROUNDS):
        before = SORTED.encode(call.arguments)
        answered, verdict = ask_guards(route.guards, call, recheck)
        if isinstance(verdict, Deny):
            raise denied(verdict.reason)
        if answered is call:
            if SORTED.encode(call.arguments) != before:
                raise denied("a guard changed the arguments in place; return a changed ToolCall instead")
            return call, verdict
        call = answered
    raise denied(f"the guards still rewrote the arguments after {ROUNDS} rounds")


async def rewrite(route: Route, call: ToolCall, recheck: Recheck) -> tuple[ToolCall, Ask | None]:
    """Stage 5: let each request layer look at the call, outermost first."""
    asked: Ask | None = None
    for layer in route.request_layers:
        answer = await _ask_layer(layer, call)
        if isinstance(answer, Deny):
            raise denied(answer.reason)
        if isinstance(answer, Ask):
            asked = asked or answer
        elif isinstance(answer, ToolCall) and answer.arguments != call.arguments:
            call = recheck(replace(call, arguments=answer.arguments))
    return call, asked


async def _ask_layer(layer: Layer, call: ToolCall) -> ToolCall | Deny | Ask | None:
    """Show one layer a copy of the call, so that only what it answers can change anything."""
    try:
        answer = layer.run(replace(call, arguments=msgspec.json.decode(SORTED.encode(call.arguments))))
        if inspect.isawaitable(answer):
            answer = await answer
    except BROKEN as error:
        if layer.on_error == "skip":
            return None
        return Deny(f"layer {layer.name!r} raised {type(error).__name__}: {error}"[:300])
    if isinstance(answer, ToolCall) and answer.name != call.name:
        return Deny(f"layer {layer.name!r} changed the tool to {answer.name!r:.80}, which is not allowed")
    if answer is None or isinstance(answer, ToolCall | Deny | Ask):
        return answer
    return Deny(f"layer {layer.name!r} answered {answer!r:.80}, which is no ToolCall, Deny, Ask or None")


def denied(reason: str) -> Refused:
    """Refuse in the name of a policy."""
    return refuse("denied", f"This call was denied: {reason.rstrip('.')}. Don't repeat it unchanged.")
