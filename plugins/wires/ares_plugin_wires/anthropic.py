"""Anthropic's messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ares_core import Definition, Definitions, NameRule, Result, ToolCall, Turn

from .calls import (
    CUT,
    REFUSED,
    as_json,
    blocks_of,
    judge,
    mapping,
    mappings,
    mended,
    read_arguments,
    read_name,
    sent_arguments,
    sent_name,
    strict_object,
    text_of,
    unique_ids,
    why,
    words,
)
from .errors import error_turn
from .results import images, told
from .schemas import publish

if TYPE_CHECKING:
    from ares_core import Outcome

_STOPS = {"max_tokens": CUT, "model_context_window_exceeded": CUT, CUT: CUT, "refusal": REFUSED}
_EVENTS = (
    "message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta",
    "message_stop",
)  # fmt: skip
_PIECES = {
    "text_delta": "text", "input_json_delta": "partial_json", "thinking_delta": "thinking",
    "signature_delta": "signature",
}  # fmt: skip
_NAMES = NameRule()
_KEY = re.compile(r"[A-Za-z0-9_.-]{1,64}")


class Anthropic:
    """The format of ``/v1/messages``."""

    name = "anthropic"
    names = _NAMES
    keys = NameRule(first="A-Za-z0-9_.-", rest="A-Za-z0-9_.-")

    def recognises(self, part: Mapping[str, Any]) -> bool:
        """Tell whether this is a message, an event of its stream, or an error."""
        kind = part.get("type")
        if kind == "message" and isinstance(part.get("content", ""), list | None) or kind in _EVENTS:
            return True
        if kind == "error":
            return isinstance(part.get("error"), Mapping)
        uses = (block.get("type") == "tool_use" for block in mappings(part.get("content")))
        return part.get("role") == "assistant" and any(uses)

    def assemble(self, events: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        """Give the message that the events amount to."""
        return assemble(events)

    def read(self, body: Mapping[str, Any]) -> Turn:
        """Read a message. What the provider runs itself (``server_tool_use``) stays in ``native`` and is no call.

        A turn that the provider only paused has the outcome ``calls`` and no call: send ``native`` back.
        """
        if error := body.get("error"):
            return error_turn(self.name, mapping(error), error)
        blocks = blocks_of(body.get("content"))
        reason = words(body.get("stop_reason"))
        stop = _STOPS.get(reason, "")
        calls, sent = _read_blocks(blocks, body.get("id"), stop)
        native = {"role": "assistant", "content": sent or [{"type": "text", "text": "(no content)"}]}
        outcome: Outcome = "calls" if reason == "pause_turn" else judge(calls, stop)
        told_why = "" if outcome in ("calls", "final") and reason != "pause_turn" else why("stop_reason", reason)
        return Turn(calls, text_of(blocks, ("text",)), outcome, self.name, native, told_why, words(body.get("model")))

    def write(self, turn: Turn, results: Sequence[Result]) -> list[dict[str, Any]]:
        """Give the assistant's message and one message with a ``tool_result`` for each call."""
        pairs = {call.id: (call, result) for call, result in zip(turn.calls, results, strict=True)}
        content = [_with_arguments(block, pairs) for block in turn.native["content"]]
        native = {**turn.native, "content": content}
        answers = [_answer(call, result) for call, result in pairs.values()]
        return [native, {"role": "user", "content": answers}] if answers else [native]

    def definitions(self, tools: Sequence[Definition], choice: str | None, strict: bool) -> Definitions:
        """Publish tools with their ``input_schema``."""
        items, lost = publish(tools, strict)
        published = [_tool(item) for item in items]
        lost += _refused_properties(items)
        kind = {"required": "any"}.get(choice or "", choice)
        fragment: dict[str, Any] = {"tools": published}
        if choice is not None:
            named = {"type": "tool", "name": choice}
            fragment["tool_choice"] = {"type": kind} if kind in ("auto", "any", "none") else named
        return Definitions(published, fragment, lost)


def _refused_properties(items: list[dict[str, Any]]) -> list[str]:
    named = ((item["name"], key) for item in items for key in item["parameters"]["properties"])
    return [f"{name}: Anthropic refuses a property called {key!r}" for name, key in named if not _KEY.fullmatch(key)]


