"""Chat completions: OpenAI's, and what the many servers that follow it really send."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ares_core import Definition, Definitions, NameRule, Result, ToolCall, Turn

from .calls import (
    CUT,
    FAILED,
    FILTERED,
    REFUSED,
    as_json,
    function_of,
    judge,
    listed,
    mapping,
    mappings,
    read_arguments,
    read_name,
    sent_arguments,
    sent_name,
    text_of,
    unique_ids,
    why,
    words,
)
from .chat_stream import assemble
from .errors import error_turn
from .results import called, data_address, images, told
from .schemas import publish, too_many, within

STOPS = {
    "length": CUT, "max_tokens": CUT, "model_length": CUT, CUT: CUT, "content_filter": FILTERED, "safety": FILTERED,
    "refusal": REFUSED, "error": FAILED, "insufficient_system_resource": FAILED, "network_error": FAILED,
}  # fmt: skip
MOST_TOOLS = 128
LONGEST_DESCRIPTION = 1024
_PLACED = ("index", "name", "arguments", "parameters", "args", "input")
_ANSWER_ONLY = frozenset({"annotations", "audio", "function_call", "tool_calls", "executed_tools", "index", "channel"})


class OpenAIChat:
    """The format of ``/v1/chat/completions``."""

    name = "openai-chat"
    names = NameRule()

    def recognises(self, part: Mapping[str, Any]) -> bool:
        """Tell whether this is a completion, a chunk of one, an assistant's message, or an error."""
        kind = part.get("object")
        if words(kind).startswith("chat.completion") or kind == "error" and "message" in part:
            return True
        if isinstance(part.get("choices", 0), list | None):
            return True
        return is_message(part) or isinstance(part.get("error"), Mapping) and "type" not in part

    def assemble(self, events: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        """Give the completion that the chunks amount to."""
        return assemble(events)

    def read(self, body: Mapping[str, Any]) -> Turn:
        """Read a completion, an assistant's message, or an error body."""
        choice = _choice(body)
        error = body.get("error") or choice.get("error") or (body if _is_error(body) else None)
        if error:
            return error_turn(self.name, mapping(error), error)
        if not choice:
            return Turn(outcome="failed", wire=self.name, reason="the response has no choices", model=_model(body))
        message = mapping(choice.get("message") or choice.get("delta"))
        if not message and "text" not in choice:
            return _without_message(choice, self.name, _model(body))
        stop = STOPS.get(words(choice.get("finish_reason")), "")
        calls, sent = read_calls(message, body.get("id"), stop, self.names)
        refusal = words(message.get("refusal")) or text_of(_refusals(message), ("text",))
        text = text_of(message.get("content")) or words(choice.get("text"))
        outcome = judge(calls, stop, refusal)
        finish = choice.get("finish_reason")
        reason = refusal or ("" if outcome in ("calls", "final") else why("finish_reason", finish))
        return Turn(calls, text, outcome, self.name, native_message(message, sent), reason, _model(body))

    def write(self, turn: Turn, results: Sequence[Result]) -> list[dict[str, Any]]:
        """Give the assistant's message and one ``tool`` message for each call; images follow as the user's."""
        native = with_read_arguments(turn, results)
        if "function_call" in native:
            name = native["function_call"]["name"]
            answers = [{"role": "function", "name": name, "content": told(result)} for result in results]
            return [native, *answers, *_pictures(results)]
        pairs = zip(turn.calls, results, strict=True)
        answers = [{"role": "tool", "tool_call_id": call.id, "content": told(result)} for call, result in pairs]
        return [native, *answers, *_pictures(results)]

    def definitions(self, tools: Sequence[Definition], choice: str | None, strict: bool) -> Definitions:
        """Publish tools as functions."""
        items, lost = publish(tools, strict)
        items, cut = within(items, LONGEST_DESCRIPTION)
        functions = [{"type": "function", "function": item} for item in items]
        named = {"type": "function", "function": {"name": choice}}
        return Definitions(functions, request(functions, choice, named), [*lost, *cut, *too_many(tools, MOST_TOOLS)])


def request(functions: list[dict[str, Any]], choice: str | None, named: Mapping[str, Any]) -> dict[str, Any]:
    """Give the part of a request that the tools and the choice among them make."""
    fragment: dict[str, Any] = {"tools": functions}
    if choice is not None:
        fragment["tool_choice"] = choice if choice in ("auto", "none", "required") else named
    return fragment


def is_message(part: Mapping[str, Any]) -> bool:
    """Tell whether this is an assistant's message by itself."""
    if part.get("role") != "assistant" or "type" in part:
        return False
    return "tool_calls" in part or "function_call" in part or isinstance(part.get("content"), str)


def _choice(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give the choice that counts: the first, unless a later one has the calls and the first has none."""
    if is_message(body):
        return {"message": body}
    choices = mappings(body.get("choices"))
    calling = (choice for choice in choices if mapping(choice.get("message")).get("tool_calls"))
    return next(calling, choices[0] if choices else {})


def _is_error(body: Mapping[str, Any]) -> bool:
    """Tell whether this is an error without the word: vLLM's, Mistral's, or that of a server's framework."""
    return "choices" not in body and not is_message(body) and ("message" in body or "detail" in body)


def _without_message(choice: Mapping[str, Any], wire: str, model: str) -> Turn:
    """A filter may take the message away; its word for the end remains."""
    finish = choice.get("finish_reason")
    if (outcome := judge((), STOPS.get(words(finish), ""))) == "final":
        return Turn(outcome="failed", wire=wire, reason="the choice has no message", model=model)
    return Turn(outcome=outcome, wire=wire, reason=why("finish_reason", finish), model=model)


def _model(body: Mapping[str, Any]) -> str:
    return words(body.get("model"))


def _refusals(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    parts = mappings(message.get("content")) if isinstance(message.get("content"), list) else []
    return [{"type": "text", "text": part.get("refusal")} for part in parts if part.get("type") == "refusal"]


def read_calls(
    message: Mapping[str, Any], seed: Any, stop: str, rule: NameRule
) -> tuple[tuple[ToolCall, ...], list[dict[str, Any]]]:  # fmt: skip
    """Give the calls that are ours to run, and all calls as they go back to the provider."""
    items = listed(message.get("tool_calls"))
    if not items and (legacy := mapping(message.get("function_call"))):
        items = [{"function": legacy}]
    ids = unique_ids((item.get("id") for item in items), seed)
    calls, sent = [], []
    for item, identifier in zip(items, ids, strict=True):
        if _is_run_by_provider(item):
            sent.append(dict(item))
            continue
        call = _call(item, identifier, stop)
        calls.append(call)
        sent.append(_sent(item, call, rule))
    return tuple(calls), sent


def _is_run_by_provider(item: Mapping[str, Any]) -> bool:
    """A gateway passes on calls that the model's own provider runs, marked by their id."""
    return words(item.get("id")).startswith("srvtoolu_")


def _call(item: Mapping[str, Any], identifier: str, stop: str) -> ToolCall:
    if item.get("type") == "custom":
        custom = mapping(item.get("custom"))
        return ToolCall(read_name(custom.get("name")), {"input": words(custom.get("input"))}, id=identifier)
    function = function_of(item)
    arguments = read_arguments(function.get("arguments"), cut=stop in (CUT, FILTERED))
    return ToolCall(read_name(function.get("name")), arguments, id=identifier)


def _sent(item: Mapping[str, Any], call: ToolCall, rule: NameRule) -> dict[str, Any]:
    """Give a call as it may be sent back: with an id and a name, its arguments JSON text, encoded once."""
    kept = {key: value for key, value in item.items() if key not in _PLACED and value is not None}
    if item.get("type") == "custom":
        return {**kept, "id": call.id}
    others = {key: value for key, value in mapping(item.get("function")).items() if key not in _PLACED}
    name = call.name if item.get("type") == "builtin_function" else sent_name(call.name, rule)
    function = {**others, "name": name, "arguments": as_json(sent_arguments(call))}
    return {**kept, "id": call.id, "type": item.get("type") or "function", "function": function}


def native_message(message: Mapping[str, Any], sent: list[dict[str, Any]]) -> dict[str, Any]:
    """Give the assistant's message as it may be sent back: opaque parts unharmed, parts of answers only left out."""
    kept = {key: value for key, value in message.items() if value is not None and key not in _ANSWER_ONLY}
    native = {"role": "assistant", "content": message.get("content"), **kept}
    if isinstance(audio := message.get("audio"), Mapping) and audio.get("id"):
        native["audio"] = {"id": audio["id"]}
    if "tool_calls" in message and sent:
        native["tool_calls"] = sent
    elif sent:
        native["function_call"] = sent[0]["function"]
    elif native["content"] is None:
        native["content"] = ""
    return native


def with_read_arguments(turn: Turn, results: Sequence[Result]) -> dict[str, Any]:
    """Give the native message, with what was made of arguments that were no strict JSON object."""
    native = dict(turn.native)
    repaired = {
        call.id: as_json(sent_arguments(call, result))
        for call, result in zip(turn.calls, results, strict=True)
        if isinstance(call.arguments, str)
    }
    if repaired and "tool_calls" in native:
        items = native["tool_calls"]
        native["tool_calls"] = [_with_arguments(item, repaired.get(words(item.get("id")))) for item in items]
    elif repaired and "function_call" in native:
        native["function_call"] = {**native["function_call"], "arguments": next(iter(repaired.values()))}
    return native


def _with_arguments(item: dict[str, Any], arguments: str | None) -> dict[str, Any]:
    return item if arguments is None else {**item, "function": {**item["function"], "arguments": arguments}}


def _pictures(results: Sequence[Result]) -> list[dict[str, Any]]:
    """A ``tool`` message holds text only, so images come in a message of the user's."""
    parts: list[dict[str, Any]] = []
    for result in results:
        for media_type, data in images(result):
            parts.append({"type": "text", "text": f"An image from {called(result)}:"})
            parts.append({"type": "image_url", "image_url": {"url": data_address(media_type, data)}})
    return [{"role": "user", "content": parts}] if parts else []
