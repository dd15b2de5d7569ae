"""Putting a response of Gemini together again from its chunks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from .calls import CUT, mapping, mappings, mended

_STEP = re.compile(r"""\.?([^.\[\]"']{1,256})|\[(\d{1,6})\]|\[["']([^"']{1,256})["']\]""")
_DEEPEST = 64
_VALUES = ("stringValue", "numberValue", "boolValue", "nullValue")


def spelt(value: Mapping[str, Any], key: str) -> Any:
    """Read a key in either of the spellings that Google's libraries write."""
    if key in value:
        return value[key]
    return value.get("".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key))


def function_call(part: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Give the call in a part, if it is one for us; ``toolCall`` is the provider's own."""
    call = spelt(part, "functionCall")
    return call if isinstance(call, Mapping) else None


def assemble(events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Give the response that chunks amount to. One without any finish reason was cut off."""
    body: dict[str, Any] = {}
    candidate: dict[str, Any] = {}
    parts: list[dict[str, Any]] = []
    for event in (mapping(event.get("response")) or event for event in events):
        body |= {key: value for key, value in event.items() if key not in ("candidates", "response") and value}
        for chunk in mappings(event.get("candidates")):
            if chunk.get("index") or 0:
                continue
            parts += [dict(part) for part in mappings(mapping(chunk.get("content")).get("parts"))]
            candidate |= {key: value for key, value in chunk.items() if key != "content" and value}
    if not candidate and not parts:
        return body
    candidate["finishReason"] = spelt(candidate, "finishReason") or CUT
    return {**body, "candidates": [{**candidate, "content": {"role": "model", "parts": _joined(_whole_calls(parts))}}]}


def _joined(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Join plain texts that follow each other, and leave out empty ones; a part with a signature stays as it is."""
    joined: list[dict[str, Any]] = []
    texts: list[str] = []
    for place, part in enumerate(parts):
        plain = set(part) <= {"text", "thought"} and isinstance(part.get("text"), str)
        if not plain:
            joined.append(part)
            continue
        texts.append(part["text"])
        following = parts[place + 1] if place + 1 < len(parts) else {}
        goes_on = set(following) <= {"text", "thought"} and "text" in following
        if goes_on and bool(following.get("thought")) == bool(part.get("thought")):
            continue
        if text := mended("".join(texts)):
            joined.append({**part, "text": text})
        texts = []
    return joined


def _whole_calls(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put calls together whose arguments came in pieces; one whose end never came still says that it goes on."""
    whole: list[dict[str, Any]] = []
    begun: dict[str, Any] | None = None
    for part in parts:
        function = function_call(part)
        if function is None:
            whole.append(part)
        elif begun is not None and not function.get("name"):
            begun = _grown(begun, function)
        elif spelt(function, "willContinue") or spelt(function, "partialArgs"):
            begun = {key: function[key] for key in ("id", "name") if key in function} | {"args": {}}
            whole.append({**_without_call(part), "functionCall": begun})
            begun = _grown(begun, function)
        else:
            begun = None
            whole.append(part)
    return whole


def _without_call(part: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in part.items() if key not in ("functionCall", "function_call")}


def _grown(call: dict[str, Any], more: Mapping[str, Any]) -> dict[str, Any] | None:
    """Add pieces to a call; gives it while it goes on. A piece that fits nowhere leaves it without an end."""
    for piece in mappings(spelt(more, "partialArgs")):
        if not _put(call["args"], str(spelt(piece, "jsonPath") or ""), _value(piece)):
            call["willContinue"] = True
            return None
    if spelt(more, "willContinue"):
        call["willContinue"] = True
        return call
    call.pop("willContinue", None)
    return None


def _value(piece: Mapping[str, Any]) -> Any:
    value = next((found for name in _VALUES if (found := spelt(piece, name)) is not None), None)
    return None if value == "NULL_VALUE" else value


def _put(arguments: dict[str, Any], path: str, value: Any) -> bool:
    """Put a value where a path such as ``$.items[0].name`` leads; a text goes on with what is there."""
    steps = [int(step[2]) if step[2] else step[1] or step[3] for step in _STEP.finditer(path.removeprefix("$"))]
    holder: Any = arguments
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        known = _at(holder, step)
        here: Any = known if isinstance(known, dict | list) else [] if isinstance(following, int) else {}
        if following is None:
            here = known + value if isinstance(known, str) and isinstance(value, str) else value
        if not _set(holder, step, here):
            return False
        holder = here
    return 0 < len(steps) <= _DEEPEST


def _at(holder: Any, step: int | str) -> Any:
    if isinstance(holder, list) and isinstance(step, int):
        return holder[step] if step < len(holder) else None
    return holder.get(step) if isinstance(holder, dict) else None


def _set(holder: Any, step: int | str, value: Any) -> bool:
    if isinstance(holder, list) and isinstance(step, int) and step <= len(holder):
        holder[step : step + 1] = [value]
        return True
    if isinstance(holder, dict) and isinstance(step, str):
        holder[step] = value
        return True
    return False
