"""Where the interpreters are, and what of the machine they need to see."""

from __future__ import annotations

import glob
import os
import re
import shutil
import sys
from functools import cache

from msgspec import Struct

from ares_core import ToolError

LIBRARIES = ("/usr/lib", "/usr/lib32", "/usr/lib64", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store")
DATA = ("/etc/ld.so.cache", "/usr/share/zoneinfo")
INSTALLED = ("python*/site-packages", "python*/dist-packages", "node_modules")
"""Below the libraries, what was installed for other work; a snippet doesn't see it."""
ES_MODULE = re.compile(r"^(?:import|export)[\s{*\"']", re.MULTILINE)


class Interpreter(Struct, frozen=True):
    """A program, and the paths that it may read: all the other files of the machine are not there for it."""

    program: str
    readable: tuple[str, ...]
    hidden: tuple[str, ...]


def own_python() -> str:
    """Give the interpreter that runs us, not the one of a virtual environment, which leads to installed packages."""
    return os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)


@cache
def cpython() -> Interpreter:
    """Describe the CPython that runs us, with its standard library and nothing that was installed."""
    home = os.path.realpath(sys.base_prefix)
    return _described(own_python(), (f"{home}/lib", f"{home}/lib64", os.path.dirname(os.path.realpath(os.__file__))))


def node() -> Interpreter:
    """Describe the Node that is found on the search path."""
    found = shutil.which("node")
    if found is None:
        raise ToolError(
            "JavaScript is run by Node, and no program 'node' is on the search path; nothing was run.",
            hint="Use Python, or let the operator install Node.",
            blame="world",
        )
    return _described(os.path.realpath(found), ())


@cache
def _described(program: str, libraries: tuple[str, ...]) -> Interpreter:
    folders = [path for path in (*LIBRARIES, *libraries) if os.path.exists(path)]
    readable = [*folders, *(path for path in DATA if os.path.exists(path)), program]
    outermost = [path for path in dict.fromkeys(readable) if not any(path.startswith(f"{f}/") for f in folders)]
    hidden = [found for folder in folders for pattern in INSTALLED for found in glob.glob(f"{folder}/{pattern}")]
    return Interpreter(program, tuple(sorted(outermost)), tuple(sorted({os.path.realpath(path) for path in hidden})))


def command(engine: str, code: str, memory_mb: int) -> tuple[Interpreter, list[str]]:
    """Give the interpreter of an engine, and the command that runs a snippet; its last word is the file to write."""
    if engine == "cpython":
        python = cpython()
        return python, [python.program, "-I", "-B", "-u", "-X", "utf8", "main.py"]
    javascript = node()
    file = "main.mjs" if ES_MODULE.search(code) else "main.js"
    return javascript, [javascript.program, f"--max-old-space-size={memory_mb * 6 // 10}", file]


__all__ = ["Interpreter", "command", "cpython", "node", "own_python"]
