"""Headers of a request: which a call may give, and which of them are secrets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ares_core import ToolError

MASK = "[redacted]"
SHORTEST_SECRET = 4
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_SECRET = re.compile(r"auth|cookie|token|key|secret|passw|credential|signature|session", re.IGNORECASE)
_SET_BY_THE_CLIENT = frozenset({
    "connection", "content-length", "expect", "host", "http2-settings", "keep-alive", "proxy-authorization",
    "proxy-connection", "trailer", "transfer-encoding", "upgrade",
})  # fmt: skip


def checked(headers: Mapping[str, str]) -> dict[str, str]:
    """Give the headers as they may be sent; one that would say something else than it seems to is refused.

    >>> checked({"Accept": " text/plain "})
    {'Accept': 'text/plain'}
    """
    given: dict[str, str] = {}
    for name, value in headers.items():
        if not _NAME.fullmatch(name):
            raise _refusal(f"{name!r:.80} is no name of a header")
        if not _VALUE.fullmatch(value):
            raise _refusal(f"the header {name} has a line break, or another character that no header can have")
        if name.lower() in _SET_BY_THE_CLIENT:
            raise _refusal(f"the header {name} is set by the HTTP client itself", "Leave it out.")
        if name.lower() in map(str.lower, given):
            raise _refusal(f"the header {name} is given twice")
        given[name] = value.strip()
    return given


def secrets_in(headers: Mapping[str, str]) -> list[str]:
    """Give the values that must not be shown, should the server send them back; the longest first.

    >>> secrets_in({"Authorization": "Bearer abc.def", "Accept": "text/plain"})
    ['Bearer abc.def', 'abc.def']
    """
    values = [value for name, value in headers.items() if _SECRET.search(name)]
    parts = [part for value in values for part in (value, *value.split(" ")[1:])]
    return sorted({part for part in parts if len(part) >= SHORTEST_SECRET}, key=lambda part: (-len(part), part))


def masked(text: str, secrets: Iterable[str]) -> str:
    """Take secrets out of a text."""
    for secret in secrets:
        text = text.replace(secret, MASK)
    return text


def _refusal(message: str, hint: str | None = None) -> ToolError:
    return ToolError(f"{message}; nothing was sent.", hint=hint, blame="input")
