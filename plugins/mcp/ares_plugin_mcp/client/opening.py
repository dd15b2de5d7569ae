"""Opening a connection: the link, the handshake of the server's era, and the first listing of its tools."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError

from ares_core import Approval, ToolCall
from ares_plugin_mcp.client.configured import Server
from ares_plugin_mcp.client.connection import Connection, in_words, said
from ares_plugin_mcp.client.http import REFUSED, UNREACHABLE
from ares_plugin_mcp.client.links import link_to
from ares_plugin_mcp.client.pins import Definition
from ares_plugin_mcp.client.stdio import WROTE
from ares_plugin_mcp.client.tidy import OUTPUT

if TYPE_CHECKING:
    from ares_plugin_mcp.client.peer import Peer

FORBIDDEN = (401, 403)


class Opening:
    """One attempt to connect."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._notes: dict[str, None] = {}

    async def run(self, server: Server) -> Connection:
        """Connect and list. A server that ends at the question for its era is asked as an old one."""
        from msgspec.structs import replace

        try:
            return await self._attempt(server)
        except Ended as error:
            if server.era != "auto" or server.transport != "stdio" or not error.may_be_old:
                raise
            return await self._attempt(replace(server, era="legacy"))

    async def _attempt(self, server: Server) -> Connection:
        peer = self._peer
        link = link_to(server, lambda: peer.host.network, self._open_address, self._note)
        connection = Connection(server, link, peer.host, peer.changed_there)
        try:
            await connection.open()
            listed, notes = await list_tools(connection, peer)
        except BaseException as error:
            closed = isinstance(error, MCPError) and connection.is_severed_by(error)
            why = connection.masked(await link.why()) if closed else ""
            await connection.close()
            if closed:
                raise Ended(_before_ready(why), may_be_old=server.era == "auto" and not link.was_deaf) from None
            raise
        peer.take(listed, {**self._notes, **notes})
        peer.instructions = connection.client.instructions or ""
        return connection

    def _note(self, text: str) -> None:
        if self._peer.connection is None:
            self._notes[text] = None
        else:
            self._peer.note(text)

    async def _open_address(self, url: str) -> bool:
        import inspect

        approver = self._peer.host.approver
        if approver is None:
            return False
        call = ToolCall(f"mcp.{self._peer.name}", {"url": url})
        answer = approver(Approval(call, f"server {self._peer.name!r} wants you to sign in; open {url}", url))
        return (await answer if inspect.isawaitable(answer) else answer) is True


class Ended(Exception):
    """The server went away while it was being connected."""

    def __init__(self, message: str, *, may_be_old: bool) -> None:
        super().__init__(message)
        self.may_be_old = may_be_old


async def list_tools(connection: Connection, peer: Peer) -> tuple[list[Definition], dict[str, None]]:
    """Give the definitions of all pages; of two with one name the first."""
    able = connection.client.server_capabilities
    if able.tools is None and able.model_dump(exclude_none=True):
        return [], {}  # one that can do nothing at all has only forgotten to say so
    found: dict[str, Definition] = {}
    notes: dict[str, None] = {}
    for page in await connection.pages(lambda cursor: connection.client.list_tools(cursor=cursor), notes):
        for tool in page.tools:
            if tool.name in found:
                notes[f"tool {tool.name!r:.80} is listed twice; the first is used"] = None
            found.setdefault(tool.name, _plain(tool))
    return list(found.values()), notes


def _plain(tool: Any) -> Definition:
    dumped: Definition = tool.model_dump(mode="json", by_alias=True, exclude_none=True)
    kept = ("name", "title", "description", "inputSchema", "annotations", "execution")
    output = (tool.meta or {}).get(OUTPUT)
    made = {part: dumped[part] for part in kept if part in dumped}
    return made if output is None else made | {"outputSchema": output}


def _before_ready(why: str) -> str:
    why, words = apart(why)
    return f"{why} before it was ready{WROTE}{words}" if words else f"{why} before it was ready"


def apart(trouble: str) -> tuple[str, str]:
    """Tell the words of a server from ours, in what is said of its trouble.

    >>> apart("its process ended with code 1; it wrote to stderr: boom")
    ('its process ended with code 1', 'boom')
    """
    found = re.fullmatch(rf"(.*?)(?:{WROTE}|(?<=it answered with error)( -?\d+): )(.*)", trouble, re.DOTALL)
    return (f"{found[1]}{found[2] or ''}", found[3]) if found else (trouble, "")


def access_trouble(server: Server, status: int) -> str:
    """Say that a server lets nobody in, or not with what it was sent."""
    sent = [name for name in ("bearer", "oauth") if getattr(server, name)]
    sent += [f"headers.{name}" for name in server.headers if name.lower() in ("authorization", "x-api-key", "cookie")]
    if not sent:
        return f"authentication is required (HTTP status {status}); set 'bearer', 'headers' or 'oauth' for it"
    where = " and ".join(f"mcp.servers.{server.name}.{part}" for part in sent)
    return f"it does not accept what it was sent to sign in (HTTP status {status}); check {where}"


def start_trouble(server: Server, error: BaseException) -> str:
    """Say why a server could not be connected: what was tried, and what went wrong."""
    if isinstance(error, FileNotFoundError) and server.transport == "stdio":
        missing = f"the folder {server.cwd}" if server.cwd and error.filename == server.cwd else repr(server.command)
        hint = "; what follows the program's name belongs into 'args'" if " " in server.command.strip() else ""
        return f"{missing} is not there{hint}; check mcp.servers.{server.name}"
    if isinstance(error, PermissionError):
        return f"{server.command!r} may not be run (permission denied)"
    if isinstance(error, MCPError):
        status = error.error.data.get("status") if isinstance(error.error.data, dict) else None
        if error.code == REFUSED and status in FORBIDDEN:
            return access_trouble(server, status)
        if error.code in (REFUSED, UNREACHABLE):
            return error.message[:300]
        data = f" {error.error.data}" if error.error.data is not None else ""
        return f"it answered with error {error.code}: {error.message[:300]}{data:.200}"
    if isinstance(error, ValidationError):
        return f"what it answered is not valid: {in_words(error)}"
    if isinstance(error, RuntimeError) and "protocol version" in str(error):
        return f"{error}; this client speaks {', '.join(HANDSHAKE_PROTOCOL_VERSIONS)}"
    return said(error)
