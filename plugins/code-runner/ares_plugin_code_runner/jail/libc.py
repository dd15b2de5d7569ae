"""The system calls that Python has no function for."""

from __future__ import annotations

import ctypes
import os

_libc = ctypes.CDLL(None, use_errno=True)
AT_FDCWD = -100
MOUNT_SETATTR = 442
PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 22, 38


class WallError(Exception):
    """A wall could not be put up, and which."""


def syscall(what: str, number: int, *arguments: int | ctypes.Array[ctypes.c_char] | None) -> int:
    """Make a system call by its number; a failure says what it was for."""
    return _checked(what, _libc.syscall(ctypes.c_long(number), *map(_word, arguments)))


def prctl(what: str, option: int, *arguments: int) -> None:
    """Change a property of this process."""
    _checked(what, _libc.prctl(option, *(ctypes.c_ulong(value) for value in (*arguments, 0, 0, 0, 0)[:4])))


def unshare(flags: int) -> None:
    """Leave the namespaces of the parent."""
    _checked("namespaces", _libc.unshare(ctypes.c_int(flags)))


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    """Mount something in this process's own tree."""
    words = [os.fsencode(word) if word else None for word in (source, target, kind)]
    given = os.fsencode(options) if options else None
    _checked(f"mounting {target}", _libc.mount(*words, ctypes.c_ulong(flags), given))


def unmount(target: str, flags: int) -> None:
    """Take something out of this process's own tree."""
    _checked(f"unmounting {target}", _libc.umount2(os.fsencode(target), ctypes.c_int(flags)))


def _word(value: int | ctypes.Array[ctypes.c_char] | None) -> object:
    return ctypes.c_long(value) if isinstance(value, int) else value


def _checked(what: str, result: int) -> int:
    if result >= 0:
        return result
    code = ctypes.get_errno()
    if code == 1:
        raise WallError(f"{what}: not permitted here")
    raise WallError(f"{what}: {os.strerror(code)}")
