"""A part of the tools, with the same methods: what an agent is given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ares_core.budget import Budget
from ares_core.call import CURRENT
from ares_core.door import Door
from ares_core.errors import DuplicateTool, RegistrationError
from ares_core.names import fits, is_pattern, nearest
from ares_core.table import Entry, View, check, make_entry
from ares_core.tools import as_tool

if TYPE_CHECKING:
    from ares_core.app import Ares


def here(ares: Ares) -> Door:
    """Give the door to the tools that may be called here: inside a call those of its caller, otherwise all."""
    above = CURRENT.get()
    return ares if above is None or above.runner is not ares.runner else Inside(ares, above.view)


class Inside(Door):
    """The tools that a running call can reach."""

    def __init__(self, ares: Ares, view: View) -> None:
        self._ares = ares
        self._view = view
        self.hides = view is not ares.table.view

    @property
    def view(self) -> View:
        """The tools that the call can reach."""
        return self._view

    def may_come_late(self, name: str | None) -> bool:
        """Whether a tool that isn't there may come to be in scope: only where nothing is hidden."""
        return not self.hides


class Scoped(Door):
    """What ``bind`` gives. A tool out of its scope is unknown here, without a word about what is hidden.

    Tools given as functions or ``Tool`` are private to this part and win over those of the same name. ``prefix`` and
    ``rename`` change the names by which callers know tools; hooks, rules, limits and events know the tools' own.
    """

    def __init__(
        self, ares: Ares, outer: Door, tools: Iterable[Any] | None, toolset: str | None, session: str | None,
        budget: Budget | None = None, prefix: str = "", rename: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self._ares = ares
        self._outer = outer
        self._session = session
        self._budget = budget
        self._toolset = toolset
        self._prefix = prefix
        self._rename = dict(rename or {})
        ares.ready()
        wanted = [tools] if isinstance(tools, str) else None if tools is None else list(tools)
        known = outer.view.entries
        names = None if wanted is None else [name for name in wanted if isinstance(name, str)]
        self._names = None if names is None else [name for name in names if name in known or not is_pattern(name)]
        self._patterns = [name for name in names or () if name not in known and is_pattern(name)]
        self._private = [make_entry(as_tool(value)) for value in wanted or () if not isinstance(value, str)]
        self._known: tuple[int, View] | None = None
        self.hides = wanted is not None or toolset is not None or outer.hides
        self._check_names()
        self._check_new_names()

    @property
    def view(self) -> View:
        """The tools in scope, worked out anew after tools came or went."""
        version = self._ares.table.version
        if self._known is None or self._known[0] != version:
            self._known = (version, View(self._entries()))
        return self._known[1]

    def _entries(self) -> dict[str, Entry]:
        """Give the tools by the names they have here; a private tool wins over others, a new name over a prefix."""
        chosen = self._chosen()
        by_name = sorted(chosen.items(), key=lambda item: (item[1] in self._private, item[0] in self._rename))
        return {self._shown(name): entry.known_as(self._shown(name)) for name, entry in by_name}

    def _chosen(self) -> dict[str, Entry]:
        entries = list(self._outer.view.entries.items())
        chosen = {name: entry for name, entry in entries if self._is_chosen(name, entry)}
        for entry in self._private:
            entry.route = None  # hooks may have come or gone
        return {**chosen, **{entry.name: entry for entry in self._private}}

    def _shown(self, name: str) -> str:
        return self._rename.get(name) or self._prefix + name

    def _is_chosen(self, name: str, entry: Entry) -> bool:
        if self._names is not None and name not in self._names and not fits(name, self._patterns):
            return False
        return self._toolset is None or entry.tool.toolset == self._toolset

    def _check_names(self) -> None:
        private = [entry.name for entry in self._private]
        if twice := next((name for name in private if private.count(name) > 1), None):
            raise DuplicateTool(f"two of the tools to bind are called {twice!r}; give one another name")
        for name in self._names or ():
            self._check_known(name, self._outer.view.entries, "bind")

    def _check_new_names(self) -> None:
        """Refuse new names for tools that are not here, that are no names, or that two tools would share."""
        chosen = self._chosen()
        for name, new in self._rename.items():
            self._check_known(name, chosen, "rename")
            if not isinstance(new, str) or not new:
                raise RegistrationError(f"the new name of {name!r} is {new!r:.60}; give text")
        shown: dict[str, str] = {}
        for name, entry in chosen.items():
            other = shown.setdefault(self._shown(name), name)
            if other != name:
                raise DuplicateTool(
                    f"{other!r} and {name!r} would both be called {self._shown(name)!r} here; rename one otherwise"
                )
            check(entry.known_as(self._shown(name)).shown)

    def _check_known(self, name: str, known: Iterable[str], purpose: str) -> None:
        names = list(known)
        if name not in names:
            near = nearest(name, names, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise RegistrationError(f"there is no tool {name!r} to {purpose}{hint}")

    def may_come_late(self, name: str | None) -> bool:
        """Whether a tool that isn't there may come to be in scope: not where the tools were named one by one."""
        return (self._names is None or bool(self._patterns)) and self._outer.may_come_late(name)

    def outer_name(self, name: str) -> str:
        """Give the name by which a tool is known in the whole of Ares, for one by which it may be known here."""
        own = next((old for old, new in self._rename.items() if new == name), name.removeprefix(self._prefix))
        return self._outer.outer_name(own)

    def _own_view(self) -> View | None:
        return self.view
