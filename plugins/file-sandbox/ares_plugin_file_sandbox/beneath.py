"""Finding what a path names in one system call: Linux' ``openat2``, which itself refuses to leave a folder."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable
from functools import cache, lru_cache

from ares_plugin_file_sandbox.roots import FOLDER, Handle, Place, Roots
from ares_plugin_file_sandbox.walk import Spot, Walk

NUMBER = 437  # the same on every architecture that Python runs on, but for the long dead Alpha
NO_MAGICLINKS, BENEATH = 0x02, 0x08
UNANSWERED = (errno.EXDEV, errno.ELOOP, errno.EAGAIN)
Openat2 = Callable[[int, bytes, int], int]


class Beneath(Walk):
    """The fast way: the kernel resolves the whole path. Whatever it refuses is left to the walk to judge and to say.

    Links with an absolute target that lies inside are among that, and so are renames that happen meanwhile.
    """

    def __init__(self, roots: Roots, openat2: Openat2) -> None:
        super().__init__(roots)
        self._openat2 = openat2

    def find(self, place: Place, path: str, *, follow: bool = True) -> Spot:
        """Go to the folder that holds the last part; with ``follow`` the last part is no link, at this moment."""
        root, parts = place
        try:
            if len(parts) < 2:
                folder = root.handle
            else:
                folder = Handle(self._openat2(root.handle.fd, _encoded(parts[:-1]), FOLDER & ~os.O_NOFOLLOW))
        except OSError as error:
            if error.errno not in UNANSWERED:
                raise
            return super().find(place, path, follow=follow)
        spot = Spot(root, folder, parts[-1] if parts else "")
        return super().find(place, path) if follow and _is_link(spot) else spot

    def open(self, place: Place, path: str, flags: int) -> int:
        """Open what is there; raises ``ToolError`` if it lies outside."""
        root, parts = place
        try:
            if len(parts) == 1:  # a single name leads nowhere else if it is no link
                return os.open(parts[0], flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=root.handle.fd)
            return self._openat2(root.handle.fd, _encoded(parts), flags | os.O_CLOEXEC)
        except OSError as error:
            if error.errno not in UNANSWERED:
                raise
            return super().open(place, path, flags)


def _encoded(parts: tuple[str, ...]) -> bytes:
    return os.fsencode("/".join(parts)) or b"."


def _is_link(spot: Spot) -> bool:
    try:
        return stat.S_ISLNK(spot.lstat().st_mode)
    except FileNotFoundError:
        return False


@cache
def find_openat2() -> Openat2 | None:
    """Give ``openat2(folder, path, flags)`` where the kernel has it and nothing forbids it."""
    if sys.platform != "linux":
        return None
    openat2 = _bind()
    try:
        os.close(openat2(-100, b".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
    except OSError:
        return None
    return openat2


def _bind() -> Openat2:
    import ctypes

    class How(ctypes.Structure):
        _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))

    syscall = ctypes.CDLL(None, use_errno=True).syscall
    syscall.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(How), ctypes.c_size_t)
    syscall.restype = ctypes.c_long
    size, how = ctypes.sizeof(How), lru_cache(64)(lambda flags: How(flags, 0, BENEATH | NO_MAGICLINKS))

    def openat2(folder: int, path: bytes, flags: int) -> int:
        while (fd := syscall(NUMBER, folder, path, how(flags), size)) < 0:
            number = ctypes.get_errno()
            if number != errno.EINTR:
                raise OSError(number, os.strerror(number))
        return int(fd)

    return openat2


__all__ = ["Beneath", "find_openat2"]
