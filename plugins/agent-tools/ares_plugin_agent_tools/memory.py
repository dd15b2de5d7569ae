"""The tool ``memory``: what outlasts a conversation, kept for one user and found by its words."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from ares_core import Effects, Result, Tool, ToolContext, ToolError, counted
from ares_plugin_agent_tools.cleaning import cleaned
from ares_plugin_agent_tools.database import Database
from ares_plugin_agent_tools.schema import needing
from ares_plugin_agent_tools.settings import Settings

LONGEST = 4_000
DEFAULT_LIMIT = 10
PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "operation": {
            "type": "string",
            "enum": ["add", "search", "list", "update", "delete"],
            "description": "What to do.",
        },
        "text": {
            "type": "string",
            "minLength": 1,
            "maxLength": LONGEST,
            "description": "For add and update: what to remember, one fact, understandable by itself.",
        },
        "id": {"type": "integer", "minimum": 1, "maximum": 2**53, "description": "For update and delete: which one."},
        "query": {
            "type": "string",
            "minLength": 1,
            "maxLength": 500,
            "description": "For search: words that the memory has; no operators.",
        },
        "namespace": {
            "type": "string",
            "pattern": "^[a-z0-9][a-z0-9_.-]{0,63}$",
            "default": "default",
            "description": "Which part of the memory, such as a project's name in small letters.",
        },
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": 50,
            "default": DEFAULT_LIMIT,
            "description": "For search and list: how many at most.",
        },
        "offset": {
            "type": "integer",
            "minimum": 0,
            "maximum": 100_000,
            "default": 0,
            "description": "For search and list: how many to leave out, to read on.",
        },
    },
    "required": ["operation"],
    **needing({"add": ["text"], "search": ["query"], "update": ["id", "text"], "delete": ["id"]}),
    "additionalProperties": False,
}
EXAMPLES = (
    {"operation": "add", "text": "Prefers answers in metric units."},
    {"operation": "search", "query": "units"},
    {"operation": "list"},
)
# What is remembered may once have come from a page or a file: it is given back as data, not as the user's words.
READS = Effects(read_only=True, destructive=False, idempotent=True, open_world=True)
ADDS = Effects(destructive=False, idempotent=True, open_world=False)
CHANGES = Effects(destructive=True, idempotent=True, open_world=False)


def effects(arguments: Mapping[str, Any]) -> Effects:
    """Say what a call does: look, add, or change what is there."""
    operation = arguments.get("operation")
    return READS if operation in ("search", "list") else ADDS if operation == "add" else CHANGES


def memory_tool(database: Database, settings: Settings) -> Tool:
    """Make the tool."""

    def execute(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
        """Run one operation."""
        from ares_plugin_agent_tools.memories import Space

        space = Space(database, context.user, arguments["namespace"], settings.memories)
        return _OPERATIONS[arguments["operation"]](space, arguments)

    return Tool(
        "memory",
        "Remember facts beyond this conversation, and find them again. Kept for this user only. Search before you ask "
        "the user for something they may have said before. Don't keep passwords or keys.",
        PARAMETERS,
        execute,
        capabilities=("Remembering",),
        toolset="agent",
        effects=effects,
        examples=EXAMPLES,
        cost=1,
        latency_ms=10,
        deterministic=False,
        composable=False,
    )


def _add(space: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    id, is_new = space.add(_text(arguments))
    return {"operation": "add", "id": id, "new": is_new}


def _update(space: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    space.update(arguments["id"], _text(arguments))
    return {"operation": "update", "id": arguments["id"]}


def _delete(space: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    space.delete(arguments["id"])
    return {"operation": "delete", "id": arguments["id"]}


def _search(space: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    found = space.search(arguments["query"], arguments["limit"], arguments["offset"])
    return {"operation": "search", "memories": [_shown(one) for one in found]}


def _list(space: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    found = space.list(arguments["limit"], arguments["offset"])
    return {"operation": "list", "memories": [_shown(one) for one in found], "total": space.count()}


_OPERATIONS = {"add": _add, "update": _update, "delete": _delete, "search": _search, "list": _list}


def _text(arguments: Mapping[str, Any]) -> str:
    text = cleaned(arguments["text"]).strip()
    if not text:
        raise ToolError("there is nothing to read in this text, so nothing was remembered", blame="input")
    return text


def _shown(one: Any) -> dict[str, Any]:
    changed = dt.datetime.fromtimestamp(one.changed, dt.UTC).isoformat(timespec="seconds")
    return {"id": one.id, "text": one.text, "changed": changed}


def said(result: Result) -> str:
    """Write the result for a model: each memory on lines of its own, with its id."""
    data = result.data
    if "memories" not in data:
        words = {"add": "remembered", "update": "changed", "delete": "forgotten"}[data["operation"]]
        return f"memory {data['id']} {words if data.get('new', True) else 'says that already'}"
    rows = [f"[{one['id']}] ({one['changed'][:10]}) {one['text']}" for one in data["memories"]]
    more = f"\n{counted(data['total'], 'memory', 'memories')} in all" if data.get("total", 0) > len(rows) else ""
    return ("\n".join(rows) or "nothing is remembered that fits") + more
