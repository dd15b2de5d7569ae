"""Calls that are written as elements: each argument in a tag of its own, or all of them as JSON in one.

Qwen 3 Coder and Llama 3.1 write ``<function=name>``, Claude, MiniMax and DeepSeek ``<invoke name="name">``, GLM
``<arg_key>``, and prompts for any model ``<name>`` beside ``<arguments>``.
"""

from __future__ import annotations

import re
from typing import Any

from ares_core import ToolCall

from .calls import read_arguments, read_name, read_value
from .marks import Quoted, Span, without_last_mark

Found = tuple[list[ToolCall], list[Span]]

_HEAD = re.compile(r"""\s*["']?([^\s"'<>(){}\[\],=]{1,256})["']?\s*[,()=]?\s*>?""")
_INVOKE = re.compile(
    r"""<((?:[｜|]{1,2} ?DSML ?[｜|]{1,2} ?|[\w-]{1,16}:)?)(invoke|function) {1,4}"""
    r"""name ?= ?["']([^"'<>\n]{1,256})["'] ?>"""
)
_PARAMETER = re.compile(
    r"""\s*<[^<>="'\n/]{0,16}(?:parameter|param|arg|argument) {1,4}name ?= ?["']([^"'<>\n]{1,256})["']"""
    r"""(?: {1,4}string ?= ?["'](true|false)["'])? ?>"""
)
_NEXT = re.compile(r"\n[ \t]{0,8}<[^<>=\"'\n/]{0,16}parameter[ =]")
_BEFORE = re.compile(r"<[^<>\n/]{0,16}(?:tool_calls?|function_calls|tool_use|calls)>?\s*\Z")
_AFTER = re.compile(r"\s*</[^<>\n]{0,16}(?:tool_calls?|function_calls|tool_use|calls)>")
_BETWEEN = re.compile(r"</function>\s*<function=")
_ELEMENT = re.compile(r"\s*<([A-Za-z_][\w.-]{0,63})>")
_END = re.compile(r"\s*\Z")
_MOST_PARTS = 1_000
_NAMES = ("name", "tool_name", "tool")
_ARGUMENTS = ("arguments", "parameters", "args", "input")


def functions(text: str, closed: bool) -> list[ToolCall]:
    """Read what follows the first ``<function=``; others may stand right behind its end.

    ``closed`` says that the last has an end, whether or not its parameters have.
    """
    *others, last = _BETWEEN.split(text)
    found = [*(_function(each, True) for each in others), _function(last, closed)]
    return [call for call in found if call]


def _function(text: str, closed: bool) -> ToolCall | None:
    """Read ``name>`` and then parameters in XML, or JSON; models forget the ``>``, or write it after the JSON."""
    head = _HEAD.match(text)
    if not head:
        return None
    name = read_name(head[1])
    body, ending, after = text[head.end() :].rpartition("</function>")
    body, closed = body or after, closed or bool(ending)
    if "<parameter=" not in body or body.lstrip().startswith("{"):
        return ToolCall(name, read_arguments(_object_alone(body), cut=not closed))
    arguments: dict[str, Any] = {}
    place = body.find("<parameter=")
    for _ in range(_MOST_PARTS):
        key, _, _ = body[place + len("<parameter=") :].partition(">")
        start = place + len("<parameter=") + len(key) + 1
        end, place = _value_end(body, start, "</parameter>", "")
        if end < 0 and not closed:
            return ToolCall(name, "{")
        arguments[key.strip("\"' ")] = trimmed(body[start : len(body) if end < 0 else end])
        place = body.find("<parameter=", place) if end >= 0 else -1
        if place < 0:
            return ToolCall(name, arguments)
    return ToolCall(name, "{")


def _object_alone(body: str) -> str:
    """Leave out the brackets and marks that stand after an object."""
    bare = without_last_mark(body).strip()
    cut = bare.rfind("}") + 1
    return bare if bare[cut:].strip(" )>;\r\n") else bare[:cut] or bare


def trimmed(value: str) -> str:
    """Leave out the one line end that the marks bring with them at each end."""
    return value.removeprefix("\r\n").removeprefix("\n").removesuffix("\n").removesuffix("\r")