def _tool(item: dict[str, Any]) -> dict[str, Any]:
    tool = {"name": item["name"], "description": item["description"], "input_schema": item["parameters"]}
    return {**tool, "strict": True} if item.get("strict") else tool


def _read_blocks(
    blocks: list[Mapping[str, Any]], seed: Any, stop: str
) -> tuple[tuple[ToolCall, ...], list[dict[str, Any]]]:  # fmt: skip
    ids = iter(unique_ids((block.get("id") for block in blocks if block.get("type") == "tool_use"), seed))
    calls, sent = [], []
    for place, block in enumerate(blocks):
        if block.get("type") == "text" and not block.get("text"):
            continue
        if block.get("type") != "tool_use":
            sent.append(dict(block))
            continue
        arguments = read_arguments(block.get("input"), cut=stop == CUT)
        if stop == CUT and place == len(blocks) - 1:
            arguments = unfinished(arguments)
        call = ToolCall(read_name(block.get("name")), arguments, id=next(ids))
        calls.append(call)
        sent.append({**block, "id": call.id, "name": sent_name(call.name, _NAMES), "input": sent_arguments(call)})
    return tuple(calls), sent


def unfinished(arguments: str | dict[str, Any]) -> str:
    """Give arguments that were cut off as the text they are the beginning of, even if the provider closed them.

    >>> unfinished({"path": "a.txt"})
    '{"path":"a.txt"'
    """
    return arguments if isinstance(arguments, str) else as_json(arguments)[:-1]


def _with_arguments(block: dict[str, Any], pairs: Mapping[str | None, tuple[ToolCall, Result]]) -> dict[str, Any]:
    call, result = pairs.get(words(block.get("id")) if block.get("type") == "tool_use" else "", (None, None))
    if call is None or not isinstance(call.arguments, str):
        return block
    return {**block, "input": sent_arguments(call, result)}


def _answer(call: ToolCall, result: Result) -> dict[str, Any]:
    content: Any = told(result)
    if pictures := images(result):
        sources = [{"type": "base64", "media_type": kind, "data": data} for kind, data in pictures]
        content = [{"type": "text", "text": content}, *({"type": "image", "source": source} for source in sources)]
    answer = {"type": "tool_result", "tool_use_id": call.id, "content": content}
    return answer if result.success else {**answer, "is_error": True}


def assemble(events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Give the message that events amount to. One whose end never came was cut off."""
    body: dict[str, Any] = {"type": "message", "role": "assistant"}
    blocks: list[dict[str, Any]] = []
    places: dict[str, int] = {}
    pieces: dict[tuple[int, str], list[str]] = {}
    ended = False
    for event in events:
        kind, index = event.get("type"), repr(event.get("index"))
        if kind == "message_start":
            body |= {key: value for key, value in mapping(event.get("message")).items() if key != "content"}
        elif kind == "content_block_start":
            places[index] = len(blocks)
            blocks.append(dict(mapping(event.get("content_block"))))
        elif kind == "content_block_delta":
            if index not in places:
                places[index] = len(blocks)
                blocks.append({"type": "text"})
            place = places[index]
            _add(blocks[place], place, mapping(event.get("delta")), pieces)
        elif kind == "message_delta":
            body |= {key: value for key, value in mapping(event.get("delta")).items() if value is not None}
        elif kind == "error":
            body["error"] = event.get("error") or {"message": "the stream ended with an error"}
        ended = ended or kind == "message_stop"
    for (place, field), parts in pieces.items():
        _finish(blocks[place], field, mended("".join(parts)))
    stop = body.get("stop_reason") or ("" if ended else CUT)
    return {**body, "stop_reason": stop, "content": blocks}


def _add(block: dict[str, Any], place: int, delta: Mapping[str, Any], pieces: dict[tuple[int, str], list[str]]) -> None:
    field = _PIECES.get(words(delta.get("type")))
    if field:
        said = delta.get(field)
        pieces.setdefault((place, field), []).append(as_json(said) if isinstance(said, Mapping) else words(said))
    elif delta.get("type") == "citations_delta":
        block["citations"] = block.get("citations") or []
        block["citations"].append(delta.get("citation"))


def _finish(block: dict[str, Any], field: str, text: str) -> None:
    if field != "partial_json":
        block[field] = words(block.get(field)) + text
    elif text.strip():
        decoded = strict_object(text)
        block["input"] = text if decoded is None else decoded
