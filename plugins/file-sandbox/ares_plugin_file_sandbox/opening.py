"""From the configuration to open folders."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from ares_core import ConfigError, ToolError
from ares_plugin_file_sandbox.access import Sandbox
from ares_plugin_file_sandbox.beneath import Beneath, find_openat2
from ares_plugin_file_sandbox.paths import KEY
from ares_plugin_file_sandbox.roots import Root, Roots
from ares_plugin_file_sandbox.settings import checked
from ares_plugin_file_sandbox.walk import Walk

PRIVATE = "a temporary folder of this process's own (the key is empty)"
OnClose = Callable[[Callable[[], None]], None]


def open_sandbox(folder: str, section: Mapping[str, Any], on_close: OnClose) -> Sandbox:
    """Make the access for one Ares; ``folder`` is the core's key, ``section`` the plugin's own."""

    def start() -> Walk:
        try:
            return choose_way(open_roots(folder, section, on_close))
        except ConfigError as error:
            raise ToolError(f"{error}; nothing was read or changed", blame="world") from None

    sandbox = Sandbox(start)
    on_close(sandbox.close)
    return sandbox


def choose_way(roots: Roots) -> Walk:
    """Take the kernel's way where there is one; closed names have to be seen one by one."""
    openat2 = None if roots.has_closed_names else find_openat2()
    return Walk(roots) if openat2 is None else Beneath(roots, openat2)


def open_roots(folder: str, section: Mapping[str, Any], on_close: OnClose) -> Roots:
    """Open every folder that the configuration names; a temporary one if it names none."""
    if os.open not in os.supports_dir_fd:
        raise ToolError("the file sandbox needs a system that opens files beneath a folder (POSIX)", blame="world")
    settings = checked(section)
    roots = [Root(folder.strip())] if folder.strip() else []
    roots += [Root(root.path, is_writable=root.is_writable, key="file_sandbox.roots") for root in settings.roots]
    is_private = not roots
    if is_private:
        roots = [Root(_temporary(on_close), label=PRIVATE)]
    return Roots(roots, settings.deny, hard_links=settings.allow_hard_links, is_private=is_private)


def _temporary(on_close: OnClose) -> str:
    """Make a folder that only this user can enter, and that goes when Ares closes, but not when a fork of it does."""
    import shutil
    import tempfile

    path, process = tempfile.mkdtemp(prefix="ares-files-"), os.getpid()

    def remove() -> None:
        if os.getpid() == process:
            with suppress(OSError):
                shutil.rmtree(path)

    on_close(remove)
    return path


__all__ = ["KEY", "choose_way", "open_roots", "open_sandbox"]
