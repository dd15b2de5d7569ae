"""Gemma's function calls: ``call:name{key:value}`` in its own marks, with marks of its own for quotes."""

from __future__ import annotations

import json
import re

from ares_core import ToolCall

from .calls import read_arguments, read_name
from .marks import Quoted, Span

_MARKS = (
    ("<start_function_call>", "<end_function_call>", "<escape>"),
    ("<|tool_call>", "<tool_call|>", '<|"|>'),
)
_CALL = re.compile(r"\s*call:([^\s{}<>]{1,256})\s*(?=\{)")
_KEY = re.compile(r"([{,]\s*)([A-Za-z_][\w.-]{0,255})(\s*:)")


def gemma_calls(text: str, quoted: Quoted) -> tuple[list[ToolCall], list[Span]]:
    """``<start_function_call>call:f{a:1}<end_function_call>`` (FunctionGemma), ``<|tool_call>…`` (Gemma 4)."""
    calls, spans = [], []
    for opening, closing, quote in _MARKS:
        place = text.find(opening)
        while place >= 0:
            end = text.find(closing, place)
            limit = len(text) if end < 0 else end
            head = _CALL.match(text, place + len(opening), limit)
            if head and place not in quoted:
                arguments = "{" if end < 0 else _as_json(text[head.end() : limit], quote)
                calls.append(ToolCall(read_name(head[1]), read_arguments(arguments, cut=True)))
                spans.append((place, limit if end < 0 else end + len(closing)))
            place = text.find(opening, limit)
    return calls, spans


def _as_json(body: str, quote: str) -> str:
    """Write quotes around texts and keys; every second part between the marks is a text.

    >>> _as_json('{city:<q>a {b}<q>,days:3}', "<q>")
    '{"city":"a {b}","days":3}'
    """
    parts = body.strip().split(quote)
    written = [json.dumps(part) if place % 2 else _KEY.sub(r'\1"\2"\3', part) for place, part in enumerate(parts)]
    return "".join(written)
