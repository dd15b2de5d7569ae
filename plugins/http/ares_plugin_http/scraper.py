"""What ``web_scraper`` does."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from ares_core import Result, ToolContext, ToolError, counted
from ares_plugin_http import bodies, pages
from ares_plugin_http.requests import failure
from ares_plugin_http.settings import Settings

ACCEPT = "text/html, application/xhtml+xml, text/*;q=0.8, application/json;q=0.8, */*;q=0.1"


async def run(arguments: Mapping[str, Any], context: ToolContext, settings: Settings) -> dict[str, Any] | Result:
    """Fetch the page and give what can be read on it."""
    url = arguments["url"].strip()
    async with context.network.client("argument") as client:
        if settings.respect_robots:
            from ares_plugin_http.robots import check

            await check(client, url)
        async with client.stream("GET", url, headers={"Accept": ACCEPT}) as response:
            body = await bodies.read(response, settings.max_bytes)
    shown = str(response.request.url.copy_with(username=None, password=None, fragment=None))
    if response.status_code >= 400:
        data = {"url": shown, "status": response.status_code}
        return Result(False, data, failure("GET", shown, response.status_code))
    kind = response.headers.get("content-type", "")
    if body.text is None:
        raise ToolError(f"{shown} is no page but {kind or 'binary data'}, and can't be read as text", blame="input")
    page = await asyncio.to_thread(_page, body.text, kind, shown, arguments)
    return _data(page, shown, body, arguments)


def _page(text: str, kind: str, url: str, arguments: Mapping[str, Any]) -> pages.Page:
    """Read HTML as a page, and any other text as it is."""
    is_html = "html" in kind.lower() or not kind and text.lstrip()[:200].lower().startswith(("<!doctype html", "<html"))
    if not is_html:
        return pages.Page("", "", "", text, (), is_cut=False)
    return pages.read(text, url, arguments.get("format", "markdown"), arguments.get("whole_page", False))


def _data(page: pages.Page, url: str, body: bodies.Body, arguments: Mapping[str, Any]) -> dict[str, Any]:
    start, most = arguments.get("offset", 0), arguments.get("max_length", 20_000)
    if start and start >= len(page.content):
        message = (
            f"offset {start} is behind the end: the content of {url} has {counted(len(page.content), 'character')}."
        )
        raise ToolError(message, blame="input", hint="Give a smaller offset.")
    data = {
        "url": url,
        "title": page.title,
        "description": page.description,
        "language": page.language,
        "content": page.content[start : start + most],
        "length": len(page.content),
        "offset": start,
        "bytes": body.size,
        "truncated": body.is_cut or page.is_cut,
    }
    return data | ({"links": list(page.links)} if arguments.get("links") else {})
