"""The tools of the registry as MCP describes tools, in pages."""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Mapping
from typing import Any

from mcp import MCPError
from mcp_types import INVALID_PARAMS, ListToolsResult, ToolAnnotations
from mcp_types import Tool as Described

from ares_core import Ares, Effects, Scoped, Tool

PAGE = 100
ASK = "ask"
WRAPPED = "result"
"""The property that holds a result which is no object: MCP's structured content has to be one."""
ASKING = Described(
    name=ASK,
    title="Ask in words",
    description="Do what a request in plain words asks for, with the tools of this server: they are found, chained and "
    "called by fixed rules, no model is asked. Use it when you don't know which tool is right, or for several steps in "
    "one go. It runs nothing when the request isn't clear, and says what is missing.",
    input_schema={
        "type": "object",
        "properties": {
            "request": {
                "type": "string",
                "minLength": 1,
                "maxLength": 10_000,
                "description": "What is wanted, with every value that is needed, in English or Chinese.",
                "examples": ["sum from 1 to 1,000,000"],
            }
        },
        "required": ["request"],
    },
    annotations=ToolAnnotations(
        read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=True
    ),
)
"""The planner, as a tool."""


def has_ask(door: Ares | Scoped) -> bool:
    """Whether the name of the planner's tool is free; a tool of the registry comes first."""
    return ASK not in door.view.entries


async def bring(door: Ares | Scoped) -> None:
    """Wait for tools that come late, such as those of other servers; what can't be had is left out."""
    if door.may_come_late(None):
        for source in tuple(door.ares.sources):
            if (future := source.bring()) is not None:
                await asyncio.wrap_future(future)


def page_of(door: Ares | Scoped, cursor: str | None, asks: bool) -> ListToolsResult:
    """Give one page, in the order of the names; a cursor stands for the name that the last page ended with."""
    after = "" if cursor is None else _name_in(cursor)
    tools = door.tools()
    names = sorted([*tools, *([ASK] if asks and has_ask(door) else [])])
    rest = [name for name in names if name > after]
    shown = [described(tools[name]) if name in tools else ASKING for name in rest[:PAGE]]
    return ListToolsResult(tools=shown, next_cursor=_cursor(rest[PAGE - 1]) if len(rest) > PAGE else None)


def _cursor(name: str) -> str:
    return base64.urlsafe_b64encode(name.encode("utf-8", "surrogatepass")).decode()


def _name_in(cursor: str) -> str:
    try:
        return base64.b64decode(cursor, b"-_", validate=True).decode("utf-8", "surrogatepass")
    except (binascii.Error, ValueError):
        raise MCPError(
            INVALID_PARAMS, "This cursor is not one of this server's; list the tools from the start."
        ) from None


def described(tool: Tool) -> Described:
    """Describe a tool to a client."""
    return Described(
        name=tool.name,
        description=tool.description,
        input_schema={"type": "object", **tool.parameters},
        output_schema=wrapped_schema(tool.output_schema),
        annotations=hints(tool),
    )


def hints(tool: Tool) -> ToolAnnotations:
    """Say what a call does to the world; where that depends on the arguments, the cautious answer."""
    effects = tool.effects if isinstance(tool.effects, Effects) else Effects()
    return ToolAnnotations(
        read_only_hint=effects.read_only,
        destructive_hint=effects.mutating and effects.destructive,
        idempotent_hint=effects.read_only or effects.idempotent,
        open_world_hint=effects.open_world,
    )


def wrapped_schema(schema: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Give a schema of an object, in which what is none stands as a property.

    >>> wrapped_schema({"type": "integer"})["properties"]
    {'result': {'type': 'integer'}}
    """
    if schema is None or is_object(schema):
        return None if schema is None else dict(schema)
    inner = {key: part for key, part in schema.items() if key not in ("$defs", "definitions", "$schema")}
    around = {key: part for key, part in schema.items() if key in ("$defs", "definitions", "$schema")}
    return {**around, "type": "object", "properties": {WRAPPED: inner}, "required": [WRAPPED]}


def is_object(schema: Mapping[str, Any]) -> bool:
    """Whether only an object can fit a schema."""
    return schema.get("type") == "object"
