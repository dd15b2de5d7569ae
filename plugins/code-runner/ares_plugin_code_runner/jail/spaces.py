"""The first wall: namespaces of its own, with a tree of files that holds the interpreter and one empty folder.

No user, process, host name, network or mount of the machine is left to be seen.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import struct
from typing import Any, NoReturn

from .libc import AT_FDCWD, MOUNT_SETATTR, PR_SET_PDEATHSIG, WallError, mount, prctl, syscall, unmount, unshare

NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET = (
    0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000,
)  # fmt: skip
ALL_BUT_USER = NEWNS | NEWCGROUP | NEWUTS | NEWIPC | NEWPID | NEWNET
RDONLY, NOSUID, NODEV, NOEXEC, BIND, REC, PRIVATE = 1, 2, 4, 8, 0x1000, 0x4000, 0x40000
DETACH = 2
AT_RECURSIVE = 0x8000
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
DEVICES = ("null", "zero", "random", "urandom")
NOBODY = 65534
OWN = "/tmp"  # noqa: S108


def enter(request: dict[str, Any]) -> tuple[int, int] | None:
    """Go on in namespaces of its own; gives the user and group to become, if root has to give up its rights.

    The process that was started stays outside, waits, and ends as the one inside ends. That one dies with it.
    """
    owner = _leave()
    alive, held = os.pipe()
    inner = os.fork()
    if inner:
        os.close(alive)
        _wait(inner, request["seconds"])
    os.close(held)
    os.setsid()
    die_with_parent()
    if select.select([alive], [], [], 0)[0]:
        os._exit(1)
    os.close(alive)
    _build(request, owner or (os.getuid(), os.getgid()))
    return owner


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent ends; a change of user takes that back."""
    prctl("a bond to the parent", PR_SET_PDEATHSIG, signal.SIGKILL)


def _leave() -> tuple[int, int] | None:
    """Unshare everything; root does it by its rights and then gives them up, others by a user namespace."""
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        try:
            unshare(ALL_BUT_USER)
        except WallError:  # root of a container has no such rights
            pass
        else:
            return _stranger()
    unshare(ALL_BUT_USER | NEWUSER)
    for name, text in (("setgroups", "deny"), ("gid_map", f"{group or NOBODY} {group} 1"), ("uid_map", f"{user or NOBODY} {user} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)
    return None


def _stranger() -> tuple[int, int]:
    """Give a user that nobody else is, so that limits by user count this run alone; nobody if there is no room."""
    with open("/proc/self/uid_map", encoding="ascii") as file:
        room = sum(int(line.split()[2]) for line in file)
    number = 1_000_000_000 + int.from_bytes(os.urandom(3), "big") if room > 2_000_000_000 else NOBODY
    return number, number


def _wait(inner: int, seconds: float) -> NoReturn:
    """Wait for the process inside, within bounds, and end as it did."""
    os.closerange(0, 256)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    if os.waitpid(inner, os.WNOHANG)[0] == 0 and signal.sigtimedwait({signal.SIGCHLD}, seconds) is None:
        os.kill(inner, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(inner, 0)[1])
    os._exit(code if code >= 0 else 128 - code)


def _build(request: dict[str, Any], owner: tuple[int, int]) -> None:
    """Make the tree: what the interpreter needs, read-only, four devices, and one folder of limited size."""
    mount("", "/", "", REC | PRIVATE)
    mount("tmpfs", OWN, "tmpfs", NOSUID | NODEV, "mode=755,size=1m")
    os.chdir(OWN)
    os.mkdir("old")
    syscall("a root of its own", PIVOT_ROOT[os.uname().machine], _text("."), _text("old"))
    os.chdir("/")
    for path in request["readable"]:
        _show(path)
    for path in request["hidden"]:
        _hide(path)
    os.mkdir("/dev")
    for name in DEVICES:
        _bind(f"/dev/{name}")
    os.mkdir(OWN)
    options = f"mode=700,size={request['folder_bytes']},nr_inodes={request['folder_files']},uid={owner[0]},gid={owner[1]}"
    mount("tmpfs", OWN, "tmpfs", NOSUID | NODEV | NOEXEC, options)
    unmount("/old", DETACH)
    os.rmdir("/old")
    _protect("/", recursive=False)
    os.sethostname_ = None
