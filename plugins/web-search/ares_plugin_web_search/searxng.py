"""SearXNG: a metasearch engine that whoever runs Ares hosts or trusts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from ares_core import Network, ToolError
from ares_plugin_web_search.answers import Answer, blocked, check, fetch, is_block, tidy, web_address
from ares_plugin_web_search.searching import Found, Hit, Wish

SAFE_SEARCH = {"off": "0", "moderate": "1", "strict": "2"}
NO_JSON = "add json to search.formats in the settings of SearXNG"


async def search(wish: Wish, network: Network, base_url: str) -> Found:
    """Ask for one page of results."""
    who = "SearXNG"
    async with network.client("operator", base_url) as client:
        answer = await fetch(client, "GET", "search", params=_parameters(wish), headers={"Accept": "application/json"})
    if answer.status == 403 and not is_block(answer.text):
        raise ToolError(
            f"{who} does not give JSON ({answer.status}).", blame="world", hint=f"To its operator: {NO_JSON}."
        )
    check(answer, who)
    data = _json(answer, who)
    hits = [hit for entry in _list(data, "results") if isinstance(entry, Mapping) and (hit := _hit(entry)).url]
    if not hits and (silent := _silent(data)):
        raise blocked(who, f"none of its engines answered: {', '.join(silent)}")
    more = {key: [tidy(text, 200) for text in _list(data, key)[:5]] for key in ("suggestions", "corrections")}
    return Found(hits, {key: texts for key, texts in more.items() if texts})


def _parameters(wish: Wish) -> dict[str, str]:
    given = {
        "q": wish.query,
        "format": "json",
        "pageno": str(wish.page),
        "safesearch": SAFE_SEARCH[wish.safe_search],
        "language": wish.language,
        "time_range": wish.time_range or "",
    }
    return {name: value for name, value in given.items() if value}


def _json(answer: Answer, who: str) -> Mapping[str, Any]:
    try:
        data = msgspec.json.decode(answer.text)
    except (msgspec.DecodeError, RecursionError):
        data = None
    if isinstance(data, Mapping) and isinstance(data.get("results"), list):
        return data
    if is_block(answer.text):
        raise blocked(who, "it shows a page instead of results")
    raise ToolError(f"{who} answered with no JSON of results.", blame="world", hint=f"To its operator: {NO_JSON}.")


def _list(data: Mapping[str, Any], key: str) -> list[Any]:
    value = data.get(key)
    return value[:200] if isinstance(value, list) else []


def _hit(entry: Mapping[str, Any]) -> Hit:
    url = web_address(entry.get("url"))
    title, snippet = tidy(entry.get("title"), 300), tidy(entry.get("content"), 500)
    return Hit(title or url, url, snippet, tidy(entry.get("engine"), 40))


def _silent(data: Mapping[str, Any]) -> list[str]:
    """Name the engines that gave nothing, with the reason."""
    rows = [row for row in _list(data, "unresponsive_engines") if isinstance(row, list) and row]
    return [" ".join(tidy(part, 60) for part in row[:2]) for row in rows[:10]]
