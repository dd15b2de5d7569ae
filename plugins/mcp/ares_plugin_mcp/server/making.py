"""The server itself: which methods it serves, and what it says of itself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server import NotificationOptions, ServerRequestContext
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.server.models import InitializationOptions
from mcp.server.subscriptions import ListenHandler
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    InputRequiredResult,
    ListToolsResult,
    NotificationParams,
    PaginatedRequestParams,
)

from ares_core import Ares, Scoped, __version__
from ares_plugin_mcp.server.calling import Calls, keep_loose_arguments
from ares_plugin_mcp.server.changes import Changes
from ares_plugin_mcp.server.listing import bring, page_of

MOST_SUBSCRIPTIONS = 1_000
INSTRUCTIONS = (
    "Arguments are repaired where that loses nothing and checked against each tool's schema. A call that is refused "
    "was not executed; it says what was wrong, where, and what was expected: correct it and call again."
)
ASKS = " When no tool seems right, or for several steps at once, call 'ask' with the request in plain words."
Context = ServerRequestContext[Any, Any]


class Listed(Server[dict[str, Any]]):
    """A server whose list of tools may change."""

    def create_initialization_options(
        self, notification_options: NotificationOptions | None = None, *more: Any, **others: Any
    ) -> InitializationOptions:
        """Say that changes of the list are told."""
        options = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(options, *more, **others)


def make_server(door: Ares | Scoped, *, asks: bool = True) -> Server[dict[str, Any]]:
    """Make a server of the MCP SDK that shows an Ares, or what its ``bind`` gave.

    ``asks=False`` leaves out the tool ``ask``, which is the planner. Approvals reach clients only if the Ares was made
    with ``client_approver()``.
    """
    changes, calls = Changes(door), Calls(door, asks)

    async def list_tools(context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        changes.heard_of(context)
        await bring(door)
        return page_of(door, params.cursor if params is not None else None, asks)

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
        changes.heard_of(context)
        return await calls.serve(context, params)

    @asynccontextmanager
    async def life(server: Server[dict[str, Any]]) -> AsyncIterator[dict[str, Any]]:
        changes.start()
        try:
            yield {}
        finally:
            changes.stop()
            calls.close()

    server = Listed(
        "ares",
        version=__version__,
        title="Ares",
        instructions=INSTRUCTIONS + (ASKS if asks else ""),
        lifespan=life,
        cache_hints={"tools/list": CacheHint(scope="private"), "server/discover": CacheHint(scope="private")},
        get_tool_input_schema=lambda name: tool.parameters if (tool := door.tools().get(name)) else None,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_subscriptions_listen=ListenHandler(changes.bus, max_subscriptions=MOST_SUBSCRIPTIONS),
    )
    server.middleware.append(keep_loose_arguments)
    server.add_notification_handler("notifications/initialized", NotificationParams, changes.met)
    return server
