"""Stages 5 and 6: middleware may rewrite the request, and every plugin is asked whether it may go ahead.

Deny beats ask beats allow. Whoever rewrites sends the call back to the schema, and everybody is asked again about
the new call; one that still changes after three rounds is denied.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from ares_core.answers import BROKEN, ask_guards
from ares_core.call.layers import Note, answer_of, changed_at, noting, raised_by
from ares_core.call.plain import ENCODE
from ares_core.call.prepare import prepare
from ares_core.call.refusal import Refused, refuse
from ares_core.call.route import Route
from ares_core.call.run import SORTED, Run
from ares_core.call.tell import emit, shown_arguments
from ares_core.calls import Ask, Deny, ToolCall
from ares_core.protocols import Layer

ROUNDS = 3


async def rewrite(run: Run, route: Route) -> Ask | None:
    """Stage 5: let each request layer look at the call, outermost first."""
    call, asked, note = run.call, None, noting(run)
    for layer in route.request_layers:
        answer = await _ask_layer(layer, call, note, run.runner.settings.limits.timeout)
        if isinstance(answer, Deny):
            note(layer, "denied", why=answer.reason)
            raise denied(answer.reason)
        if isinstance(answer, Ask):
            note(layer, "asked", why=answer.reason)
            asked = asked or answer
        elif isinstance(answer, ToolCall) and answer.arguments != call.arguments:
            note(layer, "changed", at=changed_at(call.arguments, answer.arguments))
            call = _checked(run, route, answer)
    _take(run, call)
    return asked


def authorise(run: Run, route: Route) -> Ask | None:
    """Stage 6: put the call to all guards until nobody changes it any more."""
    call = run.call
    for _ in range(ROUNDS):
        before = ENCODE(call.arguments)
        answered, verdict = ask_guards(route.guards, call, lambda changed: _checked(run, route, changed))
        if isinstance(verdict, Deny):
            raise denied(verdict.reason)
        if answered is call:
            if ENCODE(call.arguments) != before and _sorted(before) != SORTED.encode(call.arguments):
                raise denied("a guard changed the arguments in place; return a changed ToolCall instead")
            _take(run, call)
            return verdict
        call = answered
    raise denied(f"the guards still rewrote the arguments after {ROUNDS} rounds")


def _sorted(text: bytes) -> bytes:
    return SORTED.encode(msgspec.json.decode(text))


def _checked(run: Run, route: Route, call: ToolCall) -> ToolCall:
    """Put changed arguments through stages 2 to 4 again; nothing but the arguments may change."""
    arguments, edits = prepare(route.name, route.checker, call.arguments)
    run.edits += edits
    effects = route.effects or route.effects_of(arguments)
    return replace(run.call, arguments=arguments, effects=effects)


def _take(run: Run, call: ToolCall) -> None:
    """Go on with a changed call."""
    if call is run.call:
        return
    run.call, run.canonical = call, None
    run.arguments = call.arguments if isinstance(call.arguments, Mapping) else {}
    if run.runner.listeners:
        emit(run, "rewritten", {"arguments": shown_arguments(run), **(run.notes or {})})


async def _ask_layer(layer: Layer, call: ToolCall, note: Note, seconds: float) -> ToolCall | Deny | Ask | None:
    """Show one layer a copy of the call, so that only what it answers can change anything."""
    try:
        shown = replace(call, arguments=msgspec.json.decode(SORTED.encode(call.arguments)))
        answer = await answer_of(layer, shown, seconds)
    except BROKEN as error:
        message = raised_by(layer, error)
        if layer.on_error == "skip":
            note(layer, "skipped", why=message)
            return None
        return Deny(message)
    if isinstance(answer, ToolCall) and answer.name != call.name:
        return Deny(f"layer {layer.name!r} changed the tool to {answer.name!r:.80}, which is not allowed")
    if answer is None or isinstance(answer, ToolCall | Deny | Ask):
        return answer
    return Deny(f"layer {layer.name!r} answered {answer!r:.80}, which is no ToolCall, Deny, Ask or None")


def denied(reason: str) -> Refused:
    """Refuse in the name of a policy."""
    return refuse("denied", f"This call was denied: {reason.rstrip('.')}. Don't repeat it unchanged.")
