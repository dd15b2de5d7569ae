"""Error bodies: what went wrong, and the call that a provider could not read itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ares_core import NameRule, ToolCall, Turn, replace

from .calls import as_json, sent_arguments, sent_name, unique_ids, words

if TYPE_CHECKING:
    from ares_core import Outcome

_FILTERS = frozenset({"content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation"})


def error_turn(wire: str, error: Mapping[str, Any], raw: Any = None) -> Turn:
    """Read an error: ``failed``, ``filtered``, or ``malformed`` if it carries the text of a call that failed."""
    reason = words(error.get("message")) or as_json(raw if raw is not None else error)[:500]
    generation = words(error.get("failed_generation"))
    if generation or error.get("code") == "tool_use_failed":
        return _malformed(wire, generation, reason)
    marks = {words(error.get("code")), words(error.get("type"))}
    outcome: Outcome = "filtered" if marks & _FILTERS else "failed"
    return Turn(outcome=outcome, wire=wire, reason=reason)


def _malformed(wire: str, generation: str, reason: str) -> Turn:
    """Give the calls in a text that the provider took for a broken call, as if it had sent them."""
    from .dialects import calls_in_text

    calls, rest = calls_in_text(generation)
    ids = unique_ids([None] * len(calls), None)
    named = tuple(replace(call, id=identifier) for call, identifier in zip(calls, ids, strict=True))
    sent = [{"id": call.id, "type": "function", "function": _function(call)} for call in named]
    native = {"role": "assistant", "content": rest or None, "tool_calls": sent} if sent else None
    return Turn(named, rest, "malformed", wire, native, reason)


def _function(call: ToolCall) -> dict[str, str]:
    return {"name": sent_name(call.name, NameRule()), "arguments": as_json(sent_arguments(call))}
