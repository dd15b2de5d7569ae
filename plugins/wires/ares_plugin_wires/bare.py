"""Calls that are a whole message: one JSON object or several, a fence, a Python call."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from ares_core import ToolCall

from .calls import as_json, read_arguments, read_name, read_value
from .marks import between_fences, without_last_mark

Known = Callable[[str], bool]

_WRAPPED = ("function", "function_call", "tool_call")
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
    body = without_last_mark(body)
    body = body.removeprefix("functools") if body.startswith("functools[") else body
    calls: list[ToolCall] = []
    if dialect != "pythonic":
        calls = json_calls(body, strict=True) or ([] if _has_more(body) else broken_call(body))
    if not calls and dialect in ("any", "pythonic", "llama") and label in ("", "tool_code", "python", "py"):
        calls = python_calls(body)
    return calls if all(known is None or known(call.name) for call in calls) else []


def unfenced(text: str) -> str:
    """Take marks out of the fence that is the whole message.

    >>> unfenced("```xml\\n<tool_call>\\n```"), unfenced("see\\n```\\n<tool_call>\\n```")
    ('<tool_call>', 'see\\n```\\n<tool_call>\\n```')
    """
    body = text.strip()
    fence = _FENCE.match(body)
    inner = fence[2].rstrip().removesuffix("```").strip() if fence and body.endswith("```") else ""
    return inner if inner.startswith("<") and "```" not in inner else text


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
    """Read a JSON object as a call: a name, and arguments under one of the usual keys, or right beside the name.

    ``strict`` wants the usual keys, and nothing beside them.
    """
    if not isinstance(value, Mapping):
        return None
    if (wrapped := next((key for key in _WRAPPED if isinstance(value.get(key), Mapping)), None)) is not None:
        beside = next((key for key in _ARGUMENTS if isinstance(value.get(key), Mapping)), wrapped)
        if strict and not set(value) <= {*_BESIDES, wrapped, beside}:
            return None
        value = {**({} if beside == wrapped else {beside: value[beside]}), **value[wrapped]}
    name_key = next((key for key in _NAMES if isinstance(value.get(key), str)), None)
    if name_key is None or not value[name_key].strip():
        return None
    key = next((key for key in _ARGUMENTS if key in value and key != name_key), None)
    if strict and (key is None or not set(value) <= {*_BESIDES, name_key, key}):
        return None
    flat = {key: part for key, part in value.items() if key not in (*_BESIDES, name_key)}
    return ToolCall(read_name(value[name_key]), read_arguments(value[key] if key else flat))


def keyed_calls(text: str) -> list[ToolCall]:
    """Give the calls in a JSON list of objects with one key, which is the name of the tool.

    >>> [(call.name, call.arguments) for call in keyed_calls('[{"add": {"a": 1}}]')]
    [('add', {'a': 1})]
    """
    values = read_value(text) if text.startswith("[") else None
    if not isinstance(values, list) or not all(isinstance(value, dict) and len(value) == 1 for value in values):
        return []
    pairs = [pair for value in values for pair in value.items()]
    calls = [ToolCall(read_name(name), arguments) for name, arguments in pairs if isinstance(arguments, dict)]
    return calls if len(calls) == len(values) else []


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


def _has_more(text: str) -> bool:
    """Whether words stand behind an object that is whole."""
    try:
        _, end = _JSON.raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return bool(text[end:].strip(" )]}>;\r\n"))


def python_calls(text: str) -> list[ToolCall]:
    """Give the calls in ``[f(a=1), g(b="x")]`` or ``f(a=1)``; nothing in it is run.

    >>> [(call.name, call.arguments) for call in python_calls("[area.of({'base': 10})]")]
    [('area.of', {'base': 10})]
    """
    if len(text) > _LONGEST_PYTHON or not text.endswith((")", "]", ");")):
        return []
    try:
        return [_python_call(node) for line in ast.parse(text.rstrip(";")).body for node in _nodes(line)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _nodes(line: ast.stmt) -> list[ast.expr]:
    if not isinstance(line, ast.Expr):
        raise _NoCall
    tree = _printed(line.value)
    return tree.elts if isinstance(tree, ast.List | ast.Tuple) else [tree]


def _printed(node: ast.expr) -> ast.expr:
    """Give what ``print(…)`` prints, if that is a call: models show what comes back so."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
        inner = node.args[0] if len(node.args) == 1 and not node.keywords else node
        return inner if isinstance(inner, ast.Call) else node
    return node


def _python_call(node: ast.expr) -> ToolCall:
    if not isinstance(node, ast.Call):
        raise _NoCall
    name = _dotted(node.func)
    named: dict[str, Any] = {}
    for keyword in node.keywords:
        value = _value(keyword.value)
        if keyword.arg is None and not isinstance(value, dict):
            raise _NoCall
        named |= value if keyword.arg is None else {keyword.arg: value}
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
