"""The section ``mcp`` of the configuration."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct

DEPTH = "ARES_MCP_DEPTH"
"""The variable that says how many ``ares mcp serve`` have started each other."""
Seconds = Annotated[float, Meta(gt=0, le=86_400, description="seconds, a number above 0")]


class Settings(Struct, frozen=True):
    """The section ``mcp``.

    ``file`` is a JSON file with ``mcpServers``, as other programs have it. ``wait`` is how long definitions wait for
    servers that have not answered yet.
    """

    file: str = ""
    servers: dict[str, Any] = {}
    wait: Seconds = 30.0
