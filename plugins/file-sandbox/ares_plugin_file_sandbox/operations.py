"""What can be done with files: each operation finds its place, and works through the handle that it found."""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import BinaryIO

from ares_core import FileStat
from ares_plugin_file_sandbox.paths import refusal, shown, take_apart
from ares_plugin_file_sandbox.roots import Handle, Place, Root
from ares_plugin_file_sandbox.walk import Spot, Walk

MOST_ENTRIES = 500_000
SPECIAL = os.O_NONBLOCK | os.O_NOCTTY  # a pipe or a device must not keep anybody waiting before it is recognised
MODES = {
    "wb": os.O_WRONLY | os.O_CREAT | SPECIAL,
    "ab": os.O_WRONLY | os.O_CREAT | os.O_APPEND | SPECIAL,
    "xb": os.O_WRONLY | os.O_CREAT | os.O_EXCL | SPECIAL,
}


def open_to_read(walk: Walk, path: str) -> BinaryIO:
    """Open a regular file that is there."""
    written = take_apart(path)
    fd = walk.open(walk.roots.place(path, written), path, os.O_RDONLY | SPECIAL)
    try:
        _check_file(walk, os.fstat(fd), path, is_folder=written.is_folder)
    except BaseException:
        os.close(fd)
        raise
    return io.BufferedReader(io.FileIO(fd, "rb"))


def open_to_write(walk: Walk, path: str, mode: str) -> BinaryIO:
    """Open a regular file for writing; nothing of it is cut off before it is known to be one."""
    fd = _spot_to_change(walk, path, follow=True).open(MODES[mode])
    try:
        _check_file(walk, os.fstat(fd), path)
        if mode == "wb":
            os.ftruncate(fd, 0)
    except BaseException:
        os.close(fd)
        raise
    return os.fdopen(fd, "ab" if mode == "ab" else "wb")


def write(walk: Walk, path: str, data: bytes | Iterable[bytes], mode: int | None = None) -> int:
    """Write a new file beside the old one, and put it in its place when all is on the disk."""
    spot = _spot_to_change(walk, path, follow=True)
    old = _lstat(spot)
    if old is not None:
        _check_file(walk, old, path)
        if not os.access(spot.name, os.W_OK, dir_fd=spot.folder.fd):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    beside = Spot(spot.root, spot.folder, f".ares-{os.urandom(8).hex()}.tmp")
    fd = beside.open(os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode & 0o777)
    try:
        with os.fdopen(fd, "wb") as file:
            size = _pour(data, file)
            if old is not None:
                _keep(old, fd)
            file.flush()
            os.fsync(fd)
        os.replace(beside.name, spot.name, src_dir_fd=spot.folder.fd, dst_dir_fd=spot.folder.fd)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside.name, dir_fd=spot.folder.fd)
        raise
    return size


def _pour(data: bytes | Iterable[bytes], file: BinaryIO) -> int:
    size = 0
    for chunk in (data,) if isinstance(data, bytes | bytearray | memoryview) else data:
        size += file.write(chunk)
    return size


def _keep(old: os.stat_result, fd: int) -> None:
    """Give the new file the owner, where that is allowed, and the permissions of the old one."""
    new = os.fstat(fd)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        with suppress(PermissionError):
            os.fchown(fd, old.st_uid, old.st_gid)
    os.fchmod(fd, old.st_mode & 0o777)


def look(walk: Walk, path: str) -> FileStat:
    """Tell what a path, links followed, names."""
    written = take_apart(path)
    info = walk.find(walk.roots.place(path, written), path).lstat()
    if written.is_folder and not stat.S_ISDIR(info.st_mode):
        raise _no_folder(path)
    return _described(path, info)


def entries(walk: Walk, path: str) -> Iterator[FileStat]:
    """List a folder; it is opened at once, and its entries are looked at one by one."""
    place = walk.roots.place(path, take_apart(path))
    folder = Handle(walk.open(place, path, os.O_RDONLY | os.O_DIRECTORY | SPECIAL))
    with os.scandir(folder.fd) as found:
        names = sorted(entry.name for entry in islice(found, MOST_ENTRIES + 1))
    if len(names) > MOST_ENTRIES:
        raise refusal(f"the folder {shown(path)} has more than {MOST_ENTRIES:,} entries, which are not listed")
    return _each(walk, path, folder, names)


def _each(walk: Walk, path: str, folder: Handle, names: Iterable[str]) -> Iterator[FileStat]:
    above = "" if path.rstrip("/") == "." else path if path.endswith("/") else f"{path}/"
    for name in names:
        if not walk.roots.is_closed(name):
            with suppress(FileNotFoundError):  # it went meanwhile
                yield _described(above + name, os.stat(name, dir_fd=folder.fd, follow_symlinks=False))


