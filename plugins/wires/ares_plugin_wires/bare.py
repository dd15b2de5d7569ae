"""Calls that are a whole message: one JSON object or several, a fence, a Python call."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from ares_core import ToolCall

from .calls import as_json, read_arguments, read_name
from .marks import between_fences

Known = Callable[[str], bool]

_NAMES = ("name", "function", "tool", "tool_name", "function_name", "action")
_ARGUMENTS = ("arguments", "parameters", "args", "input", "tool_input", "action_input", "kwargs")
_BESIDES = frozenset({"id", "type", "call_id", "tool_call_id"})
_FENCE = re.compile(r"\A```([\w+-]{0,20})[ \t]*\r?\n(.*)", re.DOTALL)
_BROKEN = re.compile(
    r"""\{\s*["'](?:name|function|tool)["']\s*:\s*["']([^"'\n]{1,256})["']\s*,\s*["'](?:arguments|parameters)["']\s*:\s*"""
)
_LONGEST_PYTHON = 64 * 1024
_BETWEEN = " \t\r\n;,"
_JSON = json.JSONDecoder()
_PYTHON_NAMES = {"true": True, "false": False, "null": None}


class _NoCall(ValueError):
    """It looks like a call and is none."""


def whole_calls(text: str, dialect: str, known: Known | None) -> list[ToolCall]:
    """Give the calls that a message consists of; nothing if there is anything else in it."""
    body, label = text.strip(), ""
    if fence := _FENCE.match(body):
        label, body = fence[1].lower(), fence[2].rstrip().removesuffix("```").strip()
    calls: list[ToolCall] = []
    if dialect != "pythonic":
        calls = json_calls(body, strict=True) or broken_call(body)
    if not calls and dialect in ("any", "pythonic", "llama") and label in ("", "tool_code", "python", "py"):
        calls = python_calls(body)
    return calls if all(known is None or known(call.name) for call in calls) else []


def fenced_calls(text: str, known: Known | None) -> tuple[list[ToolCall], str]:
    """Give the calls in the fence that ends a message."""
    spans = between_fences(text.rstrip())
    if not spans or spans[-1][1] < len(text.rstrip()):
        return whole_calls(text, "json", known), text
    start, end = spans[-1]
    calls = whole_calls(text[start:end], "json", known)
    return calls, text[:start].strip("\r\n") if calls else text


def json_calls(text: str, strict: bool = False) -> list[ToolCall]:
    """Give the calls in JSON objects one after the other, or in a list. ``strict``: objects that hold nothing else."""
    values: list[Any] = []
    place = 0
    while place < len(text):
        if text[place] in _BETWEEN:
            place += 1
            continue
        try:
            value, place = _JSON.raw_decode(text, place)
        except (ValueError, RecursionError):
            return []
        values += value if isinstance(value, list) else [value]
    if len(values) == 1 and isinstance(values[0], Mapping) and isinstance(values[0].get("tool_calls"), list):
        values = values[0]["tool_calls"]
    calls = [call_of(value, strict) for value in values]
    return [call for call in calls if call] if all(calls) else []


def call_of(value: Any, strict: bool = False) -> ToolCall | None:
    """Read a JSON object as a call: a name, and arguments under one of the usual keys."""
    if not isinstance(value, Mapping):
        return None
    if isinstance(value.get("function"), Mapping):
        beside = next((key for key in _ARGUMENTS if isinstance(value.get(key), Mapping)), "function")
        if strict and not set(value) <= {*_BESIDES, "function", beside}:
            return None
        value = {**({} if beside == "function" else {beside: value[beside]}), **value["function"]}
    name_key = next((key for key in _NAMES if isinstance(value.get(key), str)), None)
    if name_key is None or not value[name_key].strip():
        return None
    key = next((key for key in _ARGUMENTS if key in value and key != name_key), None)
    if strict and (key is None or not set(value) <= {*_BESIDES, name_key, key}):
        return None
    return ToolCall(read_name(value[name_key]), read_arguments(value[key] if key else None))


def broken_call(text: str) -> list[ToolCall]:
    """Give a call whose JSON is broken or cut off: the name is plain, the arguments stay text."""
    match = _BROKEN.match(text)
    if not match or _is_json(text):
        return []
    rest = text[match.end() :].rstrip()
    ends = rest.endswith("}}") or bool(re.search(r"\}\s*\}\Z", rest[-50:]))
    arguments = rest[: rest.rfind("}")].rstrip() if ends else rest
    return [ToolCall(read_name(match[1]), read_arguments(arguments or "{", cut=True))]


def _is_json(text: str) -> bool:
    try:
        _JSON.decode(text)
    except (ValueError, RecursionError):
        return False
    return True


def python_calls(text: str) -> list[ToolCall]:
    """Give the calls in ``[f(a=1), g(b="x")]`` or ``f(a=1)``; nothing in it is run.

    >>> [(call.name, call.arguments) for call in python_calls("[area.of({'base': 10})]")]
    [('area.of', {'base': 10})]
    """
    if len(text) > _LONGEST_PYTHON or not text.endswith((")", "]", ");")):
        return []
    try:
        tree = ast.parse(text.rstrip(";"), mode="eval").body
        nodes = tree.elts if isinstance(tree, ast.List | ast.Tuple) else [tree]
        return [_python_call(node) for node in nodes]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _python_call(node: ast.expr) -> ToolCall:
    if not isinstance(node, ast.Call):
        raise _NoCall
    name = _dotted(node.func)
    if any(keyword.arg is None for keyword in node.keywords):
        raise _NoCall
    named = {str(keyword.arg): _value(keyword.value) for keyword in node.keywords}
    placed = [_value(argument) for argument in node.args]
    if len(placed) == 1 and isinstance(placed[0], dict) and not named:
        return ToolCall(name, placed[0])
    return ToolCall(name, as_json([*placed, named] if named else placed) if placed else named)


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    raise _NoCall


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, str | int | float)):
        return node.value
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return [_value(item) for item in node.elts]
    if isinstance(node, ast.Dict):
        return {_key(key): _value(value) for key, value in zip(node.keys, node.values, strict=True)}
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        number = node.operand.value
        if isinstance(number, int | float) and not isinstance(number, bool):
            return -number
    if isinstance(node, ast.Name) and node.id in _PYTHON_NAMES:
        return _PYTHON_NAMES[node.id]
    raise _NoCall


def _key(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    raise _NoCall