def keys_and_values(inner: str) -> ToolCall | None:
    """Read GLM's ``name`` and then ``<arg_key>`` and ``<arg_value>`` in turn."""
    name, *pairs = inner.split("<arg_key>")
    name = name.strip()
    if not name or len(name) > 256 or re.search(r"[\s<>]", name):
        return None
    arguments = {}
    for pair in pairs:
        key, _, rest = pair.partition("</arg_key>")
        value = rest.partition("<arg_value>")[2].partition("</arg_value>")[0]
        arguments[key.strip()] = trimmed(value)
    return ToolCall(read_name(name), arguments)


def invoke_calls(text: str, quoted: Quoted) -> Found:
    """``<invoke name="…">`` with ``<parameter name="…">`` in it, whatever stands before these words in the tag."""
    calls, spans = [], []
    place = 0
    for _ in range(_MOST_PARTS):
        opening = _INVOKE.search(text, place)
        if not opening:
            break
        if opening.start() in quoted:
            place = opening.end()
            continue
        prefix, word, name = opening.groups()
        arguments, place = _parameters(text, opening.end(), prefix, f"</{prefix}{word}>")
        calls.append(ToolCall(read_name(name), arguments))
        spans.append((opening.start(), place))
    return calls, bordered(text, spans)


def _parameters(text: str, start: int, prefix: str, closing: str) -> tuple[str | dict[str, Any], int]:
    """Read the parameters that start here, and give the place after the call; what has no end was cut off."""
    arguments: dict[str, Any] = {}
    place = start
    while opening := _PARAMETER.match(text, place):
        end, place = _value_end(text, opening.end(), f"</{prefix}parameter>", closing)
        if end < 0:
            return "{", len(text)
        arguments[opening[1]] = _value(text[opening.end() : end], opening[2])
    end = text.find(closing, place)
    if end < 0:
        return (arguments or read_arguments(text[place:].strip(), cut=True)), len(text)
    body = text[place:end].strip() if not arguments else ""
    return (_inner(body) if body else arguments), end + len(closing)


def _value_end(text: str, start: int, closing: str, end_of_call: str) -> tuple[int, int]:
    """Give where a value ends and where to read on; one without an end of its own ends where the next begins."""
    end = text.find(closing, start)
    following = _NEXT.search(text, start, len(text) if end < 0 else end)
    if following:
        return following.start(), following.start()
    if end >= 0:
        return end, end + len(closing)
    end = text.find(end_of_call, start) if end_of_call else -1
    return end, end


def _value(text: str, is_text: str | None) -> Any:
    if is_text is None:
        return trimmed(text)
    return text if is_text == "true" else read_value(text)


def _inner(body: str) -> str | dict[str, Any]:
    parts = elements(body)
    return dict(parts) if parts else read_arguments(body)


def element_calls(inner: str) -> list[ToolCall]:
    """Read ``<name>…</name><arguments>…</arguments>``, in an element of its own or several times."""
    calls = []
    for tag, body in elements(inner) or ():
        if tag in ("invoke", "tool_call", "tool_use", "function_call"):
            calls += element_calls(body)
    return calls or _element_call(dict(elements(inner) or ()))


def _element_call(parts: dict[str, str]) -> list[ToolCall]:
    name = next((parts[tag].strip() for tag in _NAMES if tag in parts), "")
    body = next((parts[tag].strip() for tag in _ARGUMENTS if tag in parts), "")
    if not name or re.search(r"[\s<>]", name):
        return []
    return [ToolCall(read_name(name), _inner(body) if body else {})]


def elements(text: str) -> list[tuple[str, str]] | None:
    """Give the elements that a text consists of; ``None`` if there is anything else in it.

    >>> elements("<a>1</a> <b><c>2</c></b>")
    [('a', '1'), ('b', '<c>2</c>')]
    """
    found: list[tuple[str, str]] = []
    place = 0
    for _ in range(_MOST_PARTS):
        if _END.match(text, place):
            return found
        opening = _ELEMENT.match(text, place)
        end = text.find(f"</{opening[1]}>", opening.end()) if opening else -1
        if opening is None or end < 0:
            return None
        found.append((opening[1], trimmed(text[opening.end() : end])))
        place = end + len(opening[1]) + 3
    return None


def bordered(text: str, spans: list[Span]) -> list[Span]:
    """Take the marks around calls along, and those that only end them."""
    return [_bordered(text, start, end) for start, end in spans]


def _bordered(text: str, start: int, end: int) -> Span:
    before, after = _BEFORE.search(text[max(0, start - 64) : start]), _AFTER.match(text, end)
    return start - len(before[0]) if before else start, after.end() if after else end
