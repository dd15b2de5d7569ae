"""Moving, copying and deleting files, and folders with all that is in them."""

from __future__ import annotations

import errno
import os
import posixpath
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, BinaryIO

from ares_core import FileAccess, FileStat, ToolContext, ToolError, counted
from ares_plugin_files.listing import Walker
from ares_plugin_files.source import CHUNK, check_wanted
from ares_plugin_files.troubles import visible
from ares_plugin_files.writing import in_folder

MOST_AT_ONCE = 10_000


def move(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
    """Move or rename, in one step where the disk allows it."""
    files, path, destination = context.files, arguments["path"], arguments["destination"]
    overwrite, kind = arguments.get("overwrite", False), files.stat(path).kind
    replaced = _destination(files, path, destination, overwrite=overwrite)

    def rename() -> int:
        files.rename(path, destination, overwrite)
        return 0

    try:
        in_folder(files, destination, rename)
    except OSError as error:
        if error.errno != errno.EXDEV or kind != "file":
            raise
        _copy_file(context, path, destination)
        files.remove(path)
    return {"operation": "move", "path": path, "destination": destination, **replaced}


def copy(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
    """Copy a file, or with ``recursive`` a folder; links in it are left out."""
    files, path, destination = context.files, arguments["path"], arguments["destination"]
    kind = files.stat(path).kind
    if kind == "directory" and not arguments.get("recursive"):
        raise _refusal(f"{path!r} is a folder", "Use recursive: true to copy it with all that is in it.")
    replaced = _destination(files, path, destination, overwrite=arguments.get("overwrite", False) and kind == "file")
    answer = {"operation": "copy", "path": path, "destination": destination, **replaced}
    if kind != "directory":
        return answer | {"bytes": _copy_file(context, path, destination), "files": 1}
    return answer | _copy_folder(context, path, destination)


def delete(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
    """Delete a file, a link or an empty folder; with ``recursive`` a folder with all that is in it."""
    files, path = context.files, arguments["path"]
    answer = {"operation": "delete", "path": path}
    try:
        files.remove(path)
        return answer | {"deleted": 1}
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST) or not arguments.get("recursive"):
            raise
    entries = _all_below(context, path)
    for number, entry in enumerate(reversed(entries)):
        check_wanted(context)
        try:
            with suppress(FileNotFoundError):
                files.remove(entry.path)
        except OSError as error:
            raise _stopped(
                f"deleted {number:,} of {counted(len(entries) + 1, 'entry', 'entries')}, then", entry.path, error
            ) from None
    files.remove(path)
    return answer | {"deleted": len(entries) + 1}


def _destination(files: FileAccess, path: str, destination: str, *, overwrite: bool) -> dict[str, int]:
    """Look at where something is to go; tells the size of what it replaces."""
    old, new = posixpath.normpath(path), posixpath.normpath(destination)
    if old == new:
        raise _refusal(f"path and destination are the same, {path!r}", "Give another destination.")
    if new.startswith(f"{old}/"):
        raise _refusal(f"{destination!r} lies within {path!r}", "A folder can't be put into itself.")
    try:
        there = files.stat(destination)
    except FileNotFoundError:
        return {}
    if there.kind == "directory":
        inside = posixpath.join(destination, posixpath.basename(old))
        raise _refusal(f"{destination!r} is a folder that is there already", f"To put it inside, use {inside!r}.")
    if not overwrite:
        raise _refusal(
            f"{destination!r} is there already, {counted(there.size, 'byte')}", "Use overwrite: true to replace it."
        )
    return {"overwrote": there.size}


def _copy_folder(context: ToolContext, path: str, destination: str) -> dict[str, Any]:
    files, done, size = context.files, 0, 0
    entries = _all_below(context, path)
    files.mkdir(destination)
    skipped = []
    for entry in entries:
        target = posixpath.join(destination, entry.path[len(path.rstrip("/")) + 1 :])
        try:
            if entry.kind == "directory":
                files.mkdir(target)
            elif entry.kind == "file":
                size += _copy_file(context, entry.path, target)
                done += 1
            else:
                skipped.append(visible(entry.path))
        except OSError as error:
            raise _stopped(f"copied {counted(done, 'file')}, then", entry.path, error) from None
    return {"bytes": size, "files": done} | ({"skipped": skipped[:20]} if skipped else {})


def _copy_file(context: ToolContext, path: str, destination: str) -> int:
    files = context.files
    mode = files.stat(path).mode
    with files.open(path) as source:

        def work() -> int:
            source.seek(0)
            return files.write(destination, _pieces(source, context), mode)

        return in_folder(files, destination, work)


def _pieces(source: BinaryIO, context: ToolContext) -> Iterator[bytes]:
    while piece := source.read(CHUNK):
        check_wanted(context)
        yield piece


def _all_below(context: ToolContext, path: str) -> list[FileStat]:
    """List a folder to the last entry, or refuse before anything is done."""
    walker = Walker(context.files, context)
    entries = []
    for entry, _ in walker.walk(path):
        entries.append(entry)
        if len(entries) > MOST_AT_ONCE:
            raise _refusal(
                f"{path!r} holds more than {MOST_AT_ONCE:,} entries", "Go through its folders one by one."
            )  # fmt: skip
    if not walker.is_complete:
        raise _refusal(f"{path!r} can't be seen as a whole: {'; '.join(walker.notes)}", "Go through it part by part.")
    return entries


def _stopped(done: str, path: str, error: OSError) -> ToolError:
    why = error.strerror or os.strerror(error.errno or 0)
    return ToolError(f"{done} stopped at {visible(path)!r}: {why}.", hint="Look at what is there now.", blame="world")


def _refusal(sentence: str, hint: str) -> ToolError:
    return ToolError(f"{sentence}; nothing was changed.", hint=hint, blame="input")


__all__ = ["copy", "delete", "move"]
