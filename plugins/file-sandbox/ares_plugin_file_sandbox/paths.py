"""Paths as they are written: their parts, and what is refused before anything is looked at."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ares_core import ToolError

KEY = "tools.file_sandbox_dir"
LONGEST = 4096
DEEPEST = 255
LONGEST_SHOWN = 120
Parts = tuple[str, ...]


class Written(NamedTuple):
    """A path taken apart; ``parts`` may still hold ``..``, and ``is_folder`` says that it ends like a folder's."""

    is_absolute: bool
    parts: Parts
    is_folder: bool


@lru_cache(512)
def take_apart(path: str) -> Written:
    """Split a path; nothing is expanded: ``~``, ``$HOME``, ``%2e`` and a backslash are plain characters.

    >>> take_apart("/a/./b//c/")
    Written(is_absolute=True, parts=('a', 'b', 'c'), is_folder=True)
    """
    _check(path)
    pieces = path.split("/")
    parts = tuple([piece for piece in pieces if piece not in ("", ".")])
    if len(parts) > DEEPEST:
        raise refusal(f"the path {shown(path)} has {len(parts):,} parts; at most {DEEPEST} are allowed")
    return Written(pieces[0] == "", parts, pieces[-1] in ("", ".", ".."))


def _check(path: str) -> None:
    if not isinstance(path, str):
        raise refusal(f"a path is a text, not {path!r:.60}")
    if not path:
        raise refusal("the path is empty; give the path of a file, or '.' for the folder itself")
    if len(path) > LONGEST:
        raise refusal(f"the path is {len(path):,} characters long; at most {LONGEST:,} are allowed")
    if "\0" in path:
        raise refusal(f"the path {shown(path)} holds a NUL character, which no file name can")
    if not path.isascii():
        try:
            path.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise refusal(f"the path {shown(path)} holds half of a character, which no file name can") from None


def climbed(parts: Parts) -> Parts | None:
    """Follow ``..`` in the text itself; ``None`` if it climbs above the top.

    >>> climbed(("a", "..", "b"))
    ('b',)
    """
    if ".." not in parts:
        return parts
    found: list[str] = []
    for part in parts:
        if part != "..":
            found.append(part)
        elif found:
            found.pop()
        else:
            return None
    return tuple(found)


def shown(path: str) -> str:
    """Quote a path for a sentence, on one line, cut if it is long."""
    text = path if len(path) <= LONGEST_SHOWN else f"{path[:LONGEST_SHOWN]}…"
    return ascii(text) if not text.isprintable() else repr(text)


def refusal(sentence: str, hint: str | None = None) -> ToolError:
    """Make the error for a path that is not allowed."""
    return ToolError(sentence, hint=hint, blame="input")


__all__ = ["KEY", "Parts", "Written", "climbed", "refusal", "shown", "take_apart"]
