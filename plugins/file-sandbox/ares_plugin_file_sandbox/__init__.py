"""The folders that tools may reach: a file access that can't leave them, and an early refusal of calls that would."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from ares_core import Deny, FileAccess, Tool, ToolCall, hookimpl

if TYPE_CHECKING:
    from ares_core import Host

_hosts: list[weakref.ref[Host]] = []
"""One for each open ``Ares``: ``pre_tool_call`` is not told which one asks."""


@hookimpl
def register_tools(host: Host) -> list[Tool]:
    """Bring no tool; take note of the host."""
    reference = weakref.ref(host)
    _hosts.append(reference)
    host.on_close(lambda: _hosts.remove(reference))
    return []


@hookimpl
def open_files(host: Host) -> FileAccess:
    """Give every tool its only way to files."""
    from ares_plugin_file_sandbox.opening import open_sandbox

    return open_sandbox(host.settings.tools.file_sandbox_dir, host.config, host.on_close)


@hookimpl
def pre_tool_call(call: ToolCall) -> Deny | None:
    """Refuse a call that names a file outside; with several ``Ares`` in one process, outside of all their folders.

    This is the early word. The last one has the file access, which belongs to one ``Ares`` alone.
    """
    if call.effects is None or not call.effects.resources:
        return None
    from ares_plugin_file_sandbox.guard import refusal_of

    reason: str | None = None
    for reference in tuple(_hosts):
        host = reference()
        if host is not None:
            reason = refusal_of(call, host)
            if reason is None:
                return None
    return None if reason is None else Deny(reason)
