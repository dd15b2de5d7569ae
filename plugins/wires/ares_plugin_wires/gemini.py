"""Gemini's ``generateContent``, on either of Google's services."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ares_core import Definition, Definitions, NameRule, Result, ToolCall, Turn

from .calls import (
    BEGUN,
    CUT,
    FAILED,
    FILTERED,
    judge,
    mapping,
    mappings,
    read_arguments,
    read_name,
    sent_arguments,
    sent_name,
    unique_ids,
    why,
    words,
)
from .errors import error_turn
from .gemini_schema import gemini_schema
from .gemini_stream import assemble, function_call, spelt
from .results import images, structured, told
from .schemas import object_schema

if TYPE_CHECKING:
    from ares_core import Outcome

_STOPS = {
    "MAX_TOKENS": CUT, CUT: CUT, "SAFETY": FILTERED, "RECITATION": FILTERED, "BLOCKLIST": FILTERED,
    "LANGUAGE": FILTERED, "PROHIBITED_CONTENT": FILTERED, "SPII": FILTERED, "IMAGE_SAFETY": FILTERED, "OTHER": FAILED,
    "TOO_MANY_TOOL_CALLS": FAILED, "MISSING_THOUGHT_SIGNATURE": FAILED,
}  # fmt: skip
_NAMES = NameRule(first="A-Za-z_", rest="A-Za-z0-9_.-")
_MALFORMED = ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE")
_MODES = {"auto": "AUTO", "none": "NONE", "required": "ANY"}


class Gemini:
    """The format of ``generateContent`` and ``streamGenerateContent``."""

    name = "gemini"
    names = _NAMES

    def recognises(self, part: Mapping[str, Any]) -> bool:
        """Tell whether this is a response, a chunk of one, a model's content, or an error of Google's."""
        inner = mapping(part.get("response")) or part
        if isinstance(inner.get("candidates"), list) or "promptFeedback" in inner or "usageMetadata" in inner:
            return True
        if isinstance(part.get("parts"), list) and part.get("role") == "model":
            return True
        return isinstance(mapping(part.get("error")).get("status"), str)

    def assemble(self, events: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        """Give the response that the chunks amount to."""
        return assemble(events)

    def read(self, body: Mapping[str, Any]) -> Turn:
        """Read a response. Calls seldom have ids here; those that are missing are made up."""
        body = mapping(body.get("response")) or body
        if error := body.get("error"):
            return error_turn(self.name, mapping(error), error)
        candidate = _candidate(body)
        if not candidate:
            return self._without_candidate(body)
        content = mapping(candidate.get("content"))
        parts = mappings(content.get("parts"))
        calls = _calls(parts, spelt(body, "responseId"))
        finish = words(spelt(candidate, "finishReason"))
        outcome = _outcome(calls, finish, parts)
        native = {"role": "model", "parts": [dict(part) for part in parts]} if parts else None
        text = "".join(words(part.get("text")) for part in parts if not part.get("thought"))
        reason = "" if outcome in ("calls", "final") else _reason(candidate, finish)
        return Turn(calls, text, outcome, self.name, native, reason, words(spelt(body, "modelVersion")))

    def _without_candidate(self, body: Mapping[str, Any]) -> Turn:
        blocked = spelt(mapping(spelt(body, "promptFeedback")), "blockReason")
        if blocked:
            return Turn(outcome="filtered", wire=self.name, reason=f"the prompt was blocked: {blocked}")
        return Turn(outcome="failed", wire=self.name, reason="the response has no candidates")

    def write(self, turn: Turn, results: Sequence[Result]) -> list[dict[str, Any]]:
        """Give the model's content, signatures included, and one content with a response for each call."""
        pairs = iter(zip(turn.calls, results, strict=True))
        parts, answers, pictures = [], [], []
        for part in turn.native["parts"] if turn.native else ():
            if function_call(part) is None:
                parts.append(part)
                continue
            call, result = next(pairs)
            parts.append(_sent(part, call, result))
            answers.append({"functionResponse": _response(parts[-1]["functionCall"], result)})
            pictures += [{"inlineData": {"mimeType": kind, "data": data}} for kind, data in images(result)]
        native = [{"role": "model", "parts": parts}] if parts else []
        return [*native, {"role": "user", "parts": [*answers, *pictures]}] if answers else native

    def definitions(self, tools: Sequence[Definition], choice: str | None, strict: bool) -> Definitions:
        """Publish tools as function declarations, all in one; a tool without parameters has none."""
        lost: list[str] = []
        declared = [_declaration(tool, lost) for tool in tools]
        published = [{"functionDeclarations": declared}] if declared else []
        fragment: dict[str, Any] = {"tools": published}
        mode = _MODES.get(choice or "auto", "ANY")
        if strict and mode == "AUTO":
            mode = "VALIDATED"
        config = {"mode": mode} if choice in (None, *_MODES) else {"mode": "ANY", "allowedFunctionNames": [choice]}
        if choice is not None or strict:
            fragment["toolConfig"] = {"functionCallingConfig": config}
        return Definitions(published, fragment, lost)


