"""The tools ``http_request`` and ``web_scraper``, which reach the network only through the network provider."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ares_core import Capability, Effects, Result, Tool, ToolContext, hookimpl
from ares_plugin_http.settings import Settings

if TYPE_CHECKING:
    from ares_core import Host

METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
URL: dict[str, Any] = {
    "type": "string",
    "minLength": 1,
    "maxLength": 8000,
    "description": "The whole address, beginning with http:// or https://.",
}
REQUEST: dict[str, Any] = {
    "type": "object",
    "properties": {
        "url": URL,
        "method": {"type": "string", "enum": list(METHODS), "default": "GET", "description": "The method."},
        "headers": {
            "type": "object",
            "maxProperties": 64,
            "additionalProperties": {"type": "string", "maxLength": 8000},
            "description": "Headers by name. Credentials belong here and not into the address.",
        },
        "body": {
            "type": "string",
            "maxLength": 1_000_000,
            "description": "The body as text, for POST, PUT, PATCH and DELETE. Give the header Content-Type with it.",
        },
        "json": {
            "type": ["object", "array"],
            "description": "The body as JSON instead of 'body'; sent with Content-Type application/json.",
        },
        "save_to": {
            "type": "string",
            "minLength": 1,
            "maxLength": 1000,
            "description": "A file to put the body of the answer into instead of giving it, such as a PDF; a path that "
            "ends in / is a folder, in which the file is called as in the address. A file that is there is replaced.",
        },
    },
    "required": ["url"],
    "additionalProperties": False,
}
PAGE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "url": URL,
        "format": {
            "type": "string",
            "enum": ["markdown", "text"],
            "default": "markdown",
            "description": "How the content is written: Markdown, or plain text.",
        },
        "links": {"type": "boolean", "default": False, "description": "Whether to list the page's links too."},
        "whole_page": {
            "type": "boolean",
            "default": False,
            "description": "Whether to keep navigation, footer, side bars and forms, which are otherwise left out.",
        },
        "max_length": {
            "type": "integer",
            "minimum": 100,
            "maximum": 200_000,
            "default": 20_000,
            "description": "How many characters of the content to give.",
        },
        "offset": {
            "type": "integer",
            "minimum": 0,
            "maximum": 10_000_000,
            "default": 0,
            "description": "At which character of the content to begin, to read on where an answer was cut.",
        },
    },
    "required": ["url"],
    "additionalProperties": False,
}
REQUEST_EXAMPLES = (
    {"url": "https://api.example.com/items?limit=2"},
    {"url": "https://api.example.com/items", "method": "POST", "json": {"name": "lamp"}},
    {"url": "https://api.example.com/items/7", "method": "DELETE", "headers": {"Accept": "application/json"}},
)
PAGE_EXAMPLES = (
    {"url": "https://example.com/"},
    {"url": "https://example.com/news", "format": "text", "links": True, "max_length": 5000},
)
READS = Effects(read_only=True, destructive=False, idempotent=True, resources=("host:{url}",))
REPLACES = Effects(idempotent=True, resources=("host:{url}",))
SAVES = Effects(idempotent=True, resources=("host:{url}", "file:{save_to}"))
CHANGES = Effects(resources=("host:{url}",))


def effects(arguments: Mapping[str, Any]) -> Effects:
    """Say what a request does, by its method, and whether it writes a file."""
    method = str(arguments.get("method", "GET")).upper()
    if method in ("GET", "HEAD", "OPTIONS"):
        return SAVES if arguments.get("save_to") else READS
    return REPLACES if method in ("PUT", "DELETE") else CHANGES


@hookimpl
def configuration() -> type[Settings]:
    """Check the section ``http``."""
    return Settings


@hookimpl
def register_tools(host: Host) -> list[Tool]:
    """Bring both tools."""
    settings: Settings = host.config

    async def http_request(arguments: Mapping[str, Any], context: ToolContext) -> Any:
        from ares_plugin_http.requests import run

        return await run(arguments, context, settings)

    async def web_scraper(arguments: Mapping[str, Any], context: ToolContext) -> Any:
        from ares_plugin_http.scraper import run

        return await run(arguments, context, settings)

    return [
        Tool(
            "http_request",
            "Send one HTTP request to a public address and give status, headers and body. Text and JSON are given up "
            "to a limit, binary data only by size, or in the file 'save_to'. A status of 400 or more is a failure that "
            "still has the body. For reading a web page, web_scraper gives its text without the HTML.",
            REQUEST,
            http_request,
            capabilities=("HTTPRequest", "Download"),
            effects=effects,
            examples=REQUEST_EXAMPLES,
            latency_ms=300,
        ),
        Tool(
            "web_scraper",
            "Read a web page: its title and its content as Markdown or text, without scripts, hidden parts and "
            "navigation, and its links if wanted. Long content is given in parts.",
            PAGE,
            web_scraper,
            capabilities=("WebFetch",),
            effects=READS,
            examples=PAGE_EXAMPLES,
            latency_ms=500,
        ),
    ]


@hookimpl
def declare_capabilities() -> list[Capability]:
    """Declare requests and pages: from an address to a text, or to a file."""
    request = ("http", "api", "request", "rest", "post", "请求", "接口")
    fetch = ("fetch", "scrape", "crawl", "web page", "website", "抓取", "网页")
    return [
        Capability("HTTPRequest", aliases=request, inputs=("URL",), outputs=("Text",)),
        Capability("Download", aliases=("download", "下载"), inputs=("URL",), outputs=("File",)),
        Capability("WebFetch", aliases=fetch, inputs=("URL",), outputs=("Text",)),
    ]


@hookimpl
def format_result(result: Result) -> str | None:
    """Write a response with its status line first, a page with its title first."""
    if not isinstance(result.data, Mapping):
        return None
    from ares_plugin_http.words import page, response

    return page(result.data) if "content" in result.data else response(result.data)
