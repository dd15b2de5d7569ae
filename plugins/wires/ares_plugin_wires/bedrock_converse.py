"""Amazon Bedrock's ``Converse``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ares_core import Definition, Definitions, NameRule, Result, ToolCall, Turn

from .anthropic import unfinished
from .calls import (
    CUT,
    FILTERED,
    as_json,
    judge,
    mapping,
    mappings,
    mended,
    read_arguments,
    read_name,
    sent_arguments,
    sent_name,
    strict_object,
    unique_ids,
    why,
    words,
)
from .errors import error_turn
from .results import images, structured, told
from .schemas import publish

if TYPE_CHECKING:
    from ares_core import Outcome

_STOPS = {
    "max_tokens": CUT, "model_context_window_exceeded": CUT, CUT: CUT, "guardrail_intervened": FILTERED,
    "content_filtered": FILTERED,
}  # fmt: skip
_MALFORMED = ("malformed_model_output", "malformed_tool_use")
_NAMES = NameRule()
_EVENTS = ("messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata")


class BedrockConverse:
    """The format of ``Converse`` and ``ConverseStream``."""

    name = "bedrock-converse"
    names = _NAMES

    def recognises(self, part: Mapping[str, Any]) -> bool:
        """Tell whether this is an answer, a message, or an event of a stream."""
        if isinstance(mapping(part.get("output")).get("message"), Mapping) or "stopReason" in part:
            return True
        if part.get("role") == "assistant" and any("toolUse" in block for block in mappings(part.get("content"))):
            return True
        if "__type" in part and "message" in part:
            return True
        return part.get("type") in _EVENTS or any(kind in part for kind in _EVENTS[:-1]) or _fault(part) is not None

    def assemble(self, events: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        """Give the answer that the events amount to."""
        return assemble(events)

    def read(self, body: Mapping[str, Any]) -> Turn:
        """Read an answer. What the provider runs itself (``server_tool_use``) stays in ``native`` and is no call."""
        if (fault := _fault(body)) is not None:
            return error_turn(self.name, fault)
        message = mapping(mapping(body.get("output")).get("message")) or (body if "content" in body else {})
        if not message:
            return error_turn(self.name, body) if words(body.get("message")) else self._without_message()
        blocks = mappings(message.get("content"))
        reason = words(body.get("stopReason"))
        stop = _STOPS.get(reason, "")
        calls, sent = _read_blocks(blocks, stop)
        outcome: Outcome = "malformed" if reason in _MALFORMED and not calls else judge(calls, stop)
        native = {"role": "assistant", "content": sent or [{"text": "(no content)"}]}
        text = "".join(words(block.get("text")) for block in blocks)
        told_why = "" if outcome in ("calls", "final") else why("stopReason", reason)
        return Turn(calls, text, outcome, self.name, native, told_why)

    def _without_message(self) -> Turn:
        return Turn(outcome="failed", wire=self.name, reason="the answer has no message")

    def write(self, turn: Turn, results: Sequence[Result]) -> list[dict[str, Any]]:
        """Give the assistant's message and one message with a ``toolResult`` for each call."""
        pairs = {call.id: (call, result) for call, result in zip(turn.calls, results, strict=True)}
        content = [_with_arguments(block, pairs) for block in turn.native["content"]]
        answers = [{"toolResult": _answer(call, result)} for call, result in pairs.values()]
        native = {**turn.native, "content": content}
        return [native, {"role": "user", "content": answers}] if answers else [native]

    def definitions(self, tools: Sequence[Definition], choice: str | None, strict: bool) -> Definitions:
        """Publish tools as ``toolSpec``. There is no choice of no tool: then the request has none."""
        items, lost = publish(tools, strict=False)
        published = [{"toolSpec": _spec(item)} for item in items]
        config: dict[str, Any] = {"tools": published}
        if choice is not None and choice != "none":
            kind = {"required": "any"}.get(choice, choice)
            config["toolChoice"] = {kind: {}} if kind in ("auto", "any") else {"tool": {"name": choice}}
        without = choice == "none" or not published
        lost += _not_said(choice, strict)
        return Definitions(published, {} if without else {"toolConfig": config}, lost)


def _not_said(choice: str | None, strict: bool) -> list[str]:
    lost = ["strict mode: Converse has none"] if strict else []
    return [*lost, "tool_choice 'none': Converse has no such choice, so no tools go out"] if choice == "none" else lost


def _spec(item: dict[str, Any]) -> dict[str, Any]:
    """An empty description is refused, so it is left out."""
    described = {"description": item["description"]} if item["description"] else {}
    return {"name": item["name"], **described, "inputSchema": {"json": item["parameters"]}}