def _declaration(tool: Definition, lost: list[str]) -> dict[str, Any]:
    notes: list[str] = []
    schema = gemini_schema(object_schema(tool.parameters, notes), notes)
    lost += [f"{tool.name}: {note}" for note in notes]
    declaration = {"name": tool.name, "description": tool.description}
    return {**declaration, "parameters": schema} if schema.get("properties") else declaration


def _candidate(body: Mapping[str, Any]) -> Mapping[str, Any]:
    if isinstance(body.get("parts"), list):
        return {"content": body}
    candidates = mappings(body.get("candidates"))
    return candidates[0] if candidates else {}


def _calls(parts: list[Mapping[str, Any]], seed: Any) -> tuple[ToolCall, ...]:
    functions = [function for part in parts if (function := function_call(part)) is not None]
    ids = unique_ids((function.get("id") for function in functions), seed)
    return tuple(
        ToolCall(read_name(function.get("name")), _arguments(function), id=identifier)
        for function, identifier in zip(functions, ids, strict=True)
    )


def _arguments(function: Mapping[str, Any]) -> str | dict[str, Any]:
    if spelt(function, "willContinue") or spelt(function, "partialArgs"):
        return BEGUN
    return read_arguments(function.get("args"))


def _outcome(calls: Sequence[ToolCall], finish: str, parts: Sequence[Any]) -> Outcome:
    if finish in _MALFORMED and not calls:
        return "malformed"
    return judge(calls, _STOPS.get(finish, "" if parts else FAILED))


def _reason(candidate: Mapping[str, Any], finish: str) -> str:
    message = words(spelt(candidate, "finishMessage"))
    empty = "" if mapping(candidate.get("content")).get("parts") else "; the candidate has no parts"
    return why("finishReason", finish) + (f": {message}" if message else empty)


def _sent(part: Mapping[str, Any], call: ToolCall, result: Result) -> dict[str, Any]:
    """Give the part as it may go back: with a name, arguments an object, an id if it came with one."""
    function = mapping(function_call(part))
    kept = {key: value for key, value in function.items() if key in ("id", "name", "args") and value is not None}
    if "id" in kept:
        kept["id"] = call.id
    others = {key: value for key, value in part.items() if key not in ("functionCall", "function_call")}
    name = sent_name(words(kept.get("name")), _NAMES)
    function = {**kept, "name": name, "args": sent_arguments(call, result)}
    return {**others, "functionCall": function}


def _response(function: Mapping[str, Any], result: Result) -> dict[str, Any]:
    identifier = {"id": function["id"]} if "id" in function else {}
    said = structured(result) or told(result)
    return {**identifier, "name": function["name"], "response": {"output" if result.success else "error": said}}
