"""The tool ``web_search``; which provider answers is configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ares_core import Capability, Effects, Result, Tool, ToolContext, counted, hookimpl
from ares_plugin_web_search.settings import Settings

if TYPE_CHECKING:
    from ares_core import Host

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {
            "type": "string",
            "minLength": 1,
            "maxLength": 400,
            "pattern": r"\S",
            "description": "What to search for, in a few words.",
        },
        "max_results": {
            "type": "integer",
            "minimum": 1,
            "maximum": 50,
            "default": 10,
            "description": "How many results to give at most.",
        },
        "language": {
            "type": "string",
            "pattern": "^[A-Za-z]{2}(-[A-Za-z]{2})?$",
            "description": "The language of the results, such as en, de or zh-CN; any if left out.",
        },
        "time_range": {
            "type": "string",
            "enum": ["day", "week", "month", "year"],
            "description": "Only pages of the last day, week, month or year.",
        },
        "page": {
            "type": "integer",
            "minimum": 1,
            "maximum": 20,
            "default": 1,
            "description": "Which page of results, to see further ones.",
        },
    },
    "required": ["query"],
    "additionalProperties": False,
}
EXAMPLES = (
    {"query": "python 3.14 release notes"},
    {"query": "Wetter Berlin", "language": "de", "time_range": "day", "max_results": 3},
)


@hookimpl
def configuration() -> type[Settings]:
    """Check the section ``web_search``."""
    return Settings


@hookimpl
def register_tools(host: Host) -> list[Tool]:
    """Bring ``web_search``, also when no provider is configured: its answer then says what to configure."""
    settings: Settings = host.config

    async def web_search(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
        from ares_plugin_web_search.searching import run

        return await run(arguments, context, settings)

    return [
        Tool(
            "web_search",
            "Search the web and give title, address and a piece of text for each result. To read a result, give its "
            "address to a tool that fetches pages.",
            PARAMETERS,
            web_search,
            capabilities=("WebSearch",),
            effects=Effects(read_only=True, destructive=False, idempotent=True),
            examples=EXAMPLES,
            latency_ms=500,
        )
    ]


@hookimpl
def declare_capabilities() -> list[Capability]:
    """Declare searching the web: from a text to a text."""
    aliases = ("search", "web search", "google", "look up", "news", "搜索", "查找", "新闻")
    return [Capability("WebSearch", aliases=aliases, inputs=("Text",), outputs=("Text",))]


@hookimpl
def format_result(result: Result) -> str | None:
    """Number the results: title, address, a piece of text."""
    if not result.success:
        return None
    data = result.data
    lines = [f"{counted(data['count'], 'result')} for {data['query']!r} from {data['provider']}"]
    for number, found in enumerate(data["results"], 1):
        lines += [
            f"{number}. {found['title']}",
            f"   {found['url']}",
            *([f"   {found['snippet']}"] if found["snippet"] else []),
        ]
    lines += [f"{key}: {'; '.join(data[key])}" for key in ("answers", "suggestions", "corrections") if data.get(key)]
    return "\n".join(lines)
