"""Where the file lies when the configuration doesn't say."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ares_plugin_store_sqlite.errors import StoreError

FILE = "ares.db"


def default_path() -> Path:
    r"""Give ``ares.db`` in the folder where this system keeps what a program remembers for its user.

    That is ``$XDG_STATE_HOME/ares`` where the variable is set; otherwise ``%LOCALAPPDATA%\ares`` on Windows,
    ``~/Library/Application Support/ares`` on macOS and ``~/.local/state/ares`` elsewhere.
    """
    candidates = [os.environ.get("XDG_STATE_HOME", ""), *_by_system()]
    for folder in map(os.path.expanduser, candidates):
        # A relative folder would move with the working folder.
        if os.path.isabs(folder):
            return Path(folder, "ares", FILE)
    raise StoreError("there is no home folder for the store; set store_sqlite.path or XDG_STATE_HOME to a full path")


def _by_system() -> list[str]:
    if sys.platform == "win32":
        return [os.environ.get("LOCALAPPDATA", ""), os.path.join("~", "AppData", "Local")]
    if sys.platform == "darwin":
        return [os.path.join("~", "Library", "Application Support")]
    return [os.path.join("~", ".local", "state")]
