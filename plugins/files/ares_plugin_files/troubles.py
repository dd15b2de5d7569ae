"""Sentences about paths and files that can't be worked with."""

from __future__ import annotations

import errno
import posixpath
import re
import unicodedata
from itertools import islice
from typing import NoReturn

from ares_core import FileAccess, ToolError

CONTROL = re.compile(r"[\x00-\x1f\x7f]")
ELSEWHERE = (
    (re.compile(r"~(?:[A-Za-z0-9_-]*/|$)"), "begins with ~, which is not expanded"),
    (re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://"), "is a URL and no path"),
    (re.compile(r"[A-Za-z]:[\\/]"), "is a path of Windows"),
)
STRANGE = re.compile(r"[\x00-\x1f\x7f:~]")
MOST_NAMES = 2000
TEMPORARY = "These files are in a temporary folder of this process; tools.file_sandbox_dir names one that stays."
SENTENCES = {
    errno.EACCES: "the operating system doesn't allow it",
    errno.EPERM: "the operating system doesn't allow it",
    errno.EROFS: "the disk can only be read",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file would be too large",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ELOOP: "its links lead round in a circle",
    errno.EISDIR: "it is a folder",
    errno.ENOTDIR: "it, or a part of it that should be a folder, is a file",
    errno.EEXIST: "something else is there already",
    errno.ENOTEMPTY: "the folder is not empty",
    errno.EXDEV: "the two places are on different disks",
    errno.EINVAL: "a folder can't be put into itself, nor a file be named so",
}
HINTS = {
    errno.EISDIR: "Use list to see what is in it.",
    errno.ENOTDIR: "Use stat on the parts of the path.",
    errno.ENOTEMPTY: "Use recursive: true to delete all that is in it.",
    errno.EXDEV: "Copy it, then delete it.",
}


def check_path(path: str) -> None:
    """Refuse paths that were meant for somewhere else."""
    if not STRANGE.search(path):
        return
    control = CONTROL.search(path)
    if control:
        raise ToolError(
            f"the path {path[:200]!a} holds the control character {control[0]!a}; nothing was done.",
            hint="A backslash in JSON text is written twice, and between folders stands /.",
            blame="input",
        )
    for pattern, what in ELSEWHERE:
        if pattern.match(path):
            raise ToolError(
                f"{path[:200]!r} {what}; nothing was done.",
                hint="Give a path relative to the allowed folder, with / between names.",
                blame="input",
            )


def is_temporary(files: FileAccess) -> bool:
    """Whether the provider says that it keeps nothing."""
    return bool(getattr(files, "is_temporary", False))


def explain(error: OSError, path: str, files: FileAccess) -> NoReturn:
    """Turn the error of the operating system into a sentence about a path."""
    if error.errno == errno.ENOENT:
        hint = _meant(path, files) + (f" {TEMPORARY}" if is_temporary(files) else "")
        raise ToolError(f"there is no file or folder {visible(path)!r}; nothing was done.", hint=hint, blame="input")
    why = SENTENCES.get(error.errno or 0, error.strerror or type(error).__name__)
    is_world = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)
    raise ToolError(
        f"{visible(path)!r} can't be used: {why}; nothing was changed.",
        hint=HINTS.get(error.errno or 0),
        blame="world" if is_world else "input",
    )


def alike(path: str, files: FileAccess) -> list[str]:
    """Give what has the same name in another spelling: other case, or accents composed otherwise."""
    folder, name = posixpath.split(path.rstrip("/"))
    try:
        names = _names(folder, files)
    except (OSError, ToolError):
        return []
    return [posixpath.join(folder, one) for one in names if _fold(one) == _fold(name)][:3]


def _names(folder: str, files: FileAccess) -> list[str]:
    return [posixpath.basename(entry.path) for entry in islice(files.list(folder or "."), MOST_NAMES)]


def _meant(path: str, files: FileAccess) -> str:
    """Name what is there instead: the same name in another spelling, else similar ones."""
    folder, name = posixpath.split(path.rstrip("/"))
    try:
        names = _names(folder, files)
    except (OSError, ToolError):
        return f"The folder {visible(folder)!r} isn't there either." if folder else "Use list to see what is there."
    near = [posixpath.join(folder, one) for one in _near(name, names)]
    return (
        f"Did you mean {' or '.join(repr(visible(one)) for one in near)}?" if near else "Use list to see what is there."
    )


def _near(name: str, names: list[str]) -> list[str]:
    import difflib

    folded = {one: _fold(one) for one in names}
    same = [one for one in names if folded[one] == _fold(name)]
    if same:
        return same[:3]
    by_fold = {fold: one for one, fold in folded.items()}
    return [by_fold[fold] for fold in difflib.get_close_matches(_fold(name), by_fold, 3, 0.75)]


def _fold(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def visible(text: str) -> str:
    r"""Show a name on one line: what can't be printed or is no text is escaped.

    >>> visible("two\nlines")
    'two\\nlines'
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


__all__ = ["alike", "check_path", "explain", "visible"]
