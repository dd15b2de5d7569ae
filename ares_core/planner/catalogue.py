"""Steps 2 and 3: from a capability to the tools that have it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ares_core.capabilities import Capability
from ares_core.tools import Tool


class Catalogue:
    """Tools by name and by capability, with what implies what; made once for a set of tools.

    >>> tool = Tool("adder", "", {}, lambda arguments, context: 0, capabilities=("Summation",))
    >>> Catalogue([tool], {"Summation": Capability("Summation", implies=("Arithmetic",))}).having("Arithmetic")
    ('adder',)
    """

    def __init__(self, tools: Iterable[Tool], capabilities: Mapping[str, Capability]) -> None:
        self.tools = {tool.name: tool for tool in sorted(tools, key=lambda tool: tool.name)}
        self.capabilities = dict(capabilities)
        self._aliases = {
            alias: one.name for one in sorted(self.capabilities.values(), key=str) for alias in one.aliases
        }
        self._declared: dict[str, set[str]] = {}
        for capability, declared in self.capabilities.items():
            for name in declared.tools:
                self._declared.setdefault(name, set()).add(capability)
        having: dict[str, list[str]] = {}
        for name, tool in self.tools.items():
            for capability in sorted(self._covered(self._own(tool))):
                having.setdefault(capability, []).append(name)
        self._having = {capability: tuple(names) for capability, names in having.items()}

    def having(self, capability: str) -> tuple[str, ...]:
        """The names of the tools that have a capability, in order."""
        return self._having.get(capability, ())

    def covers(self, tool: str, capability: str) -> bool:
        """Whether a tool has a capability, itself or by what its own imply."""
        return tool in self._having.get(capability, ())

    def inputs(self, capability: str) -> tuple[str, ...]:
        """The types that a capability takes."""
        known = self.capabilities.get(capability)
        return known.inputs if known else ("Any",)

    def outputs(self, capability: str) -> tuple[str, ...]:
        """The types that a capability gives."""
        known = self.capabilities.get(capability)
        return known.outputs if known else ("Any",)

    def _own(self, tool: Tool) -> set[str]:
        return self._declared.get(tool.name, set()) | {
            self._aliases.get(name, name) if name not in self.capabilities else name for name in tool.capabilities
        }

    def _covered(self, names: Iterable[str]) -> set[str]:
        found: set[str] = set()
        todo = list(names)
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo += self.capabilities[name].implies if name in self.capabilities else ()
        return found
