"""What a tool of Ares asks of a server: to run a tool, to read a resource, to give a prompt, or to list them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from ares_core import Effects
from ares_plugin_mcp.client.calling import call_tool, connected, exchange
from ares_plugin_mcp.client.connection import Connection, Underway
from ares_plugin_mcp.client.peer import Peer
from ares_plugin_mcp.client.results import text_of

if TYPE_CHECKING:
    from mcp.client import Client

Arguments = Mapping[str, Any]


async def request(
    peer: Peer, kind: str, name: str, arguments: Arguments, underway: Underway, effects: Effects, patience: float
) -> Any:
    """Send a request of a kind, and give what came of it."""
    if kind == "tool":
        return await call_tool(peer, name, arguments, underway, effects, patience)
    connection = await connected(peer, patience)
    peer.tell_withheld()
    ask = _KINDS[kind]

    async def send(client: Client, underway: Underway) -> Any:
        return await ask(connection, client, arguments)

    return await exchange(peer, connection, send, underway, effects, patience)


async def _list_resources(connection: Connection, client: Client, arguments: Arguments) -> Any:
    pages = await connection.pages(lambda cursor: client.list_resources(cursor=cursor))
    found = [_slim(resource) for page in pages for resource in page.resources]
    pages = await connection.pages(lambda cursor: client.list_resource_templates(cursor=cursor))
    return {"resources": found, "templates": [_slim(each) for page in pages for each in page.resource_templates]}


async def _read_resource(connection: Connection, client: Client, arguments: Arguments) -> Any:
    answer = await client.read_resource(arguments["uri"])
    blocks = [
        {"type": "resource", "resource": part.model_dump(mode="json", by_alias=True, exclude_none=True)}
        for part in answer.contents
    ]
    return text_of(blocks, None)


async def _list_prompts(connection: Connection, client: Client, arguments: Arguments) -> Any:
    pages = await connection.pages(lambda cursor: client.list_prompts(cursor=cursor))
    return {"prompts": [_slim(prompt) for page in pages for prompt in page.prompts]}


async def _get_prompt(connection: Connection, client: Client, arguments: Arguments) -> Any:
    answer = await client.get_prompt(arguments["name"], dict(arguments.get("arguments") or {}))
    messages = [message.model_dump(mode="json", by_alias=True, exclude_none=True) for message in answer.messages]
    return "\n\n".join(f"{message['role']}: {text_of([message['content']], None)}" for message in messages)


def _slim(value: Any) -> dict[str, Any]:
    dumped = value.model_dump(mode="json", by_alias=True, exclude_none=True)
    return {key: part for key, part in dumped.items() if key not in ("icons", "_meta", "annotations")}


_KINDS: dict[str, Callable[[Connection, Client, Arguments], Awaitable[Any]]] = {
    "list_resources": _list_resources,
    "read_resource": _read_resource,
    "list_prompts": _list_prompts,
    "get_prompt": _get_prompt,
}