def make_folder(walk: Walk, path: str) -> None:
    """Make a folder, and those above it that are missing."""
    place = walk.roots.place(path, take_apart(path))
    for size in range(1, len(place.parts) + 1):
        spot = walk.find(Place(place.root, place.parts[:size]), path)
        if spot.name and _lstat(spot) is None:
            walk.roots.check_writable(spot.root, path)
            with suppress(FileExistsError):  # somebody else made it meanwhile
                os.mkdir(spot.name, 0o777, dir_fd=spot.folder.fd)
    if not stat.S_ISDIR(walk.find(place, path).lstat().st_mode):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)


def rename(walk: Walk, source: str, destination: str, overwrite: bool) -> None:
    """Move an entry within the roots; a link is moved itself."""
    old = _spot_to_change(walk, source)
    new = _spot_to_change(walk, destination)
    is_folder = stat.S_ISDIR(old.lstat().st_mode)
    if not is_folder and destination.endswith("/"):
        raise _no_folder(destination)
    folders = {"src_dir_fd": old.folder.fd, "dst_dir_fd": new.folder.fd}
    if overwrite:
        os.replace(old.name, new.name, **folders)
    elif _lstat(new) is not None:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), destination)
    elif is_folder:  # takes the place of nothing but an empty folder
        os.rename(old.name, new.name, **folders)
    else:
        _rename_file(old.name, new.name, folders)


def _rename_file(old: str, new: str, folders: dict[str, int]) -> None:
    """Move a file under a name that must be free: a second name is never put over another file."""
    try:
        os.link(old, new, follow_symlinks=False, **folders)
    except FileExistsError:
        raise
    except OSError:  # a file system without second names
        os.rename(old, new, **folders)
    else:
        os.unlink(old, dir_fd=folders["src_dir_fd"])


def remove(walk: Walk, path: str) -> None:
    """Delete an entry; a link itself, and a folder only if it is empty."""
    spot = _spot_to_change(walk, path)
    if stat.S_ISDIR(spot.lstat().st_mode):
        os.rmdir(spot.name, dir_fd=spot.folder.fd)
    elif path.endswith("/"):
        raise _no_folder(path)
    else:
        os.unlink(spot.name, dir_fd=spot.folder.fd)


def root_of(walk: Walk, path: str) -> Root:
    """Find the root that a path leads into, whether anything is there or not."""
    place = walk.roots.place(path, take_apart(path))
    try:
        return walk.find(place, path).root
    except OSError:
        return place.root


def _spot_to_change(walk: Walk, path: str, *, follow: bool = False) -> Spot:
    """Find a place where something may be changed; with ``follow`` it is that of a file."""
    written = take_apart(path)
    spot = walk.find(walk.roots.place(path, written), path, follow=follow)
    walk.roots.check_writable(spot.root, path)
    if not spot.name and not follow:
        raise refusal(f"{shown(path)} is a folder that tools work in; it stays as it is")
    if follow and (written.is_folder or not spot.name):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    return spot


def _check_file(walk: Walk, info: os.stat_result, path: str, *, is_folder: bool = False) -> None:
    """Let only regular files pass that have no other name, which may lie outside."""
    if not stat.S_ISREG(info.st_mode):
        if stat.S_ISDIR(info.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        raise refusal(f"{shown(path)} is a pipe, socket or device, no regular file; nothing was read or changed")
    if is_folder:
        raise _no_folder(path)
    if info.st_nlink > 1 and not walk.roots.hard_links:
        raise refusal(
            f"{shown(path)} has {info.st_nlink} names (hard links), and the others may lie outside the folders that "
            "tools.file_sandbox_dir allows; nothing was read or changed",
            "Copy it by hand, or set file_sandbox.allow_hard_links.",
        )


def _described(path: str, info: os.stat_result) -> FileStat:
    mode = info.st_mode
    if stat.S_ISREG(mode):
        return FileStat(path, "file", info.st_size, info.st_mtime, mode & 0o777)
    if stat.S_ISDIR(mode):
        return FileStat(path, "directory", 0, info.st_mtime, mode & 0o777)
    return FileStat(path, "link" if stat.S_ISLNK(mode) else "other", 0, info.st_mtime, mode & 0o777)


def _lstat(spot: Spot) -> os.stat_result | None:
    try:
        return spot.lstat()
    except FileNotFoundError:
        return None


def _no_folder(path: str) -> NotADirectoryError:
    return NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)


__all__ = [
    "entries", "look", "make_folder", "open_to_read", "open_to_write", "remove", "rename", "root_of", "write",
]  # fmt: skip
