"""Tools of Ares made of what servers list: one for each, and where wanted those for resources and prompts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from ares_core import Effects, Tool, ToolContext
from ares_plugin_mcp.client.names import registry_name
from ares_plugin_mcp.client.peer import Peer
from ares_plugin_mcp.client.pins import Definition

Run = Callable[[Peer, str, str, Mapping[str, Any], ToolContext], Any]
"""Runs a request of a kind (``tool``, ``resources``, …) for a peer, and gives what came of it."""
READS = Effects(read_only=True, destructive=False, idempotent=True, open_world=True)
NO_ARGUMENTS = {"type": "object", "properties": {}, "additionalProperties": False}


def _schema(required: str, properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [required], "additionalProperties": False}


EXTRAS: dict[str, dict[str, tuple[str, dict[str, Any]]]] = {
    "resources": {
        "list_resources": ("List what can be read from the server {server}, with addresses.", NO_ARGUMENTS),
        "read_resource": (
            "Read a resource of the server {server}.",
            _schema("uri", {"uri": {"type": "string", "description": "Its address, as list_resources gives it."}}),
        ),
    },
    "prompts": {
        "list_prompts": ("List the prompts that the server {server} has ready.", NO_ARGUMENTS),
        "get_prompt": (
            "Give the text of a prompt of the server {server}.",
            _schema("name", {
                "name": {"type": "string", "description": "Which one, as list_prompts gives it."},
                "arguments": {
                    "type": "object", "additionalProperties": {"type": "string"},
                    "description": "What is put into it.",
                },
            }),
        ),
    },
}  # fmt: skip


def offers(peer: Peer, run: Run) -> list[Tool]:
    """Give the tools of a server, as far as they are known."""
    found = {tool["name"]: _tool(peer, tool, run) for tool in peer.definitions()}
    for kind, extras in EXTRAS.items():
        if getattr(peer.server, kind):
            for name, (description, schema) in extras.items():
                found.setdefault(name, _extra(peer, name, description.format(server=peer.name), schema, run))
    return list(found.values())


def _tool(peer: Peer, definition: Definition, run: Run) -> Tool:
    name = definition["name"]

    async def execute(arguments: Mapping[str, Any], context: ToolContext) -> Any:
        return await run(peer, "tool", name, arguments, context)

    return Tool(
        registry_name(peer.name, name), _described(definition), definition["inputSchema"], execute,
        toolset=peer.name, timeout=peer.server.timeout, output_schema=definition.get("outputSchema"),
        effects=effects_of(definition.get("annotations") or {}) if peer.server.trusted else Effects(),
    )  # fmt: skip


def _described(definition: Definition) -> str:
    said = definition.get("description") or definition.get("title") or definition["name"].replace("_", " ")
    return str(said)


def _extra(peer: Peer, name: str, description: str, schema: dict[str, Any], run: Run) -> Tool:
    async def execute(arguments: Mapping[str, Any], context: ToolContext) -> Any:
        return await run(peer, name, name, arguments, context)

    return Tool(
        registry_name(peer.name, name), description, schema, execute, toolset=peer.name, timeout=peer.server.timeout,
        effects=READS if peer.server.trusted else Effects(),
    )  # fmt: skip


def effects_of(hints: Mapping[str, Any]) -> Effects:
    """Read what a trusted server says that its tool does; what contradicts itself is taken for the worse.

    >>> [effects_of({"readOnlyHint": True, "destructiveHint": destroys}).mutating for destroys in (False, True)]
    [False, True]
    """
    reads = hints.get("readOnlyHint") is True and hints.get("destructiveHint") is not True
    return Effects(
        read_only=reads,
        destructive=not reads and hints.get("destructiveHint") is not False,
        idempotent=reads or hints.get("idempotentHint") is True,
        open_world=hints.get("openWorldHint") is not False,
    )


def key_of(tool: Tool) -> str:
    """Give what tells a tool from its successor: when it is the same, the one in the table can stay."""
    effects = tool.effects
    return json.dumps([tool.name, tool.description, tool.parameters, tool.aliases, tool.output_schema, repr(effects)])
