"""What an agent needs besides tools: a list of tasks, a memory, its past, its output, and sub-agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ares_core import Capability, hookimpl
from ares_plugin_agent_tools.settings import Settings

if TYPE_CHECKING:
    from ares_core import Host, Result, Tool


@hookimpl
def configuration() -> type[Settings]:
    """Say what the section ``agent_tools`` may hold."""
    return Settings


@hookimpl
def register_tools(host: Host) -> list[Tool]:
    """Bring the five tools; the file that two of them share is opened when it is first needed."""
    from ares_plugin_agent_tools.database import Database
    from ares_plugin_agent_tools.delegating import delegate_tool
    from ares_plugin_agent_tools.memory import memory_tool
    from ares_plugin_agent_tools.searching import search_tool
    from ares_plugin_agent_tools.terminal import terminal_tool
    from ares_plugin_agent_tools.todo import todo_tool

    settings: Settings = host.config if isinstance(host.config, Settings) else Settings()
    database = Database(settings.path)
    host.on_close(database.close)
    return [
        todo_tool(),
        memory_tool(database, settings),
        search_tool(host, settings),
        terminal_tool(host, settings),
        delegate_tool(host, settings, database),
    ]


@hookimpl
def declare_capabilities() -> list[Capability]:
    """Declare what the tools can do; nothing in a request in words asks for it, only an agent does."""
    return [
        Capability("TaskList", outputs=("JSON",)),
        Capability("Remembering", inputs=("Text",), outputs=("Text",)),
        Capability("OwnPast", inputs=("Text",), outputs=("JSON",)),
        Capability("OwnOutput", outputs=("Text",)),
        Capability("Delegation", inputs=("Text",), outputs=("Text",)),
    ]


@hookimpl
def format_result(result: Result) -> str | None:
    """Write what a tool gave for a model to read."""
    if not result.success or result.call is None:
        return None
    from ares_plugin_agent_tools import delegating, memory, searching, terminal, todo

    said = {"todo": todo.said, "memory": memory.said, "session_search": searching.said,
            "read_terminal": terminal.said, "delegate_task": delegating.said}  # fmt: skip
    return said[result.call.name](result)
