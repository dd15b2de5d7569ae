"""Ollama's own chat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ares_core import Definition, Definitions, NameRule, Result, ToolCall, Turn

from .calls import (
    CUT,
    FAILED,
    function_of,
    judge,
    listed,
    mapping,
    mappings,
    mended,
    read_arguments,
    read_name,
    sent_arguments,
    sent_name,
    unique_ids,
    why,
    words,
)
from .errors import error_turn
from .inline import inlined
from .results import images, told
from .schemas import object_schema

_NAMES = NameRule()
_STOPS = {"length": CUT, "load": FAILED, "unload": FAILED}


class Ollama:
    """The format of ``/api/chat``."""

    name = "ollama"
    names = _NAMES

    def recognises(self, part: Mapping[str, Any]) -> bool:
        """Tell whether this is an answer, a line of a streamed one, or an error."""
        whole = isinstance(part.get("message"), Mapping) and isinstance(part.get("done"), bool)
        return whole or isinstance(part.get("error"), str) and "type" not in part

    def assemble(self, events: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        """Give the answer that the lines amount to."""
        return assemble(events)

    def read(self, body: Mapping[str, Any]) -> Turn:
        """Read an answer. Its calls have ids in newer versions only; those that are missing are made up."""
        if error := body.get("error"):
            return error_turn(self.name, {"message": error}, error)
        message = body.get("message")
        if not isinstance(message, Mapping):
            return Turn(outcome="failed", wire=self.name, reason="the answer has no message")
        items = listed(message.get("tool_calls"))
        finish = words(body.get("done_reason"))
        stop = _STOPS.get(finish, CUT if body.get("done") is False else "")
        calls = _calls(items, f"{body.get('model')} {body.get('created_at')}" if body.get("created_at") else None, stop)
        sent = [_sent(item, call) for item, call in zip(items, calls, strict=True)]
        native = {key: value for key, value in message.items() if value is not None and key != "tool_calls"}
        native |= {"role": "assistant", **({"tool_calls": sent} if sent else {})}
        outcome = judge(calls, stop)
        reason = "" if outcome in ("calls", "final") else why("done_reason", finish or CUT)
        return Turn(calls, words(message.get("content")), outcome, self.name, native, reason, words(body.get("model")))

    def write(self, turn: Turn, results: Sequence[Result]) -> list[dict[str, Any]]:
        """Give the assistant's message and one ``tool`` message for each call, with the tool's name."""
        items = turn.native.get("tool_calls", [])
        sent, answers = [], []
        for item, call, result in zip(items, turn.calls, results, strict=True):
            function = {**item["function"], "arguments": sent_arguments(call, result)}
            sent.append({**item, "function": function})
            answers.append(_answer(sent[-1], result))
        return [{**turn.native, "tool_calls": sent} if sent else turn.native, *answers]

    def definitions(self, tools: Sequence[Definition], choice: str | None, strict: bool) -> Definitions:
        """Publish tools as functions without references. There is no tool choice here."""
        lost = [] if choice in (None, "auto") else [f"tool_choice {choice!r}: Ollama has no such choice"]
        lost = [f"{lost[0]}, so no tools go out"] if choice == "none" else lost
        lost += ["strict mode: Ollama has none"] if strict else []
        functions = []
        for tool in tools:
            notes: list[str] = []
            schema = inlined(object_schema(tool.parameters, notes), notes)
            function = {"name": tool.name, "description": tool.description, "parameters": schema}
            functions.append({"type": "function", "function": function})
            lost += [f"{tool.name}: {note}" for note in notes]
        return Definitions(functions, {} if choice == "none" else {"tools": functions}, lost)


def _calls(items: list[Mapping[str, Any]], seed: Any, stop: str) -> tuple[ToolCall, ...]:
    ids = unique_ids((item.get("id") for item in items), seed)
    functions = [function_of(item) for item in items]
    return tuple(
        ToolCall(read_name(function.get("name")), read_arguments(function.get("arguments"), stop == CUT), id=identifier)
        for function, identifier in zip(functions, ids, strict=True)
    )


def _sent(item: Mapping[str, Any], call: ToolCall) -> dict[str, Any]:
    function = {**mapping(item.get("function")), "name": sent_name(call.name, _NAMES)}
    function["arguments"] = sent_arguments(call)
    return {**item, **({"id": call.id} if item.get("id") else {}), "function": function}


def _answer(item: Mapping[str, Any], result: Result) -> dict[str, Any]:
    answer = {"role": "tool", "content": told(result), "tool_name": item["function"]["name"]}
    if item.get("id"):
        answer["tool_call_id"] = item["id"]
    pictures = [data for _, data in images(result)]
    return {**answer, "images": pictures} if pictures else answer


def assemble(events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Give the answer that lines amount to: texts joined, calls one after the other."""
    body: dict[str, Any] = {"done": False}
    texts: dict[str, list[str]] = {}
    message: dict[str, Any] = {"role": "assistant", "content": ""}
    for event in events:
        body |= {key: value for key, value in event.items() if key != "message"}
        for key, value in mapping(event.get("message")).items():
            if key == "tool_calls":
                message.setdefault(key, []).extend(mappings(value))
            elif key in ("content", "thinking"):
                texts.setdefault(key, []).append(words(value))
            elif value is not None:
                message[key] = value
    message |= {key: mended("".join(pieces)) for key, pieces in texts.items()}
    return {**body, "message": message}
