"""The child's own start: read what to run, put up the walls, say so, and become the interpreter."""

from __future__ import annotations

import json
import os
import resource
import sys
from typing import Any

from ares_plugin_code_runner.jail import landlock, seccomp, spaces
from ares_plugin_code_runner.jail.libc import PR_SET_NO_NEW_PRIVS, WallError, prctl


def main() -> None:
    """Run; the number of the descriptor to report to is the last argument."""
    report = int(sys.argv[-1])
    os.set_inheritable(report, False)
    try:
        request = json.loads(sys.stdin.buffer.read())
        stranger = spaces.enter(request) if request["own_namespaces"] else None
        _say(report, {"ready": _confine(request, stranger)})
        os.execve(request["command"][0], request["command"], {})  # noqa: S606 - becoming it is the point
    except (WallError, OSError, ValueError, KeyError) as error:
        _say(report, {"refused": str(error)})
        os._exit(1)


def _say(report: int, message: dict[str, Any]) -> None:
    os.write(report, json.dumps(message).encode() + b"\n")


def _confine(request: dict[str, Any], stranger: tuple[int, int] | None) -> list[str]:
    """Put up all the other walls; gives their names."""
    os.chdir(spaces.FOLDER)
    for name, value in request["limits"].items():
        _limit(getattr(resource, name), value)
    if stranger:
        os.setgroups([])
        os.setresgid(stranger[1], stranger[1], stranger[1])
        os.setresuid(stranger[0], stranger[0], stranger[0])
        spaces.die_with_parent()
    with open(request["file"], "w", encoding="utf-8", errors="replace") as file:
        file.write(request["code"])
    os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
    prctl("giving up new rights", PR_SET_NO_NEW_PRIVS, 1)
    has_landlock = landlock.restrict([spaces.FOLDER], [f"/dev/{name}" for name in spaces.DEVICES])
    seccomp.restrict()
    return [*(["Landlock"] if has_landlock else []), "seccomp", "rlimits"]


def _limit(kind: int, value: int) -> None:
    """Lower a limit; one that is lower already stays."""
    hard = resource.getrlimit(kind)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (value, value))


__all__ = ["main"]
