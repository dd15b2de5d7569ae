"""The Responses API: OpenAI's, Azure's, and of those who follow it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ares_core import Definition, Definitions, NameRule, Result, ToolCall, Turn

from .calls import (
    CUT,
    FAILED,
    FILTERED,
    as_json,
    blocks_of,
    judge,
    mapping,
    mappings,
    read_arguments,
    read_name,
    sent_arguments,
    sent_name,
    text_of,
    unique_ids,
    words,
)
from .errors import error_turn
from .openai_chat import LONGEST_DESCRIPTION, MOST_TOOLS, request
from .responses_stream import assemble
from .results import data_address, images, told
from .schemas import publish, too_many, within

_NAMES = NameRule()
_OURS = ("function_call", "custom_tool_call")
_WAITING = ("queued", "in_progress")


class OpenAIResponses:
    """The format of ``/v1/responses``; what goes back is a list of input items."""

    name = "openai-responses"
    names = _NAMES

    def recognises(self, part: Mapping[str, Any]) -> bool:
        """Tell whether this is a response or one of the events that a stream of it has."""
        kind = words(part.get("type"))
        if kind == "error" and "error" not in part:
            return "message" in part
        return part.get("object") == "response" or isinstance(part.get("output"), list) or kind.startswith("response.")

    def assemble(self, events: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        """Give the response that the events amount to."""
        return assemble(events)

    def read(self, body: Mapping[str, Any]) -> Turn:
        """Read a response. Items of tools that the provider runs stay in ``native`` and are no calls."""
        if error := body.get("error"):
            return error_turn(self.name, mapping(error), error)
        items = mappings(body.get("output"))
        stop = _stop(body)
        calls, native = _read_items(items, body.get("id"), stop)
        messages = (item for item in items if item.get("type") == "message")
        parts = [part for message in messages for part in blocks_of(message.get("content"))]
        refusal = "".join(words(part.get("refusal")) for part in parts if part.get("type") == "refusal")
        outcome = judge(calls, stop, refusal)
        reason = refusal or ("" if outcome in ("calls", "final") else _reason(body))
        return Turn(calls, text_of(parts), outcome, self.name, native, reason, words(body.get("model")))

    def write(self, turn: Turn, results: Sequence[Result]) -> list[dict[str, Any]]:
        """Give all items of the response, reasoning included, and one output item for each call."""
        pairs = {call.id: (call, result) for call, result in zip(turn.calls, results, strict=True)}
        items, outputs = [], []
        for item in turn.native:
            ours = item.get("type") in _OURS
            call, result = pairs.get(words(item.get("call_id")) if ours else "", (None, None))
            if call is not None and result is not None:
                outputs.append({"type": f"{item['type']}_output", "call_id": call.id, "output": _output(result)})
            items.append(_as_read(item, call, result) if call and result else item)
        return [*items, *outputs]

    def definitions(self, tools: Sequence[Definition], choice: str | None, strict: bool) -> Definitions:
        """Publish tools; ``strict`` is always said, since without it the provider assumes it."""
        items, lost = publish(tools, strict)
        items, cut = within(items, LONGEST_DESCRIPTION)
        functions = [{"type": "function", "strict": False, **item} for item in items]
        named = {"type": "function", "name": choice}
        return Definitions(functions, request(functions, choice, named), [*lost, *cut, *too_many(tools, MOST_TOOLS)])


def _stop(body: Mapping[str, Any]) -> str:
    status = body.get("status")
    if status in ("failed", "cancelled"):
        return FAILED
    if status == "incomplete":
        return FILTERED if mapping(body.get("incomplete_details")).get("reason") == "content_filter" else CUT
    return CUT if status in _WAITING else ""


def _reason(body: Mapping[str, Any]) -> str:
    status = body.get("status")
    if status in _WAITING:
        return f"the response is still {status}; fetch it again"
    detail = mapping(body.get("incomplete_details")).get("reason")
    return f"the response is {status}" + (f": {detail}" if detail else "")


def _read_items(
    items: list[Mapping[str, Any]], seed: Any, stop: str
) -> tuple[tuple[ToolCall, ...], list[dict[str, Any]]]:  # fmt: skip
    ours = [item for item in items if item.get("type") in _OURS]
    ids = iter(unique_ids((item.get("call_id") or item.get("id") for item in ours), seed))
    calls, native = [], []
    for item in items:
        kept = {key: value for key, value in item.items() if key != "parsed_arguments"}
        if item.get("type") in _OURS:
            call = _call(item, next(ids), stop)
            calls.append(call)
            kept |= {"call_id": call.id, "name": sent_name(call.name, _NAMES)}
            if item["type"] == "function_call":
                kept["arguments"] = as_json(sent_arguments(call))
        native.append(kept)
    return tuple(calls), native


def _call(item: Mapping[str, Any], identifier: str, stop: str) -> ToolCall:
    if item.get("type") == "custom_tool_call":
        return ToolCall(read_name(item.get("name")), {"input": words(item.get("input"))}, id=identifier)
    cut = stop in (CUT, FILTERED) or item.get("status") == "incomplete"
    return ToolCall(read_name(item.get("name")), read_arguments(item.get("arguments"), cut), id=identifier)


def _as_read(item: dict[str, Any], call: ToolCall, result: Result) -> dict[str, Any]:
    read = {"arguments": as_json(sent_arguments(call, result))} if isinstance(call.arguments, str) else {}
    return {**item, **read}


def _output(result: Result) -> str | list[dict[str, Any]]:
    pictures = images(result)
    if not pictures:
        return told(result)
    shown = [{"type": "input_image", "image_url": data_address(*picture), "detail": "auto"} for picture in pictures]
    return [{"type": "input_text", "text": told(result)}, *shown]
