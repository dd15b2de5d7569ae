"""From the configuration to open folders."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from functools import partial

from ares_core import ConfigError, Host, ToolError
from ares_plugin_file_sandbox.access import Sandbox
from ares_plugin_file_sandbox.beneath import Beneath, find_openat2
from ares_plugin_file_sandbox.roots import Root, Roots
from ares_plugin_file_sandbox.settings import Settings
from ares_plugin_file_sandbox.walk import Walk

PRIVATE = "a temporary folder of this process's own (the key is empty)"
_sandboxes: weakref.WeakKeyDictionary[Host, Sandbox] = weakref.WeakKeyDictionary()


def sandbox_of(host: Host) -> Sandbox:
    """Give the access of one Ares: the same whenever it is asked for, so that a temporary folder stays the same."""
    sandbox = _sandboxes.get(host)
    if sandbox is None:
        folder, settings = host.settings.tools.file_sandbox_dir, host.config
        sandbox = _sandboxes[host] = Sandbox(lambda: _start(folder, settings))
        host.on_close(sandbox.close)
    return sandbox


def _start(folder: str, settings: Settings) -> Walk:
    try:
        return choose_way(open_roots(folder, settings))
    except ConfigError as error:
        raise ToolError(f"{error}; nothing was read or changed", blame="world") from None


def choose_way(roots: Roots) -> Walk:
    """Take the kernel's way where there is one; closed names have to be seen one by one."""
    openat2 = None if roots.has_closed_names else find_openat2()
    return Walk(roots) if openat2 is None else Beneath(roots, openat2)


def open_roots(folder: str, settings: Settings) -> Roots:
    """Open every folder that the configuration names; a temporary one if it names none."""
    if os.open not in os.supports_dir_fd:
        raise ToolError("the file sandbox needs a system that opens files beneath a folder (POSIX)", blame="world")
    roots = [Root(folder.strip())] if folder.strip() else []
    roots += [Root(root.path, is_writable=root.is_writable, key="file_sandbox.roots") for root in settings.roots]
    if roots:
        return Roots(roots, settings.deny, hard_links=settings.allow_hard_links)
    path = tempfile.mkdtemp(prefix="ares-files-")
    private = [Root(path, label=PRIVATE)]
    return Roots(
        private, settings.deny, hard_links=settings.allow_hard_links, remove=partial(_remove, path, os.getpid())
    )


def _remove(path: str, process: int) -> None:
    """Remove a temporary folder; a fork leaves its parent's alone."""
    if os.getpid() == process:
        shutil.rmtree(path, ignore_errors=True)


__all__ = ["choose_way", "open_roots", "sandbox_of"]
