"""What a project file may say: keys that widen what runs or is reached count only after ``ares trust``.

A project file may come with a repository that somebody else wrote. Trust is given to one file with one content;
each trusted file is a small file in the user's state folder, named after the hash of both.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ares_core.config.documents import Document, read
from ares_core.config.places import state_dir
from ares_core.errors import ConfigError

WIDENING = (
    "agent_tools.all_sessions",
    "agent_tools.path",
    "mcp.servers",
    "mcp.file",
    "tools.file_sandbox_dir",
    "plugins.*",
    "http.allow_hosts",
    "code_runner.*",
    "file_sandbox.*",
    "store_sqlite.path",
)
"""Keys that widen; besides them ``approvals.rules`` that allow, and keys of plugins that name an address or allow."""

_ADDRESS = re.compile(r"(.*_)?(urls?|endpoints?|hosts?)|allow.*")
_CORE = frozenset({"limits", "guard", "results", "tools", "planner", "plugins", "stores", "approvals", "models"})


def is_trusted(path: str | os.PathLike[str]) -> bool:
    """Whether the user trusts this file as it is now."""
    return _holds(read(path))


def trust(path: str | os.PathLike[str]) -> list[str]:
    """Trust this file as it is now; gives the keys that count from here on."""
    document = read(path)
    folder = _folder()
    os.makedirs(folder, mode=0o700, exist_ok=True)
    with open(os.path.join(folder, _fingerprint(document)), "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(os.path.realpath(document.path))
    return widening_keys(document.values)


def untrust(path: str | os.PathLike[str]) -> bool:
    """Take trust away from this file, whatever it says now or said before; tells whether there was any."""
    real, found = os.path.realpath(path), False
    for entry in _entries():
        with open(entry, encoding="utf-8", errors="surrogateescape") as file:
            same = file.read() == real
        if same:
            os.remove(entry)
            found = True
    return found


def widening_keys(values: Mapping[str, Any]) -> list[str]:
    """The keys of a file that count only when it is trusted.

    >>> widening_keys({"limits": {"timeout": 5}, "http": {"allow_hosts": ["intranet"]}})
    ['http.allow_hosts']
    """
    return sorted(_split(values, ())[1])


def narrowed(document: Document) -> tuple[dict[str, Any], str | None]:
    """What counts of a project file, and the sentence about what doesn't."""
    kept, widening = _split(document.values, ())
    if not widening or _holds(document):
        return document.values, None
    return kept, (
        f"{document.path} sets {', '.join(sorted(widening))}, which widens what may run or be reached; "
        f"this counts only after: ares trust {document.path}"
    )


def _split(values: Mapping[str, Any], path: tuple[str, ...]) -> tuple[dict[str, Any], list[str]]:
    """Part the values into those that always count and the names of those that widen."""
    kept: dict[str, Any] = {}
    widening: list[str] = []
    for key, value in values.items():
        here = (*path, str(key))
        if _widens(here):
            widening.append(".".join(here))
        elif here == ("approvals", "rules") and isinstance(value, list):
            kept[key] = [rule for rule in value if not _allows(rule)]
            widening += ["approvals.rules (allow)"] * (len(kept[key]) < len(value))
        elif isinstance(value, Mapping):
            kept[key], inner = _split(value, here)
            widening += inner
        else:
            kept[key] = value
    return kept, widening


def _widens(path: tuple[str, ...]) -> bool:
    dotted = ".".join(path)
    if dotted in WIDENING or len(path) == 2 and f"{path[0]}.*" in WIDENING:
        return True
    return len(path) > 1 and path[0] not in _CORE and _ADDRESS.fullmatch(path[-1]) is not None


def _allows(rule: Any) -> bool:
    return isinstance(rule, Mapping) and rule.get("answer") == "allow"


def _holds(document: Document) -> bool:
    try:
        return os.path.isfile(os.path.join(_folder(), _fingerprint(document)))
    except ConfigError:
        return False


def _folder() -> str:
    return os.path.join(state_dir(), "trusted")


def _entries() -> Iterator[str]:
    folder = _folder()
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        yield os.path.join(folder, name)


def _fingerprint(document: Document) -> str:
    import hashlib
    import json

    content = json.dumps([os.path.realpath(document.path), document.values], sort_keys=True, default=str)
    return hashlib.sha256(content.encode()).hexdigest()
