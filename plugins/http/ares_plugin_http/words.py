"""How a model reads a response and a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ares_core import counted

SHOWN_HEADERS = ("location", "allow", "retry-after", "link", "etag", "last-modified", "www-authenticate")


def response(data: Mapping[str, Any]) -> str:
    """Write the status line, a few headers, and the body."""
    return "\n".join(_response_lines(data))


def _response_lines(data: Mapping[str, Any]) -> Iterator[str]:
    headers = data.get("headers", {})
    kind = headers.get("content-type", "no content type")
    size = counted(data.get("bytes", 0), "byte")
    yield f"{data.get('status')} {data.get('reason')} · {kind} · {size} · {data.get('url')}"
    yield from (f"redirected: {hop}" for hop in data.get("redirects", ()))
    yield from (f"{name}: {headers[name]:.500}" for name in SHOWN_HEADERS if name in headers)
    if "path" in data:
        yield f"saved to {data['path']}"
    elif data.get("binary"):
        yield "(binary data, not shown)"
    else:
        yield ""
        yield data.get("body") or "(empty body)"
    if data.get("truncated"):
        yield f"(cut: only the beginning was read, {counted(data.get('bytes', 0), 'byte')})"


def page(data: Mapping[str, Any]) -> str:
    """Write the title, the content, where to read on, and the links."""
    return "\n".join(_page_lines(data))


def _page_lines(data: Mapping[str, Any]) -> Iterator[str]:
    yield f"# {data['title']}" if data.get("title") else "(no title)"
    yield f"{data.get('url')}"
    yield ""
    yield data["content"] or "(no text: the page may be made by scripts, which are not run)"
    end = data.get("offset", 0) + len(data["content"])
    if end < data.get("length", 0):
        yield f"(characters {data['offset']:,} to {end:,} of {data['length']:,}; read on with offset {end})"
    if data.get("truncated"):
        yield "(the page is longer than what was read)"
    if "links" in data:
        yield f"\n{counted(len(data['links']), 'link')}:"
        yield from (f"- {link['text'] or '(no text)'}: {link['url']}" for link in data["links"])
