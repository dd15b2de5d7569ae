"""Calls between a dialect's own marks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ares_core import ToolCall, replace

from .bare import broken_call, call_of, json_calls, keyed_calls, python_calls
from .calls import read_arguments, read_name
from .invoked import bordered, element_calls, functions, keys_and_values
from .marks import Quoted, Span, between_fences

Found = tuple[list[ToolCall], list[Span]]

_JSON = json.JSONDecoder()
_LENIENT = json.JSONDecoder(strict=False)
_MOST_BROKEN = 50
"""In how many parts without an end of their own one is looked for: each look reads all of the text before it."""
_MISTRAL_ARGS = re.compile(r"\s*([^\s\[\]{}]{1,256})(?:\[CALL_ID\][\w-]{1,64})?(?:\[ARGS\]|(?=\{))")
_TAGS = (
    ("<tool_call>", "</tool_call>"), ("<tool_calls>", "</tool_calls>"), ("<function_call>", "</function_call>"),
    ("<function_calls>", "</function_calls>"), ("<tool_use>", "</tool_use>"), ("<tool-use>", "</tool-use>"),
    ("<seed:tool_call>", "</seed:tool_call>"), ("<TOOLCALL>", "</TOOLCALL>"), ("<|tool_call|>", "<|/tool_call|>"),
    ("<|tool_call_start|>", "<|tool_call_end|>"), ("<|START_ACTION|>", "<|END_ACTION|>"),
    ("<|action_start|><|plugin|>", "<|action_end|>"), ("<|tools_prefix|>", "<|tools_suffix|>"), ("<tools>", "</tools>"),
)  # fmt: skip
_KIMI_NAME = re.compile(r"\s*(?:functions\.)?([^\s:<]{1,256})(?::\d{1,6})?\s*")


def _parts(text: str, quoted: Quoted, opening: str, closing: str) -> Iterator[tuple[int, int, str, bool]]:
    """Give what stands between marks: where it starts and ends, marks included, the text, whether it is closed.

    A part that is not closed ends at the next opening mark or with the text. Marks inside the JSON or the function
    that a part starts with are words of its arguments.
    """
    last_end = text.rfind("</function>")
    broken = 0
    place = text.find(opening)
    while place >= 0:
        start = place + len(opening)
        inside = _body_end(text, start, last_end) if broken < _MOST_BROKEN else start
        broken += inside == start
        following = text.find(opening, inside)
        limit = len(text) if following < 0 else following
        end = text.find(closing, inside, limit)
        if place not in quoted and end < 0:
            yield place, limit, text[start:limit], False
        elif place not in quoted:
            yield place, end + len(closing), text[start:end], True
        place = following


def _body_end(text: str, start: int, last_end: int) -> int:
    """Give the place up to which everything belongs to the JSON or the function that starts here."""
    first = start + len(text[start : start + 64]) - len(text[start : start + 64].lstrip())
    if text.startswith(("{", "["), first):
        try:
            return _LENIENT.raw_decode(text, first)[1]
        except (ValueError, RecursionError):
            return start
    if text.startswith("<function=", first) and last_end > first:
        return text.index("</function>", first)
    return start


def tool_call_calls(text: str, quoted: Quoted) -> Found:
    """``<tool_call>…</tool_call>`` with JSON (Hermes, Qwen 2.5), XML (Qwen 3 Coder) or keys and values (GLM) in it.

    Other families have other words for these marks. What stands in ``<tools>`` may be definitions, so only an object
    with nothing else in it is a call there.
    """
    calls, spans = [], []
    for opening, closing in _TAGS:
        for start, end, inner, closed in _parts(text, quoted, opening, closing):
            body = inner.strip()
            found = json_calls(body, strict=True) if opening == "<tools>" else _inner_calls(body, closed)
            if found:
                calls += found
                spans.append((start, end))
        if calls:
            break
    return calls, spans


def _inner_calls(inner: str, closed: bool) -> list[ToolCall]:
    if inner.startswith("<function="):
        return functions(inner[len("<function=") :], closed)
    if inner.startswith("<"):
        return element_calls(inner)
    if "(" in inner and (called := python_calls(inner)):
        return called
    if "<arg_key>" in inner or inner and not inner.startswith(("{", "[", "`")):
        call = keys_and_values(inner) if closed else None
        return [call] if call else []
    if inner.startswith("```"):
        inner = inner.strip("`").removeprefix("json").strip()
    return json_calls(inner) or keyed_calls(inner) or _first_json(inner) or broken_call(inner)


def _first_json(text: str) -> list[ToolCall]:
    """Read the object that a text starts with, whatever follows it."""
    try:
        value, _ = _JSON.raw_decode(text)
    except (ValueError, RecursionError):
        return []
    call = call_of(value)
    return [call] if call else []


def function_calls(text: str, quoted: Quoted) -> Found:
    """``<function=name>{…}</function>`` (Llama 3.1)."""
    calls, spans = [], []
    for opening in ("<function=", "<function("):
        for start, end, inner, closed in _parts(text, quoted, opening, "</function>"):
            found = functions(inner, closed)
            calls += found
            spans += [(start, end)] if found else []
        if calls:
            break
    return calls, bordered(text, spans)


def labelled_calls(text: str, quoted: Quoted) -> Found:
    """Fences that say that they hold a call: ``tool_call``, ``function_call``, and Gemma's ``tool_code``."""
    calls, spans = [], []
    for start, end in between_fences(text):
        label, _, inner = text[start:end].lstrip(" `").partition("\n")
        body = inner.rstrip().removesuffix("```").strip()
        if label.strip() in ("tool_call", "function_call", "tool_code"):
            calls += json_calls(body) or python_calls(body) or broken_call(body)
            spans.append((start, end))
    return calls, spans


