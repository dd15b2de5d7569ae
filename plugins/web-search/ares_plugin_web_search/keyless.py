"""Engines that need no key.

The library ddgs knows how to ask each and where results stand on its pages. It would also fetch the pages, with an
HTTP client of its own; that part is not used, since every connection of a plugin goes through the network provider.
"""

from __future__ import annotations

import asyncio
import importlib
import re
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

from ares_core import Network, ToolError
from ares_plugin_web_search.answers import blocked, check, fetch, is_block, tidy, web_address
from ares_plugin_web_search.searching import Found, Hit, Wish

LONGEST_TAG = 20_000
MOST_HITS = 100
NOTHING_FOUND = re.compile(
    r"no[- ]results|no (?:web )?results|no pages found|did not match|not many (?:great )?matches|nothing found",
    re.IGNORECASE,
)
TIME_RANGES = {"day": "d", "week": "w", "month": "m", "year": "y"}
SAFE_SEARCH = {"off": "off", "moderate": "moderate", "strict": "on"}
COUNTRIES = {"en": "us", "zh": "cn", "ja": "jp", "ko": "kr", "cs": "cz", "da": "dk", "el": "gr", "sv": "se", "uk": "ua"}


class Cookies:
    """Stands where an engine expects its HTTP client: keeps cookies, and opens no connection."""

    def __init__(self) -> None:
        self.client = self
        self.kept: dict[str, str] = {}

    def set_cookies(self, url: str, cookies: dict[str, str]) -> None:
        """Keep cookies for the request."""
        self.kept |= cookies


async def search(wish: Wish, network: Network, name: str, base_url: str) -> Found:
    """Ask for one page of results."""
    engine = await asyncio.to_thread(_engine, name)
    method, url, options = _request(engine, wish)
    who = urlsplit(url).hostname or name
    if base_url:
        url = base_url.rstrip("/") + urlsplit(url).path
    async with network.client("operator", base_url) if base_url else network.client("argument") as client:
        answer = await fetch(client, method, url, **options)
    check(answer, who)
    hits = await asyncio.to_thread(_hits, engine, name, answer.text)
    if not hits:
        _check_empty(answer.text.replace(wish.query, ""), who)
    return Found(hits, {})


def _engine(name: str) -> Any:
    """Make an engine without its constructor, which would make an HTTP client."""
    kind = getattr(importlib.import_module(f"ddgs.engines.{name}"), name.capitalize())
    engine = kind.__new__(kind)
    engine.http_client = Cookies()
    return engine


def _request(engine: Any, wish: Wish) -> tuple[str, str, dict[str, Any]]:
    payload = engine.build_payload(
        query=wish.query, region=_region(wish.language, engine.name), safesearch=SAFE_SEARCH[wish.safe_search],
        timelimit=TIME_RANGES.get(wish.time_range or ""), page=wish.page,
    )  # fmt: skip
    headers = {"Accept": "text/html", **engine.headers_update}
    if cookies := engine.http_client.kept:
        headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
    how = "params" if engine.search_method == "GET" else "data"
    return engine.search_method, engine.search_url, {how: payload, "headers": headers}


def _region(language: str, engine: str) -> str:
    """Write a language as engines do, the country first.

    >>> _region("zh-TW", "brave"), _region("en", "brave"), _region("", "duckduckgo")
    ('tw-zh', 'us-en', 'wt-wt')
    """
    if not language:
        return "wt-wt" if engine == "duckduckgo" else "us-en"
    tongue, _, country = language.lower().partition("-")
    return f"{country or COUNTRIES.get(tongue, tongue)}-{tongue}"


def _hits(engine: Any, name: str, html: str) -> list[Hit]:
    etree: Any = importlib.import_module("lxml.etree")
    try:
        tree = engine.extract_tree(engine.pre_process_html(_bounded(html)))
        rows = [_row(engine, item) for item in tree.xpath(engine.items_xpath)[:MOST_HITS]]
    except (etree.LxmlError, ValueError):
        return []
    hits = {
        row.href: Hit(row.title or row.href, row.href, row.body, name)
        for row in engine.post_extract_results(rows)
        if row.href
    }
    return list(hits.values())


def _row(engine: Any, item: Any) -> SimpleNamespace:
    """Read one result with the paths that the library knows; its own reading would change addresses."""
    found = {key: "".join(map(str, item.xpath(path)[:200])) for key, path in engine.elements_xpath.items()}
    url, title, body = found.get("href", ""), tidy(found.get("title"), 300), tidy(found.get("body"), 500)
    return SimpleNamespace(href=web_address(url), title=title, body=body)


def _bounded(html: str) -> str:
    """Take out tags of absurd length: the parser needs a time that grows with the square of their attributes."""
    first, *rest = html.split("<")
    return "<".join([first, *(part for part in rest if len(part) < LONGEST_TAG or 0 <= part.find(">") < LONGEST_TAG)])


def _check_empty(page: str, who: str) -> None:
    """A page without results is an empty answer only if it says so, and not because the words were searched for."""
    if is_block(page):
        raise blocked(who, "it asks for a proof that a person is there")
    if not NOTHING_FOUND.search(page[:500_000]):
        raise ToolError(
            f"the page of {who} has no results and does not say that there are none.", blame="world",
            hint="Its pages may have changed; whoever runs Ares can configure another web_search.provider.",
        )  # fmt: skip
