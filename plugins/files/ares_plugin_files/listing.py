"""Lists of files: one folder or all below it, those whose name fits, page by page and in stable order."""

from __future__ import annotations

import fnmatch
import re
import time
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from ares_core import FileAccess, FileStat, ToolContext, ToolError
from ares_plugin_files.source import check_wanted
from ares_plugin_files.troubles import visible

PAGE = 500
MOST_LISTED = 10_000
MOST_VISITED = 200_000
DEEPEST = 64
MOST_NOTES = 20
Glob = tuple[re.Pattern[str] | None, ...]
"""One expression for each part of a path; ``None`` stands for ``**``, any number of parts."""


class Walker:
    """Goes through a folder in the order of names, each folder followed by what is in it; links are not followed."""

    def __init__(self, files: FileAccess, context: ToolContext) -> None:
        self._files = files
        self._context = context
        self.notes: list[str] = []
        self.visited = 0
        self.is_complete = True

    def walk(self, path: str, deepest: int = DEEPEST) -> Iterator[tuple[FileStat, tuple[str, ...]]]:
        """Give every entry with its path below ``path``, at most so many levels down."""
        above: list[str] = []
        ways = [self._files.list(path)]
        while ways:
            entry = next(ways[-1], None)
            if entry is None:
                ways.pop()
                above[-1:] = []
                continue
            self.visited += 1
            if self.visited > MOST_VISITED:
                self._give_up(f"there is more: the search ended after {MOST_VISITED:,} entries")
                return
            if self.visited % 1000 == 0:
                check_wanted(self._context)
            name = entry.path.rpartition("/")[2]
            yield entry, (*above, name)
            if entry.kind == "directory" and len(ways) < deepest:
                self._enter(entry, name, ways, above)
            elif entry.kind == "directory" and deepest == DEEPEST:
                self._give_up(
                    f"{visible(entry.path)[:200]} and what else lies {DEEPEST} levels down is not looked into"
                )

    def _enter(self, entry: FileStat, name: str, ways: list[Iterator[FileStat]], above: list[str]) -> None:
        try:
            ways.append(self._files.list(entry.path))
        except FileNotFoundError:
            return
        except (OSError, ToolError) as error:
            why = error.message if isinstance(error, ToolError) else error.strerror
            self._give_up(f"{visible(entry.path)} can't be looked into: {why}")
            return
        above.append(name)

    def _give_up(self, note: str) -> None:
        self.is_complete = False
        if len(self.notes) < MOST_NOTES:
            self.notes.append(note)


def listed(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
    """Give one page of a list, and how many entries there are in all."""
    path, pattern = arguments.get("path", "."), arguments.get("pattern")
    offset, limit = arguments.get("offset", 0), min(arguments.get("limit", PAGE), MOST_LISTED)
    glob = parsed(pattern) if pattern else None
    walker = Walker(context.files, context)
    found: list[FileStat] = []
    counts = {"directory": 0, "file": 0, "link": 0, "other": 0}
    total = 0
    for entry, parts in walker.walk(path, _deepest(pattern, glob, recursive=arguments.get("recursive", False))):
        if glob is None or fits(parts, glob):
            total += 1
            counts[entry.kind] += 1
            if offset < total <= offset + limit:
                found.append(entry)
    answer: dict[str, Any] = {
        "operation": "list", "path": path, "entries": [described(entry) for entry in found], "offset": offset,
        "total": total, "folders": counts["directory"], "files": counts["file"], "complete": walker.is_complete,
    }  # fmt: skip
    if offset + limit < total:
        answer["next"] = {"offset": offset + limit}
    return answer | ({"notes": walker.notes} if walker.notes else {})


def described(entry: FileStat) -> dict[str, Any]:
    """Say what is known of an entry; a name that can't be written in a call is marked."""
    said: dict[str, Any] = {"path": visible(entry.path), "kind": "folder" if entry.kind == "directory" else entry.kind}
    if entry.kind == "file":
        said["size"] = entry.size
    said["modified"] = iso(entry.modified)
    if said["path"] != entry.path:
        said["escaped"] = True
    return said


def iso(seconds: float) -> str | None:
    """Write a time as ISO text in UTC; there are files with impossible ones."""
    try:
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    except (ValueError, OverflowError, OSError):
        return None


def _deepest(pattern: str | None, glob: Glob | None, *, recursive: bool) -> int:
    """Tell how many levels have to be looked at."""
    if glob is None or pattern is None or "/" not in pattern:
        return DEEPEST if recursive or glob == (None,) else 1
    return DEEPEST if None in glob else min(len(glob), DEEPEST)


@lru_cache(64)
def parsed(pattern: str) -> Glob:
    """Read a pattern; one without ``/`` looks at the name alone.

    >>> fits(("src", "deep", "a.py"), parsed("src/**/*.py")), fits(("src", "a.txt"), parsed("*.py"))
    (True, False)
    """
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    if pattern.startswith("/") or ".." in parts or not parts:
        raise ToolError(
            f"the pattern {pattern[:200]!r} leads elsewhere; nothing was listed.",
            hint="A pattern is relative to 'path' and goes down only, such as **/*.txt.",
            blame="input",
        )
    if "/" not in pattern and pattern != "**":
        parts = ["**", *parts]
    return tuple(None if part == "**" else re.compile(fnmatch.translate(part)) for part in parts)


def fits(parts: tuple[str, ...], glob: Glob) -> bool:
    """Whether a path fits a pattern; the time grows with the product of their lengths at most."""
    at, here, star, mark = 0, 0, -1, 0
    while at < len(parts):
        piece = glob[here] if here < len(glob) else None
        if here < len(glob) and piece is None:
            star, mark, here = here, at, here + 1
        elif piece is not None and piece.match(parts[at]):
            at, here = at + 1, here + 1
        elif star >= 0:
            mark += 1
            at, here = mark, star + 1
        else:
            return False
    return all(piece is None for piece in glob[here:])


__all__ = ["Walker", "described", "fits", "iso", "listed", "parsed"]
