"""Where configuration and state lie on this machine."""

from __future__ import annotations

import os
import sys

from ares_core.errors import ConfigError

FILE = "ares.yaml"


def config_dir() -> str:
    """The folder of the user's configuration: ``$XDG_CONFIG_HOME/ares`` or ``~/.config/ares``."""
    return _folder("XDG_CONFIG_HOME", os.path.join("~", ".config"), "APPDATA")


def state_dir() -> str:
    """The folder of what Ares remembers: ``$XDG_STATE_HOME/ares`` or ``~/.local/state/ares``."""
    return _folder("XDG_STATE_HOME", os.path.join("~", ".local", "state"), "LOCALAPPDATA")


def user_file() -> str | None:
    """The user's configuration file, if there is one."""
    try:
        path = os.path.join(config_dir(), FILE)
    except ConfigError:
        return None
    return path if os.path.isfile(path) else None


def project_file(start: str | None = None) -> str | None:
    """The project's configuration file: in the working folder, or in one above it.

    The search ends at the folder that holds ``.git`` and never climbs into the home folder, where a file would
    hold for everything below it.
    """
    home, folder = os.path.expanduser("~"), os.path.abspath(start or os.getcwd())
    while True:
        found = _in_folder(folder)
        above = os.path.dirname(folder)
        if found or os.path.exists(os.path.join(folder, ".git")) or above in (folder, home):
            return found
        folder = above


def _in_folder(folder: str) -> str | None:
    for name in (FILE, "pyproject.toml"):
        path = os.path.join(folder, name)
        if os.path.isfile(path) and (name == FILE or _mentions_ares(path)):
            return path
    return None


def _mentions_ares(path: str) -> bool:
    """Whether a ``pyproject.toml`` has the table, without parsing files of other projects."""
    try:
        with open(path, "rb") as file:
            return any(line.lstrip().startswith((b"[tool.ares]", b"[tool.ares.", b"tool.ares.")) for line in file)
    except OSError:
        return False


def _folder(variable: str, default: str, windows: str) -> str:
    base = os.environ.get(windows if sys.platform == "win32" else variable, "")
    # A relative path would move with the working folder, where an agent may be able to write.
    if not os.path.isabs(base):
        base = os.path.expanduser(default)
    if not os.path.isabs(base):
        raise ConfigError(f"there is no home folder for Ares' files; set {variable} to a full path")
    return os.path.join(base, "ares")
