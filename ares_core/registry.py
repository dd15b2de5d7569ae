"""The registry: a view on the tools of one Ares."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from ares_core.calls import Result
from ares_core.capabilities import Capability
from ares_core.protocols import Evidence
from ares_core.tools import Tool, as_tool

if TYPE_CHECKING:
    from ares_core.app import Ares


class Registry:
    """Which tools there are, and what they can do. ``execute`` is ``Ares.call``.

    >>> from ares_core import Ares
    >>> with Ares(plugins=[]) as ares:
    ...     _ = ares.registry.register(Tool("ping", "Say pong.", {}, lambda arguments, context: "pong"))
    ...     ares.registry.list_tool_names()
    ['ping']
    """

    def __init__(self, ares: Ares) -> None:
        self._ares = ares
        self.execute: Callable[..., Awaitable[Result]] = ares.call

    def register(self, value: Any) -> Tool:
        """Take in a function, a tool, or an object with the five parts; a name that is taken is refused."""
        tool = as_tool(value)
        self._ares.table.add(tool)
        return tool

    def unregister(self, name: str) -> Tool:
        """Take a tool out; calls of it that have begun run to their end."""
        self._ares.ready()
        return self._ares.table.remove(name)

    def get(self, name: str) -> Tool | None:
        """Give a tool by its exact name."""
        self._ares.ready()
        entry = self._ares.table.view.entries.get(name)
        return entry.tool if entry else None

    def list_tools(self) -> list[Tool]:
        """Give all tools, in name order."""
        self._ares.ready()
        view = self._ares.table.view
        return [view.entries[name].tool for name in view.names()]

    def list_tool_names(self) -> list[str]:
        """Give the names of all tools, in order."""
        self._ares.ready()
        return self._ares.table.view.names()

    def capabilities(self, name: str) -> tuple[str, ...]:
        """Give what a tool can do, including what that implies."""
        self._ares.ready()
        return self._ares.table.capabilities_of(name)

    def with_capability(self, capability: str) -> list[str]:
        """Give the names of the tools that can do something."""
        self._ares.ready()
        return self._ares.table.with_capability(capability)

    def declared(self) -> Mapping[str, Capability]:
        """Give what plugins declared of capabilities, by name."""
        self._ares.ready()
        return self._ares.table.declared

    def evidence(self, name: str) -> Evidence:
        """Give what is remembered of a tool's runs."""
        return self._ares.evidence.read(name)

    def owner(self, name: str) -> str | None:
        """Give the plugin that brought a tool; ``None`` if the program did."""
        self._ares.ready()
        entry = self._ares.table.view.entries.get(name)
        return entry.owner if entry else None

    def waiting(self) -> dict[str, str]:
        """Give where more tools may come from that has not been asked yet, each with why in a few words."""
        self._ares.ready()
        return {name: why for source in tuple(self._ares.sources) for name, why in source.waiting().items()}

    def on_change(self, fn: Callable[[], None]) -> Callable[[], None]:
        """Call ``fn`` whenever tools come or go; gives a function that ends it."""
        return self._ares.table.on_change(fn)

    def __contains__(self, name: object) -> bool:
        return name in self.list_tool_names()

    def __len__(self) -> int:
        return len(self.list_tool_names())
