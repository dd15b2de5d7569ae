"""MCP for Ares: the tools of configured servers lie next to all others, and all of them can be shown to MCP clients.

``client`` holds the connections to servers, ``server`` shows tools to clients, ``commands`` is ``ares mcp``. Nothing of
the SDK is imported, and no server started, before a tool of one is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ares_core import hookimpl
from ares_plugin_mcp.settings import Settings

if TYPE_CHECKING:
    from ares_core import Host, Tool


@hookimpl
def configuration() -> type[Settings]:
    """Say what the section ``mcp`` may hold."""
    return Settings


@hookimpl
def register_tools(host: Host) -> list[Tool]:
    """Bring the tools that are known of, which costs no connection."""
    if not (host.config.servers or host.config.file):
        return []
    from ares_plugin_mcp.client import servers_of

    return servers_of(host).tools()
