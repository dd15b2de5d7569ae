"""One call of a server's tool, from the loop of the connections: sent once, and what each end of it means."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from mcp import MCPError
from mcp_types import CONNECTION_CLOSED
from pydantic import ValidationError

from ares_core import Effects, Failure, Result, ToolError
from ares_plugin_mcp.client.connection import LOG_LEVEL, UNDERWAY, Connection, Underway, said
from ares_plugin_mcp.client.http import REFUSED, UNREACHABLE
from ares_plugin_mcp.client.peer import Peer, Unavailable
from ares_plugin_mcp.client.results import result_of
from ares_plugin_mcp.client.tasks import run_task

if TYPE_CHECKING:
    from mcp.client import Client

LOST = "Session terminated"
Send = Callable[["Client", Underway], Awaitable[Any]]


async def call_tool(
    peer: Peer, tool: str, arguments: Mapping[str, Any], underway: Underway, effects: Effects, patience: float
) -> Any:
    """Call a tool and give its data or ``Result``."""

    async def send(client: Client, underway: Underway) -> Any:
        if as_task:
            return result_of(tool, await run_task(client, tool, arguments, underway))
        if underway.emit is None:  # what nobody listens to costs nothing
            return result_of(tool, await client.call_tool(tool, dict(arguments)))
        meta: Any = {LOG_LEVEL: "info"} if connection.is_modern else None
        answer = await client.call_tool(tool, dict(arguments), progress_callback=underway.progress, meta=meta)
        return result_of(tool, answer)

    connection = await connected(peer, patience)
    definition = next((known for known in peer.definitions() if known["name"] == tool), None)
    if definition is None:
        return Result(False, error=peer.why_not(tool))
    as_task = definition.get("execution", {}).get("taskSupport") == "required"
    return await exchange(peer, connection, send, underway, effects, patience)


async def exchange(
    peer: Peer, connection: Connection, send: Send, underway: Underway, effects: Effects, patience: float
) -> Any:
    """Send one request; again only if the server surely never took it."""
    try:
        answer = await _sent(connection, send, underway)
    except MCPError as error:
        if not await _is_unsent(connection, error):
            return await _failed(peer, connection, error, effects)
        connection.retire()
        connection = await connected(peer, patience)
        try:
            answer = await _sent(connection, send, underway)
        except MCPError as again:
            return await _failed(peer, connection, again, effects)
    except (ValidationError, RuntimeError) as error:
        raise ToolError(f"MCP server {peer.name!r} ran it, but its answer can't be used: {said(error)[:400]}") from None
    peer.breaker.worked()
    peer.called_at = time.monotonic()
    return answer


async def connected(peer: Peer, patience: float) -> Connection:
    """Give the connection, or say why there is none."""
    try:
        return await peer.ready(max(patience, 0.01))
    except Unavailable as error:
        raise ToolError(f"MCP server {peer.name!r} can't be used: {error}. Nothing was sent", blame="world") from None


async def _sent(connection: Connection, send: Send, underway: Underway) -> Any:
    mark = UNDERWAY.set(underway)
    connection.calls.append(underway)
    try:
        return await send(connection.client, underway)
    finally:
        connection.calls.remove(underway)
        if connection.is_retired:
            connection.retire()
        UNDERWAY.reset(mark)


async def _is_unsent(connection: Connection, error: MCPError) -> bool:
    """Whether the session was over before the request: the server did not know it any more."""
    return error.message == LOST or error.code == UNREACHABLE or _status(error) == 404


async def _failed(peer: Peer, connection: Connection, error: MCPError, effects: Effects) -> Any:
    """Say what an error means: the server's own words, or a connection that broke with the outcome unknown."""
    if error.code == REFUSED and _status(error) in (401, 403):
        raise ToolError(f"MCP server {peer.name!r}: authentication is required", blame="world")
    if error.code == UNREACHABLE:
        peer.breaker.failed(error.message)
        raise ToolError(f"MCP server {peer.name!r} can't be reached: {error.message}", retriable=True, blame="world")
    if error.code != CONNECTION_CLOSED:
        peer.breaker.worked()
        data = f" {error.error.data}" if error.error.data is not None else ""
        return Result(False, error=Failure(
            "tool_error",
            f"MCP server {peer.name!r} answered with error {error.code}: {error.message[:1000]}{data:.500}",
        ))  # fmt: skip
    why = await _why(connection)
    if not connection.loss_is_told:  # however many calls waited, it broke once
        connection.loss_is_told = True
        peer.breaker.failed(why)
    message = f"The connection to MCP server {peer.name!r} was lost during the call: {why}"
    if effects.read_only or effects.idempotent:
        raise ToolError(message, retriable=True, blame="world")
    message = f"{message}. Whether the call took effect is unknown; look before you call it again."
    return Result(False, error=Failure("outcome_unknown", message, blame="world"))


async def _why(connection: Connection) -> str:
    if connection.reason:
        return connection.reason
    if connection.link.ended.is_set():
        return await connection.link.why()
    await asyncio.sleep(0)
    return connection.reason or "the connection was closed"


def _status(error: MCPError) -> int | None:
    data = error.error.data
    return data.get("status") if isinstance(data, dict) and error.code == REFUSED else None
