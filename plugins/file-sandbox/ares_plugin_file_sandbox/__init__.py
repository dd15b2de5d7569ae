"""The folders that tools may reach: a file access that can't leave them, and an early refusal of calls that would."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING

from ares_core import Deny, FileAccess, Tool, ToolCall, hookimpl

if TYPE_CHECKING:
    from ares_core import Host

_lock = threading.Lock()
_hosts: tuple[weakref.ref[Host], ...] = ()


@hookimpl
def register_tools(host: Host) -> list[Tool]:
    """Bring no tool; this is where ``pre_tool_call``, which is given no host, learns of one."""
    _remember(host)
    host.on_close(lambda: _forget(host))
    return []


@hookimpl
def open_files(host: Host) -> FileAccess:
    """Give every tool its only way to files."""
    from ares_plugin_file_sandbox.opening import open_sandbox

    return open_sandbox(host.settings.tools.file_sandbox_dir, host.config, host.on_close)


@hookimpl
def pre_tool_call(call: ToolCall) -> Deny | None:
    """Refuse a call that names a file outside; with several ``Ares`` in one process, outside of all their folders."""
    if call.effects is None or not call.effects.resources:
        return None
    from ares_plugin_file_sandbox.guard import refusal_of

    reason: str | None = None
    for reference in _hosts:
        host = reference()
        if host is not None:
            reason = refusal_of(call, host)
            if reason is None:
                return None
    return None if reason is None else Deny(reason)


def _remember(host: Host) -> None:
    global _hosts
    with _lock:
        _hosts = (*_hosts, weakref.ref(host))


def _forget(host: Host) -> None:
    global _hosts
    with _lock:
        _hosts = tuple([one for one in _hosts if one() not in (None, host)])
