"""The second wall: Landlock, by which a process gives up rights to files, ports and signals for good."""

from __future__ import annotations

import ctypes
import os
import struct

from ares_plugin_code_runner.jail.libc import WallError, syscall

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
ASK_VERSION, BENEATH_A_PATH = 1, 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
FILE_RIGHTS = {1: 1 << 13, 2: 1 << 14, 3: 1 << 15, 5: 1 << 16}
"""By version: all rights to files that the kernel knows of are those below this one."""
TRUNCATE, IOCTL = 1 << 14, 1 << 15
PORTS = 0b11
SIGNALS_AND_SOCKETS = 0b11


def version() -> int:
    """Tell what this kernel's Landlock can do; 0 if it has none.

    >>> version() >= 0
    True
    """
    try:
        return syscall("Landlock", CREATE_RULESET, 0, 0, ASK_VERSION)
    except WallError:
        return 0


def restrict(writable: list[str], devices: list[str]) -> bool:
    """Leave reading and running, and writing in some folders and devices; tells whether the kernel can."""
    known = version()
    if not known:
        return False
    rights = max(limit for first, limit in FILE_RIGHTS.items() if first <= known) - 1
    head = struct.pack("=3Q", rights, PORTS if known >= 4 else 0, SIGNALS_AND_SOCKETS if known >= 6 else 0)
    size = 8 if known < 4 else 16 if known < 6 else 24
    rules = syscall("Landlock", CREATE_RULESET, ctypes.create_string_buffer(head), size, 0)
    _allow(rules, "/", EXECUTE | READ_FILE | READ_DIR)
    for path in writable:
        _allow(rules, path, rights & ~EXECUTE)
    for path in devices:
        _allow(rules, path, rights & (READ_FILE | WRITE_FILE | TRUNCATE | IOCTL))
    syscall("Landlock", RESTRICT_SELF, rules, 0)
    os.close(rules)
    return True


def _allow(rules: int, path: str, rights: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, place))
    syscall("Landlock", ADD_RULE, rules, BENEATH_A_PATH, rule, 0)
    os.close(place)


__all__ = ["restrict", "version"]
