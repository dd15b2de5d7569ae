"""Cohere's chat, version 2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ares_core import Definition, Definitions, NameRule, Result, Turn

from .calls import CUT, FAILED, FILTERED, judge, mapping, mappings, text_of, why, words
from .chat_stream import Message
from .errors import error_turn
from .openai_chat import native_message, read_calls, with_read_arguments
from .results import told_in_words
from .schemas import publish

_STOPS = {"MAX_TOKENS": CUT, CUT: CUT, "ERROR": FAILED, "TIMEOUT": FAILED, "ERROR_LIMIT": CUT, "ERROR_TOXIC": FILTERED}
_EVENTS = (
    "message-start", "content-start", "content-delta", "content-end", "tool-plan-delta", "tool-call-start",
    "tool-call-delta", "tool-call-end", "citation-start", "citation-end", "message-end",
)  # fmt: skip


class Cohere:
    """The format of ``/v2/chat``."""

    name = "cohere"
    names = NameRule(first="A-Za-z_", rest="A-Za-z0-9_")

    def recognises(self, part: Mapping[str, Any]) -> bool:
        """Tell whether this is an answer or an event of a stream."""
        if part.get("type") in _EVENTS:
            return True
        return isinstance(part.get("message"), Mapping) and words(part.get("finish_reason")).isupper()

    def assemble(self, events: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        """Give the answer that the events amount to."""
        return assemble(events)

    def read(self, body: Mapping[str, Any]) -> Turn:
        """Read an answer; its text is the content, or else the plan that comes with calls."""
        message = body.get("message")
        if not isinstance(message, Mapping):
            return error_turn(self.name, {"message": message}, body)
        finish = words(body.get("finish_reason"))
        stop = _STOPS.get(finish, "")
        calls, sent = read_calls(message, body.get("id"), stop, self.names)
        native = {key: value for key, value in native_message(message, sent).items() if value or key == "role"}
        text = text_of(message.get("content"), ("text",)) or words(message.get("tool_plan"))
        outcome = judge(calls, stop)
        reason = "" if outcome in ("calls", "final") else why("finish_reason", finish)
        return Turn(calls, text, outcome, self.name, native, reason, words(body.get("model")))

    def write(self, turn: Turn, results: Sequence[Result]) -> list[dict[str, Any]]:
        """Give the assistant's message, its plan included, and one ``tool`` message for each call."""
        pairs = zip(turn.calls, results, strict=True)
        answers = [
            {"role": "tool", "tool_call_id": call.id, "content": told_in_words(result)} for call, result in pairs
        ]
        return [with_read_arguments(turn, results), *answers]

    def definitions(self, tools: Sequence[Definition], choice: str | None, strict: bool) -> Definitions:
        """Publish tools as functions. One tool can't be chosen by name: then the request offers only that one."""
        items, lost = publish(tools, strict=False)
        functions = [{"type": "function", "function": item} for item in items]
        fragment: dict[str, Any] = {"tools": functions}
        if choice in ("required", "none"):
            fragment["tool_choice"] = choice.upper()
        elif choice not in (None, "auto"):
            chosen = [function for function, item in zip(functions, items, strict=True) if item["name"] == choice]
            fragment = {"tools": chosen, "tool_choice": "REQUIRED"}
            lost.append(f"tool_choice {choice!r}: Cohere can't be told one tool, so the request offers only that one")
        if strict:
            fragment["strict_tools"] = True
            without = (item["name"] for item in items if not item["parameters"].get("required"))
            lost += [f"{name}: Cohere's strict mode wants at least one required property" for name in without]
        return Definitions(functions, fragment, lost)


def assemble(events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Give the answer that events amount to. One without an end was cut off."""
    body: dict[str, Any] = {}
    message = Message()
    for event in events:
        delta = mapping(event.get("delta"))
        body |= {key: event[key] for key in ("id", "error") if event.get(key)}
        if delta.get("finish_reason"):
            body["finish_reason"] = delta["finish_reason"]
        if event.get("type") in ("message-start", "message-end", "citation-start"):
            continue
        message.add(_placed(mapping(delta.get("message")), event.get("index")))
    return {"finish_reason": CUT, **body, "message": message.whole()}


def _placed(said: Mapping[str, Any], index: Any) -> dict[str, Any]:
    """Give a delta in the form of chat completions, with the place that the event names."""
    placed = dict(said)
    if isinstance(content := placed.get("content"), Mapping):
        kind = content.get("type") or ("thinking" if "thinking" in content else "text")
        placed["content"] = [{**content, "type": kind, "index": index}]
    if "tool_calls" in placed:
        placed["tool_calls"] = [{**call, "index": index} for call in mappings(placed["tool_calls"])]
    return placed
