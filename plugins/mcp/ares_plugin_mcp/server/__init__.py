"""The server: the tools of one Ares, or a part of them, for any MCP client.

``make_server`` gives a server of the official SDK, to be run on any of its transports; ``client_approver`` gives an
approver that puts questions to the client whose call it is. ``ares mcp serve`` does both::

    ares = Ares(approver=client_approver())
    app = make_server(ares.bind(toolset="files")).streamable_http_app()
"""

from __future__ import annotations

from ares_plugin_mcp.server.asking import client_approver
from ares_plugin_mcp.server.making import make_server

__all__ = ["client_approver", "make_server"]