def llama_calls(text: str, quoted: Quoted) -> Found:
    """``<|python_tag|>`` with JSON objects apart by semicolons or a Python call, and ``<|python_start|>[…]``."""
    for opening, closing in (("<|python_tag|>", "<|eom_id|>"), ("<|python_start|>", "<|python_end|>")):
        for start, end, part, _ in _parts(text, quoted, opening, closing):
            inner = part.replace("<|eot_id|>", "").strip()
            calls = json_calls(inner) or _builtins(python_calls(inner)) or broken_call(inner)
            if calls:
                return calls, [(start, end)]
    return [], []


def _builtins(calls: list[ToolCall]) -> list[ToolCall]:
    """Take ``.call`` off a name: so the model writes the tools that it knows from its training."""
    return [replace(call, name=call.name.removesuffix(".call")) for call in calls]


def mistral_calls(text: str, quoted: Quoted) -> Found:
    """``[TOOL_CALLS]`` with a JSON list, or with ``name[ARGS]{…}`` once or more."""
    start = text.find("[TOOL_CALLS]")
    if start < 0 or start in quoted:
        return [], []
    rest = text[start + len("[TOOL_CALLS]") :].replace("</s>", "").strip()
    calls = _with_args(rest) or json_calls(rest) or _listed(rest)
    return calls, [(start, len(text))] if calls else []


def _listed(text: str) -> list[ToolCall]:
    return broken_call(text.removeprefix("[").strip()) if text.startswith("[") else []


def _with_args(text: str) -> list[ToolCall]:
    calls = []
    place = 0
    while match := _MISTRAL_ARGS.match(text, place):
        place = match.end()
        following = text.find("[TOOL_CALLS]", place)
        body, place = _json_text(text, place, len(text) if following < 0 else following)
        calls.append(ToolCall(read_name(match[1]), read_arguments(body, cut=True)))
        if text.startswith("[TOOL_CALLS]", place):
            place += len("[TOOL_CALLS]")
    return calls


def _json_text(text: str, start: int, limit: int) -> tuple[str, int]:
    """Give the JSON text that starts here and where it ends; broken JSON reaches to the limit."""
    part = text[start:limit]
    body = part.lstrip()
    try:
        _, length = _JSON.raw_decode(body)
    except (ValueError, RecursionError):
        return body.rstrip(), limit
    return body[:length], start + len(part) - len(body) + length


def kimi_calls(text: str, quoted: Quoted) -> Found:
    """``<|tool_call_begin|>functions.name:0<|tool_call_argument_begin|>{…}<|tool_call_end|>`` (Kimi)."""
    calls, spans = [], []
    for start, end, inner, _ in _parts(text, quoted, "<|tool_call_begin|>", "<|tool_call_end|>"):
        head, mark, body = inner.partition("<|tool_call_argument_begin|>")
        name = _KIMI_NAME.fullmatch(head)
        if mark and name:
            calls.append(ToolCall(read_name(name[1]), read_arguments(body.strip(), cut=True)))
            spans.append((start, end))
    return calls, _with_borders(text, spans, "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>")


def deepseek_calls(text: str, quoted: Quoted) -> Found:
    """DeepSeek's marks, with the arguments in a fence (R1) or plain (V3.1)."""
    calls, spans = [], []
    for start, end, inner, _ in _parts(text, quoted, "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"):
        head, mark, body = inner.partition("<｜tool▁sep｜>")
        if not mark:
            continue
        if head.strip() == "function":
            head, _, body = body.partition("\n")
            body = body.strip().removeprefix("```json").removesuffix("```")
        calls.append(ToolCall(read_name(head), read_arguments(body.strip(), cut=True)))
        spans.append((start, end))
    return calls, _with_borders(text, spans, "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>")


def _with_borders(text: str, spans: list[Span], opening: str, closing: str) -> list[Span]:
    """Take the marks around all calls along."""
    if not spans:
        return spans
    start = text.rfind(opening, 0, spans[0][0])
    end = text.find(closing, spans[-1][1])
    first = start if start >= 0 else spans[0][0]
    last = end + len(closing) if end >= 0 else spans[-1][1]
    return [(first, last)]
