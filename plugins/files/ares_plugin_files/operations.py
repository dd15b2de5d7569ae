"""What ``file_tools`` does, by the name of the operation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ares_core import ToolContext
from ares_plugin_files import arranging, writing
from ares_plugin_files.listing import described, listed
from ares_plugin_files.reading import page_of
from ares_plugin_files.source import Source
from ares_plugin_files.troubles import TEMPORARY, alike, check_path, explain, is_temporary

KEEPING = frozenset({"write", "append"})
T = TypeVar("T")
Operation = Callable[[Mapping[str, Any], ToolContext], dict[str, Any]]


def at_once(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any] | None:
    """Answer what takes no time: what a path names, and small files; ``None`` leaves it to a thread."""
    operation = arguments["operation"]
    if operation in ("exists", "stat"):
        return run(arguments, context)
    return _guarded(read_small, arguments, context) if operation == "read" else None


def run(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
    """Run the operation that the arguments name."""
    operation = arguments["operation"]
    answer = _guarded(OPERATIONS[operation], arguments, context)
    is_told = operation in KEEPING or answer.get("exists") is False or answer.get("total") == 0
    if is_told and context.is_heard and is_temporary(context.files):
        context.emit(TEMPORARY)
    return answer


def _guarded(
    operation: Callable[[Mapping[str, Any], ToolContext], T], arguments: Mapping[str, Any], context: ToolContext
) -> T:  # fmt: skip
    """Look at the paths first; what the operating system complains about becomes a sentence."""
    for name in ("path", "destination"):
        if name in arguments:
            check_path(arguments[name])
    try:
        return operation(arguments, context)
    except OSError as error:
        destination = arguments.get("destination")
        explain(error, destination if error.filename == destination else arguments.get("path", "."), context.files)


def read_small(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any] | None:
    """Read a page of a file that is small enough to be taken in with one look."""
    with context.files.open(arguments["path"]) as file:
        source = Source(arguments["path"], file, context)
        return page_of(source, arguments) if source.is_small else None


def read(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
    """Read a page of a file of any size."""
    with context.files.open(arguments["path"]) as file:
        return page_of(Source(arguments["path"], file, context), arguments)


def exists(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
    """Tell whether something is there; if not, what has the same name in another spelling."""
    answer = _is_there(arguments, context)
    other = [] if answer["exists"] else alike(arguments["path"], context.files)
    return answer | {"similar": other} if other else answer


def _is_there(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
    answer = {"operation": "exists", "path": arguments["path"]}
    try:
        entry = context.files.stat(arguments["path"])
    except (FileNotFoundError, NotADirectoryError):
        return answer | {"exists": False}
    return answer | {"exists": True, "kind": described(entry)["kind"]}


def look(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
    """Tell kind, size, time and permissions."""
    entry = context.files.stat(arguments["path"])
    mode = {} if entry.mode is None else {"mode": f"{entry.mode:03o}"}
    return {"operation": "stat", **described(entry), **mode}


def mkdir(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
    """Make a folder and those above it; one that is there already is no error."""
    was_there = _is_there(arguments, context)["exists"]
    context.files.mkdir(arguments["path"])
    return {"operation": "mkdir", "path": arguments["path"], "created": not was_there}


OPERATIONS: dict[str, Operation] = {
    "read": read, "write": writing.write, "append": writing.append, "list": listed, "exists": exists, "stat": look,
    "mkdir": mkdir, "move": arranging.move, "copy": arranging.copy, "delete": arranging.delete,
}  # fmt: skip

__all__ = ["at_once", "run"]
