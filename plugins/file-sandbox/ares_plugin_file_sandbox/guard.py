"""The early refusal: a call that names a file outside is stopped before its tool runs, whoever wrote the tool."""

from __future__ import annotations

from ares_core import Host, ToolCall, ToolError
from ares_plugin_file_sandbox.access import Sandbox

FILE = "file:"


def paths_in(call: ToolCall) -> list[str]:
    """Give the paths of the files that a call says it touches.

    >>> from ares_core import Effects
    >>> paths_in(ToolCall("show", effects=Effects(resources=("file:a.txt", "host:example.org"))))
    ['a.txt']
    """
    resources = call.effects.resources if call.effects is not None else ()
    return [name[5:] for name in resources if name.startswith(FILE) and name != FILE]


def refusal_of(call: ToolCall, host: Host) -> str | None:
    """Say why a call must not run; nothing, if other files than the sandbox's are in use."""
    paths = paths_in(call)
    if not paths:
        return None
    try:
        files = host.files
    except ToolError:  # the tools that need files refuse by themselves
        return None
    if not isinstance(files, Sandbox):
        return None
    try:
        changeable = [files.may_change(path) for path in paths]
    except ToolError as error:
        return f"{error.message}. {error.hint}" if error.hint else error.message
    if call.effects is not None and call.effects.mutating and not any(changeable):
        return f"{call.name!r} changes files, and {paths[0]!r:.200} lies in a folder that may only be read"
    return None


__all__ = ["paths_in", "refusal_of"]
