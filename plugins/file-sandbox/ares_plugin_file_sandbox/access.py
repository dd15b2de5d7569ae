"""The file access that tools get."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, Concatenate, Literal, ParamSpec, TypeVar

from ares_core import FileStat, ToolError
from ares_plugin_file_sandbox import operations
from ares_plugin_file_sandbox.paths import refusal, shown
from ares_plugin_file_sandbox.walk import Walk

NO_FILE = (errno.ENXIO, errno.ENODEV, errno.EOPNOTSUPP)
P = ParamSpec("P")
T = TypeVar("T")


class Sandbox:
    """Files beneath some folders. ``start`` opens the folders at the first use, and again if one was deleted."""

    def __init__(self, start: Callable[[], Walk]) -> None:
        self._start = start
        self._walk: Walk | None = None
        self._process = 0
        self._is_closed = False
        self._lock = threading.Lock()

    def open(self, path: str, mode: Literal["rb", "wb", "ab", "xb"] = "rb") -> BinaryIO:
        """Open a regular file; the handle is the very object that was checked."""
        if mode == "rb":
            return self._run(operations.open_to_read, path)
        if mode not in operations.MODES:
            raise refusal(f"files are opened with rb, wb, ab or xb, not {mode!r:.20}")
        return self._run(operations.open_to_write, path, mode)

    def write(self, path: str, data: bytes | Iterable[bytes], mode: int | None = None) -> int:
        """Put a whole file in place in one step, and tell its size in bytes."""
        return self._run(operations.write, path, data, mode)

    def stat(self, path: str) -> FileStat:
        """Tell kind, size, time and permissions."""
        return self._run(operations.look, path)

    def list(self, path: str = ".") -> Iterator[FileStat]:
        """List a folder, in name order; closed names are left out."""
        return self._run(operations.entries, path)

    def mkdir(self, path: str) -> None:
        """Make a folder and those above it."""
        self._run(operations.make_folder, path)

    def rename(self, source: str, destination: str, overwrite: bool = True) -> None:
        """Move a file, folder or link in one step; without ``overwrite`` never over what is there already."""
        self._run(operations.rename, source, destination, overwrite)

    def remove(self, path: str) -> None:
        """Delete a file, a link (not what it leads to) or an empty folder."""
        self._run(operations.remove, path)

    def may_change(self, path: str) -> bool:
        """Whether what a path names may be changed, there or not; raises ``ToolError`` if it can't even be reached."""
        return operations.root_of(self._ready(), path).is_writable

    @property
    def is_temporary(self) -> bool:
        """Whether everything that is written is gone when this Ares is closed."""
        return self._ready().roots.remove is not None

    def close(self) -> None:
        """Let go of the folders, and remove a temporary one."""
        with self._lock:
            self._is_closed, walk, self._walk = True, self._walk, None
        if walk is not None and walk.roots.remove is not None:
            walk.roots.remove()

    def _run(self, operation: Callable[Concatenate[Walk, str, P], T], path: str, *more: P.args, **named: P.kwargs) -> T:
        """Run an operation; its errors name the path as it was given."""
        walk = self._ready()
        try:
            try:
                return operation(walk, path, *more, **named)
            except FileNotFoundError:
                if not walk.roots.is_gone:
                    raise
            self._walk = None
            return operation(self._ready(), path, *more, **named)
        except OSError as error:
            if error.errno in NO_FILE:
                raise refusal(f"{shown(path)} is a pipe, socket or device, no regular file; nothing was done") from None
            raise OSError(error.errno, error.strerror, path) from None

    def _ready(self) -> Walk:
        walk = self._walk
        if walk is not None and (walk.roots.remove is None or self._process == os.getpid()):
            return walk
        with self._lock:
            if self._is_closed:
                raise ToolError("this Ares is closed; its tools reach no files any more", blame="world")
            if self._walk is None or self._process != os.getpid():
                self._walk, self._process = self._start(), os.getpid()
            return self._walk


__all__ = ["Sandbox"]
