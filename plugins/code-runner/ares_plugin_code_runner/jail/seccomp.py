"""The third wall: a filter that the kernel runs on every system call.

It takes away new processes, sockets, other processes' memory, and all memory that no limit counts. Threads stay.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

from ares_plugin_code_runner.jail.libc import PR_SET_PDEATHSIG, PR_SET_SECCOMP, prctl

FILTER = 2
LOAD, EQUAL, ANY_BIT, ANSWER, AND = 0x20, 0x15, 0x45, 0x06, 0x54
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
NUMBER, MACHINE, FIRST, FOURTH = 0, 4, 16, 40
"""Where these stand in what the filter is shown: the call, the machine, its arguments' low halves."""
CLONE_THREAD = 0x10000
SHARED, ANONYMOUS = 1, 0x20
X32 = 0x40000000
ABSENT = -1

CALLS = {
    "fork": (57, ABSENT), "vfork": (58, ABSENT), "ptrace": (101, 117), "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271), "kcmp": (312, 272), "pidfd_getfd": (438, 438), "mount": (165, 40),
    "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "open_tree": (428, 428),
    "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432),
    "fspick": (433, 433), "mount_setattr": (442, 442), "open_by_handle_at": (304, 265), "unshare": (272, 97),
    "setns": (308, 268), "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "memfd_create": (319, 279),
    "memfd_secret": (447, 447), "shmget": (29, 194), "shmat": (30, 196), "msgget": (68, 186), "semget": (64, 190),
    "mq_open": (240, 180), "socket": (41, 198), "personality": (135, 92),
}  # fmt: skip
"""System calls that are refused whatever their arguments, and their numbers on x86-64 and 64-bit ARM."""
CLONE, CLONE3, PRCTL, MMAP = (56, 220), (435, 435), (157, 167), (9, 222)
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}


def restrict() -> None:
    """Put the filter in place, for this process and all that come of it."""
    program = _program(os.uname().machine)
    code = ctypes.create_string_buffer(program)
    whole = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(code)))
    prctl("seccomp", PR_SET_SECCOMP, FILTER, ctypes.addressof(whole))


def _program(machine: str) -> bytes:
    """Write the filter for a machine.

    >>> len(_program("x86_64")) // 8 < 256
    True
    """
    column, sign = MACHINES[machine]
    allow, uncounted = _answer(ALLOW), SHARED | ANONYMOUS
    refused = sorted(numbers[column] for numbers in CALLS.values() if numbers[column] != ABSENT)
    return b"".join(
        (
            _load(MACHINE), _unless_equal(sign, _answer(KILL)),
            _load(NUMBER), _when_bit(X32, _answer(KILL)) if machine == "x86_64" else b"",
            *(_when_equal(number, _refuse(errno.EPERM)) for number in refused),
            _when_equal(CLONE3[column], _refuse(errno.ENOSYS)),
            _when_equal(CLONE[column], _load(FIRST) + _when_bit(CLONE_THREAD, allow) + _refuse(errno.EPERM)),
            _when_equal(PRCTL[column], _load(FIRST) + _when_equal(PR_SET_PDEATHSIG, _refuse(errno.EPERM)) + allow),
            _when_equal(MMAP[column], _load(FOURTH) + _mask(uncounted) + _when_equal(uncounted, _refuse(errno.ENOMEM))),
            allow,
        )
    )  # fmt: skip


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)


def _load(place: int) -> bytes:
    return _step(LOAD, place)


def _mask(bits: int) -> bytes:
    return _step(AND, bits)


def _answer(value: int) -> bytes:
    return _step(ANSWER, value)


def _refuse(error: int) -> bytes:
    return _answer(REFUSE | error)


def _when_equal(value: int, steps: bytes) -> bytes:
    return _step(EQUAL, value, 0, len(steps) // 8) + steps


def _unless_equal(value: int, steps: bytes) -> bytes:
    return _step(EQUAL, value, len(steps) // 8, 0) + steps


def _when_bit(bit: int, steps: bytes) -> bytes:
    return _step(ANY_BIT, bit, 0, len(steps) // 8) + steps


__all__ = ["restrict"]
