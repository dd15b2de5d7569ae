"""The definitions of tools as they were when a server was first used, kept in the user's state folder.

A definition tells a model what to do, so a server that changes one later could give it orders. What changes is
withheld until the operator agrees.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from ares_plugin_mcp.client.configured import Server

Definition = dict[str, Any]
"""A tool as its server lists it."""
BINDING = ("description", "inputSchema", "outputSchema", "annotations")
"""The parts of a definition that say what the tool does and takes."""


class Pins:
    """What is known of one server: the pinned definitions, which of them it listed last, and what became of others."""

    def __init__(self, server: Server) -> None:
        self.path = os.path.join(state_folder(), _file_name(server))
        known = _read(self.path)
        self.pinned: dict[str, Definition] = known.get("tools", {})
        self.listed: list[str] = known.get("listed", [])
        self.changed: dict[str, Definition] = known.get("changed", {})
        self.is_new = not known
        self.trouble = ""

    def offered(self) -> list[Definition]:
        """Give the definitions that count, in the server's order."""
        return [self.pinned[name] for name in self.listed if name in self.pinned and name not in self.changed]

    def compare(self, listed: Iterable[Definition]) -> None:
        """Take in what the server lists now: what is new is pinned, what became other is withheld."""
        before = (list(self.listed), dict(self.changed), len(self.pinned), self.is_new)
        self.listed, self.changed = [], {}
        for definition in listed:
            name = definition["name"]
            self.listed.append(name)
            known = self.pinned.setdefault(name, definition)
            if _binding(known) != _binding(definition):
                self.changed[name] = definition
        self.is_new = False
        if before != (self.listed, self.changed, len(self.pinned), False):
            self._write()

    def trust(self, names: Iterable[str]) -> None:
        """Agree to the definitions that these tools have now."""
        for name in names:
            if name in self.changed:
                self.pinned[name] = self.changed.pop(name)
        self._write()

    def forget(self) -> None:
        """Know nothing any more."""
        with suppress(OSError):
            os.remove(self.path)

    def _write(self) -> None:
        content = {"tools": self.pinned, "listed": self.listed, "changed": self.changed}
        try:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=os.path.dirname(self.path))
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(content, file)
            os.replace(name, self.path)
        except OSError as error:
            self.trouble = f"{self.path} can't be written ({error.strerror}), so changed tools are not noticed later"


def what_changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Name the parts of a definition that differ.

    >>> what_changed({"description": "a"}, {"description": "b"})
    ['description']
    """
    return [part for part in BINDING if before.get(part) != after.get(part)]


def state_folder() -> str:
    """Give the folder of what is remembered between runs."""
    variable = "LOCALAPPDATA" if sys.platform == "win32" else "XDG_STATE_HOME"
    base = os.environ.get(variable, "")
    # A relative path would move with the working folder, where an agent may be able to write.
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(base, "ares", "mcp")


def _file_name(server: Server) -> str:
    """Another command or address under the same name is another server."""
    target = json.dumps([server.name, server.command, server.args, server.url])
    readable = re.sub(r"[^A-Za-z0-9_-]", "_", server.name)[:40]
    return f"{readable}-{hashlib.sha256(target.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}.json"


def _read(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            known = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    whole = isinstance(known, dict) and isinstance(known.get("tools"), dict) and isinstance(known.get("listed"), list)
    return known if whole and isinstance(known.get("changed"), dict) else {}


def _binding(definition: Mapping[str, Any]) -> str:
    return json.dumps([definition.get(part) for part in BINDING], sort_keys=True)
