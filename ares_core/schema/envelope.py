"""Arguments that came in an envelope: taken out only if the envelope doesn't fit and its content does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ares_core.decode import decode
from ares_core.errors import DecodeError

ENVELOPES = (
    "arguments", "parameters", "properties", "input", "data", "kwargs", "args", "params", "tool_input", "inputs",
    "payload", "body", "json", "tool_args", "function_args", "tool_arguments", "action_input", "request",
    "function", "function_call", "tool_call",
)  # fmt: skip
KNOWN = frozenset(ENVELOPES)
STAMPS = frozenset(
    {"type", "name", "id", "tool", "tool_name", "function", "required", "call_id", "title", "description", "action"}
)
"""What may stand beside the content on an envelope."""


def may_be_envelope(arguments: Any) -> bool:
    """Whether there can be something inside; says no at little cost to the usual arguments.

    >>> may_be_envelope({"data": {"k": 1}}), may_be_envelope({"k": 1})
    (True, False)
    """
    return not KNOWN.isdisjoint(arguments) if type(arguments) is dict else type(arguments) is list


def contents(arguments: Any, declared: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Give what may be inside: the name of the envelope and an object.

    >>> list(contents({"properties": {"city": "Oslo"}, "type": "object"}, {"city": {}}))
    [('properties', {'city': 'Oslo'})]
    >>> list(contents({"data": {"k": 1}}, {"data": {}}))
    []
    """
    if type(arguments) is list and len(arguments) == 1 and type(arguments[0]) is dict:
        yield "list", arguments[0]
    if type(arguments) is not dict or KNOWN.isdisjoint(arguments) or len(arguments) > len(STAMPS):
        return
    for name in ENVELOPES:
        if name in arguments and name not in declared:
            beside = arguments.keys() - {name}
            is_envelope = beside <= STAMPS and not beside & declared.keys()
            if is_envelope and type(content := _opened(arguments[name])) is dict:
                yield name, content


def _opened(content: Any) -> Any:
    if type(content) is not str:
        return content
    try:
        return decode(content)[0]
    except DecodeError:
        return None
