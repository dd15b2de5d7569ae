"""The tool ``file_tools``: reading, writing, listing and arranging files, through the installed file provider."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ares_core import Capability, Effects, Result, Tool, ToolContext, hookimpl
from ares_plugin_files.schema import EXAMPLES, PARAMETERS

LOOKS = Effects(read_only=True, destructive=False, idempotent=True, open_world=False, resources=("file:{path}",))
LISTS_ALL = Effects(read_only=True, destructive=False, idempotent=True, open_world=False, resources=("file:.",))
ADDS = Effects(destructive=False, open_world=False, resources=("file:{path}",))
MAKES = Effects(destructive=False, idempotent=True, open_world=False, resources=("file:{path}",))
REPLACES = Effects(idempotent=True, open_world=False, resources=("file:{path}",))
COPIES = Effects(destructive=False, open_world=False, resources=("file:{path}", "file:{destination}"))
COPIES_OVER = Effects(idempotent=True, open_world=False, resources=("file:{path}", "file:{destination}"))
MOVES = Effects(open_world=False, resources=("file:{path}", "file:{destination}"))
BY_OPERATION = {
    "read": LOOKS, "exists": LOOKS, "stat": LOOKS, "list": LOOKS, "write": REPLACES, "append": ADDS, "mkdir": MAKES,
    "move": MOVES, "copy": COPIES, "delete": REPLACES,
}  # fmt: skip


def effects(arguments: Mapping[str, Any]) -> Effects:
    """Say what a call does, by its operation; an unknown one has the cautious defaults."""
    operation = arguments.get("operation")
    if operation == "list" and "path" not in arguments:
        return LISTS_ALL
    if operation == "copy" and arguments.get("overwrite"):
        return COPIES_OVER
    return BY_OPERATION.get(str(operation), MOVES)


async def execute(arguments: Mapping[str, Any], context: ToolContext) -> dict[str, Any]:
    """Run one operation: at once if it takes no time, otherwise in a thread."""
    from ares_plugin_files.operations import at_once, run

    answer = at_once(arguments, context)
    if answer is not None:
        return answer
    import asyncio

    return await asyncio.to_thread(run, arguments, context)


@hookimpl
def register_tools() -> list[Tool]:
    """Bring ``file_tools``."""
    return [
        Tool(
            "file_tools",
            "Read, write, append to, list, find, inspect, copy, move and delete files and folders. Paths are relative "
            "to the folder that the operator allows; nothing outside can be reached. Text is given page by page; a "
            "page that is not the last says where to go on.",
            PARAMETERS,
            execute,
            capabilities=("FileOperations",),
            effects=effects,
            examples=EXAMPLES,
            cost=2,
            latency_ms=2,
        )
    ]


@hookimpl
def declare_capabilities() -> list[Capability]:
    """Declare work with files: from a path to what is in it."""
    aliases = ("file", "files", "folder", "directory", "read file", "write file", "文件", "文件夹", "目录", "读取文件")
    return [Capability("FileOperations", aliases=aliases, inputs=("File", "Text"), outputs=("Text",))]


@hookimpl
def format_result(result: Result) -> str | None:
    """Write what a model should know: the text of a file as it stands, a list line by line, else a sentence."""
    from ares_plugin_files.wording import written

    return written(result.data) if result.success else None
