"""The system calls that Python has no function for."""

from __future__ import annotations

import ctypes
import errno
import os

_libc = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 22, 38


class WallError(Exception):
    """A wall could not be put up, and which."""


def syscall(what: str, number: int, *arguments: int | ctypes.Array[ctypes.c_char]) -> int:
    """Make a system call by its number; a failure says what it was for."""
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    return _checked(what, _libc.syscall(ctypes.c_long(number), *words))


def prctl(what: str, option: int, *arguments: int) -> None:
    """Change a property of this process."""
    words = [ctypes.c_ulong(word) for word in (*arguments, 0, 0, 0, 0)[:4]]
    _checked(what, _libc.prctl(option, *words))


def unshare(flags: int) -> None:
    """Leave namespaces of the parent."""
    _checked("namespaces", _libc.unshare(ctypes.c_int(flags)))


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """Mount something in this process's own tree."""
    texts = [os.fsencode(text) or None for text in (source, target, kind)]
    _checked(f"mounting {target}", _libc.mount(*texts, ctypes.c_ulong(flags), os.fsencode(options) or None))


def unmount(target: str, flags: int) -> None:
    """Take something out of this process's own tree."""
    _checked(f"unmounting {target}", _libc.umount2(os.fsencode(target), ctypes.c_int(flags)))


def rename_host(name: str) -> None:
    """Change the name of the machine as this process sees it."""
    _checked("a host name of its own", _libc.sethostname(os.fsencode(name), ctypes.c_size_t(len(name))))


def _checked(what: str, result: int) -> int:
    if result >= 0:
        return result
    code = ctypes.get_errno()
    raise WallError(f"{what}: {'not permitted here' if code == errno.EPERM else os.strerror(code).lower()}")


__all__ = [
    "PR_SET_NO_NEW_PRIVS", "PR_SET_PDEATHSIG", "PR_SET_SECCOMP", "WallError", "mount", "prctl", "rename_host",
    "syscall", "unmount", "unshare",
]  # fmt: skip
