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

from ares_plugin_code_runner.jail import libc
from ares_plugin_code_runner.jail.libc import WallError, mount, unmount

NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET = (
    0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000,
)  # fmt: skip
ALL_BUT_USER = NEWNS | NEWCGROUP | NEWUTS | NEWIPC | NEWPID | NEWNET
RDONLY, NOSUID, NODEV, NOEXEC, BIND, REC, PRIVATE = 1, 2, 4, 8, 0x1000, 0x4000, 0x40000
DETACH = 2
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE = 442, -100, 0x8000
DEVICES = ("null", "zero", "random", "urandom")
NOBODY = 65534
FOLDER = "/tmp"  # noqa: S108 - a file system of the snippet's own stands there
OLD = "/old"


def enter(request: dict[str, Any]) -> tuple[int, int] | None:
    """Go on in namespaces of its own; gives the user and group to become, if root has to give up its rights.

    The process that was started stays outside, waits, and ends as the one inside ends. That one dies with it, and it
    dies with us.
    """
    stranger = _leave()
    alive, held = os.pipe()
    inner = os.fork()
    if inner:
        os.close(alive)
        _wait(inner, request["seconds"], request["host"])
    os.close(held)
    os.setsid()
    die_with_parent()
    if select.select([alive], [], [], 0)[0]:
        os._exit(1)
    os.close(alive)
    _build(request, stranger or (os.getuid(), os.getgid()))
    return stranger


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent ends; a change of user takes that back."""
    libc.prctl("a bond to the parent", libc.PR_SET_PDEATHSIG, signal.SIGKILL)


def _leave() -> tuple[int, int] | None:
    """Unshare everything: root by its own rights, which it then gives up, others by a user namespace."""
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        try:
            libc.unshare(ALL_BUT_USER)
        except WallError:  # root of a container may lack the right
            pass
        else:
            return _stranger()
    libc.unshare(ALL_BUT_USER | NEWUSER)
    _tell_kernel("setgroups", "deny")
    _tell_kernel("gid_map", f"{group or NOBODY} {group} 1")
    _tell_kernel("uid_map", f"{user or NOBODY} {user} 1")
    return None


def _tell_kernel(name: str, text: str) -> None:
    with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
        file.write(text)


def _stranger() -> tuple[int, int]:
    """Give a user that nobody else is, so that limits by user count this run alone; nobody if there is no room."""
    with open("/proc/self/uid_map", encoding="ascii") as file:
        room = sum(int(line.split()[2]) for line in file)
    number = 1_000_000_000 + int.from_bytes(os.urandom(3), "big") if room > 2_000_000_000 else NOBODY
    return number, number


def _wait(inner: int, seconds: float, host: int) -> NoReturn:
    """Wait for the process inside, within bounds, and end as it did; told to end, or left alone, end it first."""
    die_with_parent()
    if os.getppid() != host:
        os._exit(1)
    awaited = {signal.SIGCHLD, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
    os.closerange(0, 3)
    done, status = os.waitpid(inner, os.WNOHANG)
    if not done:
        told = signal.sigtimedwait(awaited, seconds)
        if told is None or told.si_signo == signal.SIGTERM:
            os.kill(inner, signal.SIGKILL)
        status = os.waitpid(inner, 0)[1]
    code = os.waitstatus_to_exitcode(status)
    os._exit(code if code >= 0 else 128 - code)


def _build(request: dict[str, Any], owner: tuple[int, int]) -> None:
    """Make the tree: what the interpreter needs, read-only, four devices, and one folder of limited size."""
    mount("", "/", "", REC | PRIVATE)
    mount("tmpfs", FOLDER, "tmpfs", NOSUID | NODEV, "mode=755,size=1m")
    os.chdir(FOLDER)
    os.mkdir(OLD[1:])
    libc.syscall("a root of its own", PIVOT_ROOT[os.uname().machine], _text("."), _text(OLD[1:]))
    os.chdir("/")
    for path in request["readable"]:
        _show(path)
    for path in request["hidden"]:
        if os.path.isdir(path):
            mount("tmpfs", path, "tmpfs", RDONLY | NOSUID | NODEV, "mode=755,size=4k")
    for name in DEVICES:
        _bind(f"/dev/{name}")
    os.mkdir(FOLDER)
    size = f"size={request['folder_bytes']},nr_inodes={request['folder_files']}"
    mount("tmpfs", FOLDER, "tmpfs", NOSUID | NODEV | NOEXEC, f"mode=700,{size},uid={owner[0]},gid={owner[1]}")
    unmount(OLD, DETACH)
    os.rmdir(OLD)
    _protect("/", 0)
    libc.rename_host("sandbox")


def _show(path: str) -> None:
    """Let one path of the machine be seen, read-only; where the machine has a link there is the same link."""
    if os.path.islink(OLD + path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.symlink(os.readlink(OLD + path), path)
    elif os.path.exists(OLD + path):
        _bind(path)
        _protect(path, AT_RECURSIVE)


def _bind(path: str) -> None:
    os.makedirs(path if os.path.isdir(OLD + path) else os.path.dirname(path), exist_ok=True)
    if not os.path.isdir(OLD + path):
        os.close(os.open(path, os.O_CREAT, 0o644))
    mount(OLD + path, path, "", BIND | REC)


def _protect(path: str, how: int) -> None:
    """Take away writing, programs with the rights of others, and devices."""
    change = ctypes.create_string_buffer(struct.pack("=4Q", RDONLY | NOSUID | NODEV, 0, 0, 0))
    libc.syscall(f"protecting {path}", MOUNT_SETATTR, AT_FDCWD, _text(path), how, change, 32)


def _text(text: str) -> ctypes.Array[ctypes.c_char]:
    return ctypes.create_string_buffer(os.fsencode(text))


__all__ = ["FOLDER", "die_with_parent", "enter"]
