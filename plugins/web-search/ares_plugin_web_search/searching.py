"""What ``web_search`` does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from ares_core import ToolContext, ToolError
from ares_plugin_web_search.settings import PROVIDERS, Settings

NOT_CONFIGURED = (
    "no search provider is configured, so nothing was searched: set web_search.base_url to the address of a SearXNG, "
    f"or web_search.provider to one of {', '.join(PROVIDERS[1:])}."
)


class Wish(Struct, frozen=True):
    """What is searched for."""

    query: str
    language: str
    time_range: str | None
    page: int
    safe_search: str


class Hit(Struct, frozen=True):
    """One result."""

    title: str
    url: str
    snippet: str
    engine: str


class Found(Struct, frozen=True):
    """What a provider gave; ``more`` has further keys of the result."""

    hits: list[Hit]
    more: dict[str, list[str]]


async def run(arguments: Mapping[str, Any], context: ToolContext, settings: Settings) -> dict[str, Any]:
    """Ask the configured provider."""
    if settings.provider is None:
        raise ToolError(NOT_CONFIGURED, blame="world", hint="Tell the user; without it there is no search.")
    wish = Wish(
        arguments["query"].strip(), arguments.get("language", "").strip(), arguments.get("time_range"),
        arguments.get("page", 1), settings.safe_search,
    )  # fmt: skip
    found = await _search(wish, context, settings)
    hits = found.hits[: arguments.get("max_results", 10)]
    return {
        "query": wish.query,
        "provider": settings.provider,
        "count": len(hits),
        "results": [{"title": hit.title, "url": hit.url, "snippet": hit.snippet, "engine": hit.engine} for hit in hits],
        **found.more,
    }


async def _search(wish: Wish, context: ToolContext, settings: Settings) -> Found:
    if settings.provider == "searxng":
        from ares_plugin_web_search.searxng import search

        return await search(wish, context.network, settings.base_url)
    from ares_plugin_web_search.keyless import search as search_keyless

    return await search_keyless(wish, context.network, str(settings.provider), settings.base_url)
