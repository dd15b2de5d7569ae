"""Names: which tool of which server somebody means, and what models call it."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence

LONGEST = 64
Key = tuple[str, str]
"""A server's configured name and the tool's own."""


def registry_name(server: str, tool: str) -> str:
    """Give the name in the registry; what the server calls itself is no part of it.

    >>> registry_name("files", "read")
    'mcp.files.read'
    """
    return f"mcp.{server}.{tool}"


def aliases(keys: Sequence[Key]) -> dict[Key, tuple[str, ...]]:
    """Give each tool the name that models see, and its bare name while only one tool has it.

    >>> aliases([("mail", "send"), ("chat", "send"), ("chat", "read")])[("chat", "read")]
    ('chat__read', 'read')
    """
    wanted = Counter(_legal(f"{server}__{tool}") for server, tool in keys)
    bare = Counter(tool for _, tool in keys)
    found: dict[Key, tuple[str, ...]] = {}
    for server, tool in keys:
        plain = _legal(f"{server}__{tool}")
        sent = plain if len(plain) <= LONGEST and wanted[plain] == 1 else _cut(plain, (server, tool))
        found[(server, tool)] = (sent, tool) if bare[tool] == 1 and tool != sent else (sent,)
    return found


def owner(name: str, servers: Iterable[str]) -> tuple[str, str] | None:
    """Give the server that a name's beginning means, and the rest; however the parts are put together.

    >>> owner("mcp__files__read", ["files"]), owner("files.read", ["files"]), owner("read", ["files"])
    (('files', 'read'), ('files', 'read'), None)
    """
    for server in sorted(servers, key=len, reverse=True):
        start = "[-_]*".join(re.escape(part) for part in re.split(r"[-_\s]+", server))
        found = re.fullmatch(
            rf"(?:mcp(?:\.|_{{1,2}}|:|/))?{start}(?:\.|_{{1,2}}|:|/)(.+)", name, re.IGNORECASE | re.DOTALL
        )
        if found:
            return server, found[1]
    return None


def _legal(name: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", name)
    return plain if re.match("[A-Za-z_]", plain) else f"t_{plain}"


def _cut(plain: str, key: Key) -> str:
    digest = hashlib.sha256("\0".join(key).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{plain[: LONGEST - 9]}_{digest}"
