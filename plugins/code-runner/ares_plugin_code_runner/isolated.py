"""The engines that run a full language, CPython and Node, in a child that the operating system walls in."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from collections.abc import Iterator
from typing import Any

from ares_core import ToolError
from ares_plugin_code_runner import child, interpreters
from ares_plugin_code_runner.interpreters import Interpreter
from ares_plugin_code_runner.ran import FASTER, LESS, TOO_MUCH, Ran, Terms, kept, too_slow
from ares_plugin_code_runner.settings import Settings

HERE = os.path.dirname(os.path.abspath(__file__))
START = (
    "import sys, types; package = types.ModuleType('ares_plugin_code_runner'); package.__path__ = [sys.argv[1]]; "
    "sys.modules[package.__name__] = package; from ares_plugin_code_runner.jail.start import main; main()"
)
"""Loads the files of ``jail`` without this package's own start, and Ares, around them."""
MACHINES = ("x86_64", "aarch64")
MEGABYTE = 1_048_576
FOLDER_FILES = 2_000
FIXED = {
    "RLIMIT_NOFILE": 256, "RLIMIT_NPROC": 48, "RLIMIT_CORE": 0, "RLIMIT_STACK": 4 * MEGABYTE, "RLIMIT_MEMLOCK": 0,
    "RLIMIT_MSGQUEUE": 0,
}  # fmt: skip
ERROR = re.compile(r"[\w.]{0,100}(?:Error|Exception)\b")
Way = tuple[str, list[str]]


def run(engine: str, code: str, terms: Terms, settings: Settings) -> Ran:
    """Run a snippet with ``cpython`` or ``node``; raises ``ToolError`` where it can't be walled in."""
    _check_machine(engine)
    interpreter, command = interpreters.command(engine, code, settings.memory_mb)
    request = _request(interpreter, command, code, settings)
    reasons = []
    for way, launcher in _ways(interpreter, settings):
        try:
            outcome = child.run(launcher, request | {"own_namespaces": way == "namespaces"}, terms)
        except OSError as error:
            reasons.append(f"{way}: {error.strerror or error}")
            continue
        if outcome.stopped == "cancelled":
            raise ToolError("Nobody waits for the code any more; it was stopped.", blame="world")
        if "ready" in outcome.reports and "refused" not in outcome.reports:
            return _ran(engine, outcome, (way, *outcome.reports["ready"]), terms, settings)
        reasons.append(f"{way}: {outcome.reports.get('refused') or _last_line(outcome.stderr) or 'too slow to start'}")
    raise _refusal(engine, "; ".join(reasons))


def _check_machine(engine: str) -> None:
    if sys.platform != "linux" or platform.machine() not in MACHINES or sys.maxsize < 2**32:
        raise _refusal(engine, f"it needs Linux on x86-64 or 64-bit ARM, and this is {platform.platform(terse=True)}")


def _refusal(engine: str, reason: str) -> ToolError:
    return ToolError(
        f"{engine} runs only behind walls of the operating system, and they can't be put up here: {reason}. "
        "Nothing was run.",
        hint="Use the engine monty for Python, or let the operator install bubblewrap or allow user namespaces.",
        blame="world",
    )


def _request(interpreter: Interpreter, command: list[str], code: str, settings: Settings) -> dict[str, Any]:
    size = settings.folder_mb * MEGABYTE
    seconds = int(settings.seconds) + 1
    limits = {"RLIMIT_DATA": settings.memory_mb * MEGABYTE, "RLIMIT_CPU": seconds, "RLIMIT_FSIZE": size, **FIXED}
    return {
        "command": command, "file": command[-1], "code": code, "seconds": seconds + 1, "limits": limits,
        "readable": interpreter.readable, "hidden": interpreter.hidden, "folder_bytes": size,
        "folder_files": FOLDER_FILES, "host": os.getpid(),
    }  # fmt: skip


def _ways(interpreter: Interpreter, settings: Settings) -> Iterator[Way]:
    """Give the ways to namespaces that the settings allow, the better first, each with what starts it."""
    python = [interpreters.own_python(), "-I", "-S", "-B", "-c", START]
    bubblewrap = shutil.which("bwrap") if settings.isolation != "namespaces" else None
    if bubblewrap:
        yield "bubblewrap", [bubblewrap, *_walls(interpreter, settings), *python, "/jail"]
    elif settings.isolation == "bubblewrap":
        raise ToolError(
            "code_runner.isolation is bubblewrap, and no program 'bwrap' is on the search path; nothing was run.",
            hint="Let the operator install bubblewrap, or set code_runner.isolation to auto.",
            blame="world",
        )
    if settings.isolation != "bubblewrap":
        yield "namespaces", [*python, HERE]


def _walls(interpreter: Interpreter, settings: Settings) -> list[str]:
    """Give the arguments of bubblewrap for the same tree that ``jail.spaces`` makes."""
    user = ["--unshare-user", "--uid", "65534", "--gid", "65534"] if os.geteuid() == 0 else ["--unshare-user-try"]
    python = interpreters.cpython()
    shown = dict.fromkeys((*interpreter.readable, *python.readable))
    words = [*user, "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    words += ["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "sandbox"]
    for path in shown:
        words += ["--symlink", os.readlink(path), path] if os.path.islink(path) else ["--ro-bind", path, path]
    for path in dict.fromkeys((*interpreter.hidden, *python.hidden)):
        words += ["--tmpfs", path, "--remount-ro", path]
    for name in ("null", "zero", "random", "urandom"):
        words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    words += ["--ro-bind", HERE, "/jail", "--size", str(settings.folder_mb * MEGABYTE), "--tmpfs", "/tmp"]  # noqa: S108 - in the jail
    return [*words, "--remount-ro", "/", "--"]


def _ran(engine: str, outcome: child.Outcome, isolation: tuple[str, ...], terms: Terms, settings: Settings) -> Ran:
    stdout, out_is_cut = kept(outcome.stdout, terms.keep)
    stderr, err_is_cut = kept(outcome.stderr, terms.keep)
    ran = Ran(engine, stdout, stderr, isolation=isolation, is_cut={"stdout": out_is_cut, "stderr": err_is_cut})
    if outcome.stopped == "deadline":
        ran.failure, ran.hint = too_slow(terms.seconds), FASTER
    elif outcome.stopped == "output":
        ran.failure, ran.hint = TOO_MUCH, LESS
    else:
        ran.exit_code = outcome.exit_code
        ran.failure = _failure(outcome, settings)
    return ran


def _failure(outcome: child.Outcome, settings: Settings) -> str:
    code = outcome.exit_code
    if code == 0:
        return ""
    if code in (137, 152, -9):
        return (
            "The code was killed by the system, most likely because it used up its memory "
            f"({settings.memory_mb} MB) or its processor time"
        )
    reason = _last_line(outcome.stderr)
    return f"The code ended with exit code {code}" + (f": {reason}" if reason else "")


def _last_line(stderr: bytes) -> str:
    """Give the line that says what went wrong: the last one that names an error, or the last."""
    lines = [line.strip()[:300] for line in stderr[-8_000:].decode("utf-8", "replace").splitlines() if line.strip()]
    named = [line for line in lines if ERROR.match(line)]
    return (named or lines or [""])[-1]


__all__ = ["run"]
