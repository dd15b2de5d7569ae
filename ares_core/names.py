"""Names that are nearly right, names that tell of secrets, and patterns that stand for many."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any

SECRET_KEYS = frozenset({
    "password", "passwd", "pwd", "passphrase", "secret", "client_secret", "api_key", "apikey", "x_api_key",
    "access_key", "secret_key", "private_key", "token", "access_token", "refresh_token", "auth_token", "id_token",
    "credentials", "authorization", "proxy_authorization", "cookie", "set_cookie", "signature",
})  # fmt: skip


def nearest(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Give the names most like ``name``, best first, ties by name; none that have little in common.

    >>> nearest("calculater", ["calculator", "hash_tool"])
    ['calculator']
    """
    from difflib import SequenceMatcher

    wanted = name.lower()[:100]
    matcher = SequenceMatcher(b=wanted, autojunk=False)
    scored = []
    for candidate in known:
        matcher.set_seq1(candidate.lower()[:100])
        if matcher.real_quick_ratio() >= 0.5 and matcher.quick_ratio() >= 0.5:
            score = matcher.ratio()
            if score >= 0.5:
                scored.append((-score, candidate))
    return [candidate for _, candidate in sorted(scored)[:most]]


def is_pattern(name: str) -> bool:
    """Whether a name stands for all that look like it.

    >>> is_pattern("mcp.files.*"), is_pattern("read_file")
    (True, False)
    """
    return "*" in name or "?" in name


def fits(name: str, wanted: Iterable[str]) -> bool:
    """Whether a name is one of these, or looks like a pattern among them.

    >>> fits("mcp.files.read", ["calculator", "mcp.files.*"]), fits("a[b]", ["a[b]"])
    (True, True)
    """
    return any(name == one or is_pattern(one) and fnmatchcase(name, one) for one in wanted)


def is_secret_key(key: Any) -> bool:
    """Whether a key says that its value is secret.

    >>> is_secret_key("X-Api-Key"), is_secret_key("keyboard")
    (True, False)
    """
    return isinstance(key, str) and key.lower().replace("-", "_") in SECRET_KEYS
