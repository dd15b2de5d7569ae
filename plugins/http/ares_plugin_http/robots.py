"""A site's robots.txt, asked when ``http.respect_robots`` is set."""

from __future__ import annotations

from typing import Any

from ares_core import ToolError
from ares_plugin_http import bodies

LARGEST = 100_000
MOST_WILDCARDS = 5


async def check(client: Any, url: str) -> None:
    """Refuse a page that the site doesn't want to be read by machines (RFC 9309)."""
    page = client.build_request("GET", url).url
    async with client.stream("GET", page.copy_with(path="/robots.txt", query=None, fragment=None)) as response:
        body = await bodies.read(response, LARGEST)
    if response.status_code >= 500:
        raise ToolError(f"the robots.txt of {page.host} can't be read ({response.status_code}), so its pages are not")
    if response.status_code < 400 and not _allows(body.text or "", client.headers["user-agent"], url):
        message = f"the robots.txt of {page.host} asks machines not to read {url:.300}; it was not read."
        raise ToolError(message, blame="input", hint="http.respect_robots decides whether this is asked.")


def _allows(text: str, agent: str, url: str) -> bool:
    from protego import Protego

    lines = [line for line in text.splitlines() if line.count("*") <= MOST_WILDCARDS]
    return bool(Protego.parse("\n".join(lines)).can_fetch(url, agent))
