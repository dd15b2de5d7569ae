"""One call of a server's tool, from the loop of the connections: sent once, and what each end of it means."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from mcp import MCPError
from mcp_types import PARSE_ERROR
from pydantic import ValidationError

from ares_core import Effects, ToolError
from ares_plugin_mcp.client.connection import LOG_LEVEL, UNDERWAY, Connection, Underway, in_words, said
from ares_plugin_mcp.client.http import REFUSED, UNREACHABLE
from ares_plugin_mcp.client.opening import FORBIDDEN, access_trouble, apart
from ares_plugin_mcp.client.peer import Peer, Unavailable
from ares_plugin_mcp.client.results import misfit, result_of
from ares_plugin_mcp.client.tasks import run_task

if TYPE_CHECKING:
    from mcp.client import Client
    from mcp_types import CallToolResult

LOST = "Session terminated"
BUSY = (429, 503)
GATEWAY = (502, 504)
"""Statuses of a gateway that did not hear the end: the call may have arrived."""
Send = Callable[["Client", Underway], Awaitable[Any]]


async def call_tool(
    peer: Peer, tool: str, arguments: Mapping[str, Any], underway: Underway, effects: Effects, patience: float
) -> Any:
    """Call a tool and give its data or ``Result``."""

    async def send(client: Client, underway: Underway) -> Any:
        if as_task:
            return shown(await run_task(client, tool, arguments, underway))
        if underway.emit is None:  # what nobody listens to costs nothing
            return shown(await client.call_tool(tool, dict(arguments)))
        meta: Any = {LOG_LEVEL: "info"} if connection.is_modern else None
        return shown(await client.call_tool(tool, dict(arguments), progress_callback=underway.progress, meta=meta))

    def shown(answer: CallToolResult) -> Any:
        if schema is not None and (trouble := misfit(answer, schema)) is not None:
            peer.note(f"tool {tool!r:.80}: {trouble}")
        return result_of(tool, answer)

    connection = await connected(peer, patience)
    definition = next((known for known in peer.definitions() if known["name"] == tool), None)
    if definition is None:
        why = peer.why_not(tool)
        peer.tell_withheld(but=tool)
        raise why if isinstance(why, ToolError) else ToolError(why.message, blame="world").with_words(code=why.code)
    peer.tell_withheld()
    schema = definition.get("outputSchema")
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
            raise await _failed(peer, connection, error, effects) from None
        connection.retire()
        connection = await connected(peer, patience)
        try:
            answer = await _sent(connection, send, underway)
        except MCPError as again:
            raise await _failed(peer, connection, again, effects) from None
    except (ValueError, RuntimeError) as error:
        why = in_words(error) if isinstance(error, ValidationError) else said(error)[:400]
        raise ToolError(f"MCP server {peer.name!r} ran it, but its answer can't be used: {why}") from None
    peer.breaker.worked()
    peer.called_at = time.monotonic()
    return answer


async def connected(peer: Peer, patience: float) -> Connection:
    """Give the connection, or say why there is none."""
    try:
        return await peer.ready(max(patience, 0.01))
    except Unavailable as error:
        why, words = apart(str(error))
        message = f"MCP server {peer.name!r} can't be used: {why}. Nothing was sent"
        raise ToolError(f"{message}. It said:" if words else message, blame="world").with_words(words) from None


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


async def _failed(peer: Peer, connection: Connection, error: MCPError, effects: Effects) -> ToolError:
    """Say what an error means: the server's own words, or a connection that broke with the outcome unknown."""
    if error.code == REFUSED:
        return _refused(peer, error, effects)
    if error.code == UNREACHABLE:
        peer.breaker.failed(error.message)
        return ToolError(f"MCP server {peer.name!r} can't be reached: {error.message}", retriable=True, blame="world")
    if not connection.is_severed_by(error):
        peer.breaker.worked()
        data = f" {error.error.data}" if error.error.data is not None else ""
        message = error.message.partition("\n")[0] if error.code == PARSE_ERROR else error.message
        words = connection.masked(f"{message[:1000]}{data:.500}")
        message = f"MCP server {peer.name!r} answered with error {error.code}:"
        return ToolError(message, blame="input").with_words(words)
    why = connection.masked(await _why(connection))
    if not connection.loss_is_told:  # however many calls waited, it broke once
        connection.loss_is_told = True
        peer.breaker.failed(why)
    return _lost(f"The connection to MCP server {peer.name!r} was lost during the call: {why}", effects)


def _lost(message: str, effects: Effects) -> ToolError:
    """Say that nobody knows what became of a call; one that changes nothing may be made again."""
    why, words = apart(message)
    it_wrote = " It wrote to stderr:" if words else ""
    if effects.read_only or effects.idempotent:
        return ToolError(f"{why}.{it_wrote}", retriable=True, blame="world").with_words(words)
    why = f"{why}. Whether the call took effect is unknown; look before you call it again.{it_wrote}"
    return ToolError(why, blame="world").with_words(words, "outcome_unknown")


def _refused(peer: Peer, error: MCPError, effects: Effects) -> ToolError:
    """Say what a status of HTTP means."""
    status = _status(error)
    if status is not None and status in FORBIDDEN:
        return ToolError(f"MCP server {peer.name!r}: {access_trouble(peer.server, status)}", blame="world")
    message = f"MCP server {peer.name!r} answered with HTTP status {status}"
    if status in GATEWAY:
        return _lost(message, effects)
    wait = (error.error.data or {}).get("retry_after")
    message = f"{message}; it asks to wait {wait} s" if wait else message
    return ToolError(message, retriable=status in BUSY, blame="world")


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
