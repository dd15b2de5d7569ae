"""A part of the tools, with the same methods: what an agent is given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ares_core.door import Door
from ares_core.errors import DuplicateTool, RegistrationError
from ares_core.names import nearest
from ares_core.table import Entry, View, make_entry
from ares_core.tools import as_tool

if TYPE_CHECKING:
    from ares_core.app import Ares


class Scoped(Door):
    """What ``bind`` gives. A tool out of its scope is unknown here, without a word about what is hidden.

    Tools given as functions or ``Tool`` are private to this part and win over those of the same name.
    """

    def __init__(
        self, ares: Ares, outer: Door, tools: Iterable[Any] | None, toolset: str | None, session: str | None
    ) -> None:  # fmt: skip
        self._ares = ares
        self._outer = outer
        self._session = session
        self._toolset = toolset
        wanted = [tools] if isinstance(tools, str) else None if tools is None else list(tools)
        self._names = None if wanted is None else [name for name in wanted if isinstance(name, str)]
        self._private = [make_entry(as_tool(value)) for value in wanted or () if not isinstance(value, str)]
        self._known: tuple[int, View] | None = None
        self._check_names()

    @property
    def view(self) -> View:
        """The tools in scope, worked out anew after tools came or went."""
        version = self._ares.table.version
        if self._known is None or self._known[0] != version:
            self._known = (version, View(self._entries()))
        return self._known[1]

    def _entries(self) -> dict[str, Entry]:
        entries = list(self._outer.view.entries.items())
        chosen = {name: entry for name, entry in entries if self._is_chosen(name, entry)}
        for entry in self._private:
            entry.route = None  # hooks may have come or gone
        return {**chosen, **{entry.tool.name: entry for entry in self._private}}

    def _is_chosen(self, name: str, entry: Entry) -> bool:
        if self._names is not None and name not in self._names:
            return False
        return self._toolset is None or entry.tool.toolset == self._toolset

    def _check_names(self) -> None:
        self._ares.ready()
        private = [entry.tool.name for entry in self._private]
        if twice := next((name for name in private if private.count(name) > 1), None):
            raise DuplicateTool(f"two of the tools to bind are called {twice!r}; give one another name")
        known = self._outer.view.entries
        for name in self._names or ():
            if name not in known:
                near = nearest(name, known, 1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise RegistrationError(f"there is no tool {name!r} to bind{hint}")

    def _own_view(self) -> View | None:
        return self.view
