"""Looking up tools where there are too many to show a model at once."""

from __future__ import annotations

from typing import Any

from ares_core import Host, Result, Tool, hookimpl


@hookimpl
def configuration() -> type[Any]:
    """Check the section ``tool_search``."""
    from ares_plugin_tool_search.settings import Settings

    return Settings


@hookimpl
def register_tools(host: Host) -> list[Tool]:
    """Bring no tool for everybody: those that find others stand beside them, and are shown where they are needed."""
    from ares_plugin_tool_search.finder import Finder

    host.add_finder(Finder(host))
    return []


@hookimpl
def format_result(result: Result) -> str | None:
    """Write what was found in lines."""
    from ares_plugin_tool_search.words import described, listed

    if not result.success or result.call is None:
        return None
    return listed(result.data) if result.call.name == "tool_search" else described(result.data)
