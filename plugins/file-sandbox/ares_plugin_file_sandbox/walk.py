"""Finding what a path names, one part at a time, each opened beneath the handle of the one before.

No part is followed if it is a link: its text is read through the same handle and its parts are gone through like all
others. So there is no moment between a check and a use, and what is swapped meanwhile only leads elsewhere inside.
Works on every POSIX system. ``beneath`` is faster, and comes here for what it does not answer.
"""

from __future__ import annotations

import errno
import os
from typing import NamedTuple

from ares_core import ToolError
from ares_plugin_file_sandbox.paths import take_apart
from ares_plugin_file_sandbox.roots import FOLDER, Handle, Place, Root, Roots

MOST_LINKS = 40
ATTEMPTS = 8
NO_FOLDER = (errno.ELOOP, errno.ENOTDIR, errno.EMLINK)


class Spot(NamedTuple):
    """Where a path ends: an open folder and a name in it that may not exist; no name means the folder itself."""

    root: Root
    folder: Handle
    name: str

    def lstat(self) -> os.stat_result:
        """Look at the entry itself."""
        return os.stat(self.name or ".", dir_fd=self.folder.fd, follow_symlinks=False)

    def open(self, flags: int, mode: int = 0o666) -> int:
        """Open the entry, unless it has become a link."""
        return os.open(self.name or ".", flags | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=self.folder.fd)


class Walk:
    """The portable way."""

    def __init__(self, roots: Roots) -> None:
        self.roots = roots

    def find(self, place: Place, path: str, *, follow: bool = True) -> Spot:
        """Go to the folder that holds the last part; with ``follow`` the last part is no link, at this moment."""
        return _Way(self.roots, place, path).to_end(follow)

    def open(self, place: Place, path: str, flags: int) -> int:
        """Open what is there; raises ``ToolError`` if it lies outside."""
        for _ in range(ATTEMPTS):
            try:
                return self.find(place, path).open(flags)
            except OSError as error:
                if error.errno not in (errno.ELOOP, errno.EMLINK):
                    raise
                failure = error
        raise failure


class _Way:
    """One walk: the handles from the root to where it stands, and the parts still to go, next one last."""

    def __init__(self, roots: Roots, place: Place, path: str) -> None:
        self._roots = roots
        self._path = path
        self._links = 0
        self._link = ""
        self._start(place)

    def _start(self, place: Place) -> None:
        self._root = place.root
        self._chain = [place.root.handle]
        self._todo = list(reversed(place.parts))

    def to_end(self, follow: bool) -> Spot:
        while self._todo:
            name = self._todo.pop()
            if name == "..":
                self._climb()
                continue
            if self._roots.is_closed(name):
                raise self._roots.closed(self._path, name)
            if self._todo and self._enter(name):
                continue
            target = self._target(name) if self._todo or follow else None
            if target is not None:
                self._follow(name, target)
            elif self._todo:
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), name)
            else:
                return Spot(self._root, self._chain[-1], name)
        return Spot(self._root, self._chain[-1], "")

    def _enter(self, name: str) -> bool:
        """Step into a folder; tells whether it is one."""
        try:
            self._chain.append(Handle(os.open(name, FOLDER, dir_fd=self._chain[-1].fd)))
        except OSError as error:
            if error.errno not in NO_FOLDER:
                raise
            return False
        return True

    def _climb(self) -> None:
        """Go back to the handle of the folder before; only a link's text holds ``..`` here."""
        if len(self._chain) == 1:
            raise self._roots.outside(self._path, self._link)
        self._chain.pop()

    def _target(self, name: str) -> str | None:
        try:
            return os.readlink(name, dir_fd=self._chain[-1].fd)
        except OSError as error:
            if error.errno in (errno.EINVAL, errno.ENOENT):
                return None
            raise

    def _follow(self, name: str, target: str) -> None:
        self._links, self._link = self._links + 1, name
        if self._links > MOST_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
        written = take_apart(target)
        if not written.is_absolute:
            self._todo += reversed(written.parts)
            return
        rest = tuple(reversed(self._todo))
        try:
            place = self._roots.place(target, written)
        except ToolError:
            raise self._roots.outside(self._path, name) from None
        self._start(Place(place.root, place.parts + rest))


__all__ = ["Spot", "Walk"]
