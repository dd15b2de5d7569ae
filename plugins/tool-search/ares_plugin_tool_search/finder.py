"""When tools are too many to be shown, and the three tools that find, describe and call them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from ares_core import Effects, Failure, Host, Result, Tool, ToolContext, ToolError, ToolIndex
from ares_plugin_tool_search.definitions import CALL, DESCRIBE, SEARCH
from ares_plugin_tool_search.words import brief, whole

BYTES_OF_A_TOKEN = 4
"""In JSON that is English for the most part; a Chinese character has three bytes and three quarters of a token."""
AROUND = 40
"""Bytes that a format puts around a definition."""
MOST_INDEXES = 16
MOST_SUGGESTED = 3
READS = Effects(read_only=True, destructive=False, idempotent=True, open_world=False)
Tools = Mapping[str, Tool]


class Finder:
    """Implements ``ares_core.ToolFinder`` with an index of the words of all tools in scope."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._settings = host.config
        self._kept: tuple[Tools, list[str]] = {}, []
        self._indexes: list[tuple[Tools, ToolIndex]] = []
        self._weigh = lru_cache(maxsize=4096)(weight)
        self.tools = (
            Tool("tool_search", *SEARCH, self._search, effects=READS, cost=1, latency_ms=1),
            Tool("tool_describe", *DESCRIBE, self._describe, effects=READS, cost=1, latency_ms=1),
            Tool("tool_call", *CALL, _misled, effects=READS, cost=1, latency_ms=1),
        )

    def shown(self, tools: Tools, context: int | None) -> Collection[str] | None:
        """Name those that are always shown, if the definitions of all take too much of what the model can read."""
        if self._settings.enabled == "off" or not self._are_many(tools, context):
            return None
        if self._kept[0] is not tools:
            always = self._settings.always
            self._kept = tools, [name for name in tools if any(fnmatchcase(name, pattern) for pattern in always)]
        return self._kept[1]

    def _are_many(self, tools: Tools, context: int | None) -> bool:
        if self._settings.enabled == "on":
            return bool(tools)
        left = self._settings.share * (context or self._settings.context_tokens) * BYTES_OF_A_TOKEN
        for tool in tools.values():
            left -= self._weigh(tool)
            if left < 0:
                return True
        return False

    def meant(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, Any] | None:
        """Take the call out of ``tool_call``; arguments that stand beside the name, not in an object, are meant too."""
        inner = arguments.get("name")
        if name != "tool_call" or not isinstance(inner, str) or not inner.strip():
            return None
        rest = {key: value for key, value in arguments.items() if key != "name"}
        if rest.keys() != {"arguments"}:
            return None if "arguments" in rest else (inner, rest)
        given = rest["arguments"]
        return (inner, given) if given is None or isinstance(given, Mapping | str) else None

    async def _search(self, arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
        tools = context.tools
        index = await self._index(tools)
        found = index.find(arguments["query"], arguments.get("limit", self._settings.matches))
        return {"query": arguments["query"], "tools": [brief(tool) for tool in found], "total": len(tools)}

    async def _describe(self, arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any] | Result:
        name = arguments["name"]
        if name in context.tools:
            return whole(context.tools[name])
        index = await self._index(context.tools)
        near = tuple(tool.name for tool in index.find(name, MOST_SUGGESTED))
        hint = f"Did you mean {', '.join(near)}?" if near else "Look for one with tool_search."
        return Result(False, error=Failure("unknown_tool", f"There is no tool {name[:80]!r}. {hint}", suggestions=near))

    async def _index(self, tools: Tools) -> ToolIndex:
        """Give the index of these tools; the same tools in a part made anew have the same."""
        for known, index in self._indexes:
            if known is tools or len(known) == len(tools) and list(known.items()) == list(tools.items()):
                return index
        index = await asyncio.to_thread(self._made, tools)
        self._indexes = [*self._indexes[1 - MOST_INDEXES :], (tools, index)]
        return index

    def _made(self, tools: Tools) -> ToolIndex:
        registry = self._host.registry
        return ToolIndex(tools.values(), registry.declared(), registry.evidence)


async def _misled(arguments: Mapping[str, Any], context: ToolContext) -> None:
    """Answer what is left: no name, or ``tool_call`` inside ``tool_call``, again and again."""
    raise ToolError("tool_call takes the name of another tool, and its arguments in an object", blame="input")


def weight(tool: Tool) -> int:
    """Say how many bytes a definition has."""
    shown = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return AROUND + len(json.dumps(shown, ensure_ascii=False, default=str).encode("utf-8", "replace"))
