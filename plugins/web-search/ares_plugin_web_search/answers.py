"""Answers of search engines: read up to a limit, tidied, and told from pages that keep machines out."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

from msgspec import Struct

from ares_core import ToolError

LARGEST = 1_000_000
_BLOCKED = re.compile(
    r"captcha|anomaly|unusual traffic|not a robot|bots use|automated (?:queries|requests)|access denied|are you human"
    r"|verify you are|too many requests|cf-challenge|just a moment",
    re.IGNORECASE,
)
PASSING = frozenset({429, 500, 502, 503, 504})


class Answer(Struct, frozen=True):
    """One answer."""

    status: int
    kind: str
    text: str


async def fetch(client: Any, method: str, url: str, **options: Any) -> Answer:
    """Ask, and read the answer."""
    async with client.stream(method, url, **options) as response:
        data = bytearray()
        async for piece in response.aiter_bytes():
            data += piece
            if len(data) > LARGEST:
                raise ToolError(f"the answer of {_host(url)} is longer than {LARGEST:,} bytes", blame="world")
        kind = response.headers.get("content-type", "").lower()
        return Answer(response.status_code, kind, data.decode("utf-8", "replace"))


def check(answer: Answer, who: str) -> None:
    """Refuse an answer that keeps machines out, or is an error."""
    if answer.status in (202, 403, 429) or answer.status >= 400 and is_block(answer.text):
        raise blocked(who, f"with status {answer.status}")
    if answer.status != 200:
        raise ToolError(f"{who} answered {answer.status}", blame="world", retriable=answer.status in PASSING)


def is_block(text: str) -> bool:
    """Whether a page talks of machines that are to stay out."""
    return _BLOCKED.search(text[:200_000]) is not None


def blocked(who: str, how: str) -> ToolError:
    """Say that the provider does not want to answer a machine; that is no empty result."""
    return ToolError(
        f"{who} keeps machines out ({how}), so it is not known whether there are results.",
        blame="world",
        hint="Try again later; whoever runs Ares can configure another web_search.provider.",
    )


def tidy(text: Any, longest: int) -> str:
    """Put a text on one line, of bounded length.

    >>> tidy(" a\\n b ", 100), tidy("abcdef", 3)
    ('a b', 'ab…')
    """
    line = " ".join(str(text or "")[: 4 * longest].split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def web_address(url: Any) -> str:
    """Give an address on the web, unwrapped from the counter that some engines put around it; nothing for an advert.

    >>> web_address("//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.test%2F%3Fq%3D%2526")
    'https://a.test/?q=%26'
    """
    url = str(url or "").strip()[:4000]
    url = f"https:{url}" if url.startswith("//") else url
    try:
        parts = urlsplit(url)
        if (parts.hostname or "").endswith("duckduckgo.com") and parts.path in ("/l/", "/y.js"):
            inside = parse_qs(parts.query, max_num_fields=20).get("uddg", [""])[0]
            return web_address(inside) if parts.path == "/l/" and "duckduckgo.com/" not in inside else ""
    except ValueError:
        return ""
    return url if parts.scheme in ("http", "https") and parts.hostname else ""


def _host(url: str) -> str:
    return urlsplit(url).hostname or "the provider"
