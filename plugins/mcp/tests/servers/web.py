"""An MCP server of the SDK over HTTP: ``web.py TRANSPORT PORT DIARY``."""

from __future__ import annotations

import json
import sys
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult

SERVER = MCPServer("web")
FORM = {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}


@SERVER.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    with open(sys.argv[3], "a", encoding="utf-8") as file:
        file.write("call add\n")
    return a + b


@SERVER.tool()
async def slow(context: Context) -> str:
    """Tell how far it has come."""
    await context.report_progress(1, 2, "half")
    return "done"


@SERVER.tool()
async def grow(context: Context) -> str:
    """Have one tool more from now on."""

    async def grown() -> str:
        """Exist."""
        return "new"

    SERVER.add_tool(grown, "grown")
    await context.notify_tools_changed()
    return "grown"


@SERVER.tool()
async def paint(context: Context) -> str | InputRequiredResult:
    """Ask for a colour."""
    answers: Any = context.input_responses
    if answers:
        return json.dumps(answers["colour"].model_dump(mode="json", exclude_none=True))
    ask = ElicitRequest(params=ElicitRequestFormParams(message="Which colour?", requested_schema=FORM))
    return InputRequiredResult(input_requests={"colour": ask}, request_state="here")


if __name__ == "__main__":
    if sys.argv[1] == "sse":
        SERVER.run("sse", port=int(sys.argv[2]))
    else:
        SERVER.run("streamable-http", port=int(sys.argv[2]))