def _fault(part: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Give the exception that an event or body tells of."""
    for key, value in part.items():
        if isinstance(key, str) and key.endswith("Exception") and isinstance(value, Mapping):
            return {"message": f"{key}: {value.get('message') or value.get('originalMessage')}", "code": key}
    return None


def _read_blocks(blocks: list[Mapping[str, Any]], stop: str) -> tuple[tuple[ToolCall, ...], list[dict[str, Any]]]:
    uses = [use for block in blocks if (use := _ours(block)) is not None]
    ids = iter(unique_ids((use.get("toolUseId") for use in uses), None))
    calls, sent = [], []
    for place, block in enumerate(blocks):
        use = _ours(block)
        if use is None:
            if block.get("text", True):
                sent.append(dict(block))
            continue
        arguments = read_arguments(use.get("input"), cut=stop == CUT)
        if stop == CUT and place == len(blocks) - 1:
            arguments = unfinished(arguments)
        call = ToolCall(read_name(use.get("name")), arguments, id=next(ids))
        calls.append(call)
        name = sent_name(call.name, _NAMES)
        sent.append({"toolUse": {"toolUseId": call.id, "name": name, "input": sent_arguments(call)}})
    return tuple(calls), sent


def _ours(block: Mapping[str, Any]) -> Mapping[str, Any] | None:
    use = block.get("toolUse")
    return use if isinstance(use, Mapping) and use.get("type") != "server_tool_use" else None


def _with_arguments(block: dict[str, Any], pairs: Mapping[str | None, tuple[ToolCall, Result]]) -> dict[str, Any]:
    use = mapping(block.get("toolUse"))
    call, result = pairs.get(words(use.get("toolUseId")), (None, None))
    if call is None or not isinstance(call.arguments, str):
        return block
    return {"toolUse": {**use, "input": sent_arguments(call, result)}}


def _answer(call: ToolCall, result: Result) -> dict[str, Any]:
    shown = [{"image": {"format": kind.rpartition("/")[2], "source": {"bytes": data}}} for kind, data in images(result)]
    status = "success" if result.success else "error"
    answer = structured(result)
    said: dict[str, Any] = {"text": told(result)} if answer is None else {"json": answer}
    return {"toolUseId": call.id, "content": [said, *shown], "status": status}


def assemble(events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Give the answer that events amount to. One whose end never came was cut off."""
    body: dict[str, Any] = {}
    blocks: list[dict[str, Any]] = []
    places: dict[str, int] = {}
    pieces: dict[tuple[int, str], list[str]] = {}
    for event in events:
        kind, part = _named(event)
        index = repr(part.get("contentBlockIndex"))
        if kind == "contentBlockStart" or kind == "contentBlockDelta" and index not in places:
            places[index] = len(blocks)
            blocks.append({key: dict(mapping(value)) for key, value in mapping(part.get("start")).items()})
        if kind == "contentBlockDelta":
            _add(blocks[places[index]], places[index], mapping(part.get("delta")), pieces)
        elif kind == "messageStop":
            body["stopReason"] = part.get("stopReason")
        elif _fault(event) is not None:
            return dict(event)
    for (place, field), parts in pieces.items():
        _finish(blocks[place], field, mended("".join(parts)))
    return {"stopReason": CUT, **body, "output": {"message": {"role": "assistant", "content": blocks}}}


def _named(event: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    kind = next((kind for kind in _EVENTS if isinstance(event.get(kind), Mapping)), "")
    return (kind, event[kind]) if kind else (words(event.get("type")), event)


def _add(block: dict[str, Any], place: int, delta: Mapping[str, Any], pieces: dict[tuple[int, str], list[str]]) -> None:
    if "text" in delta:
        pieces.setdefault((place, "text"), []).append(words(delta["text"]))
    if "toolUse" in delta:
        pieces.setdefault((place, "input"), []).append(_piece(mapping(delta["toolUse"]).get("input")))
    for field, value in mapping(delta.get("reasoningContent")).items():
        if field == "redactedContent":
            block["reasoningContent"] = {field: value}
        else:
            pieces.setdefault((place, f"reasoning {field}"), []).append(words(value))


def _piece(said: Any) -> str:
    return as_json(said) if isinstance(said, Mapping) else words(said)


def _finish(block: dict[str, Any], field: str, text: str) -> None:
    if field == "text":
        block["text"] = text
    elif field == "input":
        decoded = strict_object(text)
        block["toolUse"] = {**mapping(block.get("toolUse")), "input": text if decoded is None else decoded}
    else:
        reasoning = block.setdefault("reasoningContent", {}).setdefault("reasoningText", {})
        reasoning[field.removeprefix("reasoning ")] = text
