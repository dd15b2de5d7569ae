"""What is said of a tool: briefly in a list, or everything."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ares_core import Effects, Tool, counted

LONGEST_BRIEF = 400
MOST_PARAMETERS, MOST_VALUES, LONGEST_KIND = 12, 8, 80


def brief(tool: Tool) -> dict[str, Any]:
    """Give a tool's name, how it is called, and what it does."""
    said = " ".join(tool.description[: 2 * LONGEST_BRIEF].split())
    shown = said if len(said) <= LONGEST_BRIEF else f"{said[: LONGEST_BRIEF - 1]}…"
    return {"name": tool.name, "parameters": signature(tool.parameters), "description": shown}


def whole(tool: Tool) -> dict[str, Any]:
    """Give all that a caller may want to know of a tool."""
    found: dict[str, Any] = {
        "name": tool.name, "description": tool.description, "parameters": dict(tool.parameters),
    }  # fmt: skip
    if isinstance(tool.effects, Effects):
        found["read_only"] = tool.effects.read_only
    if tool.examples:
        found["examples"] = [dict(example) for example in tool.examples]
    return found


def signature(schema: Mapping[str, Any]) -> str:
    """Write parameters briefly; those with a question mark may be left out.

    >>> signature({"properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]})
    'city: string, days?: integer'
    """
    properties = schema.get("properties")
    named = list(properties.items()) if isinstance(properties, Mapping) else []
    required = schema.get("required", ())
    shown = [f"{name}{'' if name in required else '?'}: {_kind(one)}" for name, one in named[:MOST_PARAMETERS]]
    return ", ".join([*shown, "…"] if len(named) > MOST_PARAMETERS else shown)


def _kind(schema: Any) -> str:
    if not isinstance(schema, Mapping):
        return "any"
    values = schema.get("enum")
    if isinstance(values, list):
        more = ["…"] if len(values) > MOST_VALUES else []
        return " | ".join([json.dumps(value, ensure_ascii=False) for value in values[:MOST_VALUES]] + more)[
            :LONGEST_KIND
        ]
    kind = schema.get("type", "any")
    if kind == "array":
        return f"[{_kind(schema.get('items'))}]"[:LONGEST_KIND]
    return " | ".join(map(str, kind))[:LONGEST_KIND] if isinstance(kind, list) else str(kind)


def listed(data: Mapping[str, Any]) -> str:
    """Write what a search found."""
    tools, total = data["tools"], data["total"]
    if not tools:
        return f"No tool of {total:,} speaks of that. Say it in other words, such as what the tool works with."
    lines = [f"{tool['name']}({tool['parameters']}): {tool['description']}" for tool in tools]
    return "\n".join(
        [f"{len(tools)} of {counted(total, 'tool')}, the likeliest first; call one with tool_call:", *lines]
    )


def described(data: Mapping[str, Any]) -> str:
    """Write everything about a tool."""
    more = {key: value for key, value in data.items() if key not in ("name", "description")}
    return f"{data['name']}: {data['description']}\n{json.dumps(more, ensure_ascii=False, default=str)}"
