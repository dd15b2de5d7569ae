"""The folders that tools may reach: a file access that can't leave them, and an early refusal of calls that would."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ares_core import Deny, FileAccess, ToolCall, hookimpl
from ares_plugin_file_sandbox.settings import Settings

if TYPE_CHECKING:
    from ares_core import Host


@hookimpl
def configuration() -> type[Settings]:
    """Check the section ``file_sandbox``."""
    return Settings


@hookimpl
def open_files(host: Host) -> FileAccess:
    """Give every tool its only way to files."""
    from ares_plugin_file_sandbox.opening import sandbox_of

    return sandbox_of(host)


@hookimpl(resources=("file:",))
def pre_tool_call(call: ToolCall, host: Host) -> Deny | None:
    """Refuse a call that says it touches a file outside, whoever wrote its tool and however that opens files."""
    from ares_plugin_file_sandbox.guard import refusal_of

    reason = refusal_of(call, host)
    return None if reason is None else Deny(reason)
