"""The tool ``read_result``: reading on in a result that was too long to be shown at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ares_core import Capability, Effects, Result, Tool, ToolContext, hookimpl

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "handle": {
            "type": "string",
            "minLength": 1,
            "maxLength": 64,
            "description": "The handle that the note in the cut text gives.",
        },
        "offset": {
            "type": "integer",
            "minimum": 0,
            "default": 0,
            "description": "Where to begin, in characters from 0; the note in the text says where the gap begins.",
        },
        "limit": {
            "type": "integer",
            "minimum": 1,
            "description": "How many characters at most; as many as fit if left out.",
        },
    },
    "required": ["handle"],
    "additionalProperties": False,
}


async def execute(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
    """Give one page; ``next`` is where the one after it begins."""
    page = context.page_of_result(arguments["handle"], arguments["offset"], arguments.get("limit"))
    more = {"next": page.end} if page.end < page.total else {}
    return {"tool": page.tool, "text": page.text, "shown": page.shown, "offset": page.offset, "end": page.end,
            "total": page.total, **more}  # fmt: skip


@hookimpl
def register_tools() -> list[Tool]:
    """Bring ``read_result``."""
    return [
        Tool(
            "read_result",
            "Read on in the result of an earlier call that was too long to be shown at once. The text of that result "
            "says where something was left out, and gives the handle and the offset.",
            PARAMETERS,
            execute,
            capabilities=("LongResults",),
            effects=Effects(read_only=True, destructive=False, idempotent=True, open_world=False),
            examples=({"handle": "r0123456789abcdef", "offset": 28000},),
            cost=1,
            latency_ms=1,
            deterministic=True,
            composable=False,
        )
    ]


@hookimpl
def declare_capabilities() -> list[Capability]:
    """Declare the reading of long results: nothing in a request asks for it."""
    return [Capability("LongResults", outputs=("Text",))]


@hookimpl
def format_result(result: Result) -> str | None:
    """Write where the page is, the page, and how to go on."""
    if not result.success:
        return None
    data = result.data
    where = f"Characters {data['offset']} to {data['end']} of {data['total']} of the result of {data['tool']}:"
    following = f"\n[goes on at offset={data['next']}]" if "next" in data else ""
    return f"{where}\n{data['shown']}{following}"
