"""The engines that run full languages, CPython and Node, in a child that the operating system walls in."""

from __future__ import annotations

import glob
import os
import platform
import shutil
import sys
from collections.abc import Callable
from typing import Any

from ares_core import ToolError
from ares_plugin_code_runner import child
from ares_plugin_code_runner.ran import FASTER, LESS, TOO_MUCH, Ran, kept, too_slow
from ares_plugin_code_runner.settings import Settings

HERE = os.path.dirname(os.path.abspath(__file__))
START = (
    "import sys, types; package = types.ModuleType('ares_plugin_code_runner'); package.__path__ = [sys.argv[1]]; "
    "sys.modules[package.__name__] = package; from ares_plugin_code_runner.jail.start import main; main()"
)
"""Loads the files of ``jail`` without this package and Ares around them."""
LIBRARIES = ("/usr/lib", "/usr/lib32", "/usr/lib64", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store")
DATA = ("/etc/ld.so.cache", "/usr/share/zoneinfo")
INSTALLED = ("python*/site-packages", "python*/dist-packages", "node_modules")
"""Folders below the libraries that hold what was installed for other work; the snippet doesn't see them."""
MACHINES = ("x86_64", "aarch64")
MEGABYTE = 1_048_576
FILES, PROCESSES, FOLDER_FILES = 256, 48, 2_000
LONGEST_STACK = 4 * MEGABYTE
Cancelled = Callable[[], bool]


def run(engine: str, code: str, until: float, settings: Settings, cancelled: Cancelled) -> Ran:
    """Run a snippet with ``cpython`` or ``node``; raises ``ToolError`` where it can't be walled in."""
    command, file = (_cpython if engine == "cpython" else _node)(settings)
    request = _request(command, file, code, settings)
    reasons = []
    for name, launch in _ways(settings):
        outcome = child.run(launch(request), request | {"own_namespaces": name == "namespaces"}, until, settings.output_kb * 1024, cancelled)
        if "ready" in outcome.reports:
            return _ran(engine, outcome, (name, *outcome.reports["ready"]), settings)
        if outcome.stopped:
            raise ToolError(too_slow(settings.seconds) + " before it had started.", blame="world")
        reasons.append(f"{name}: {outcome.reports.get('refused') or kept(outcome.stderr, 300)[0].strip()}")
    raise _unavailable(engine, "; ".join(reasons))
