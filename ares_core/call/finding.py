"""Tools that stand in for many others: a model looks up what it needs, and calls it by name through them.

What is called through them is taken out before stage 1, so that every stage sees the call that is meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ares_core.call.prepare import Edits, read
from ares_core.call.refusal import Refused
from ares_core.call.resolve import Resolved, resolve
from ares_core.calls import ToolCall
from ares_core.errors import RegistrationError
from ares_core.table import Entry, Table, View, fold, make_entry
from ares_core.tools import Tool

if TYPE_CHECKING:
    from ares_core.call.run import Run
    from ares_core.protocols import ToolFinder

DEEPEST = 4
LONGEST_NAME = 100


class Unwrapped(ToolCall, frozen=True):
    """A call that came inside another; ``through`` is the tool that it came through, ``edits`` made it readable."""

    through: str = ""
    edits: Edits = ()


class Finding:
    """The finder of one Ares, and its own tools: they stand beside the table, for they are of use only with it."""

    def __init__(self, finder: ToolFinder, owner: str, table: Table) -> None:
        self.finder = finder
        self._table = table
        self.owner = owner
        entries = {tool.name: make_entry(tool, owner) for tool in finder.tools}
        self._folded = {fold(name): name for name in entries}
        table.beside = entries

    def meant(self, call: ToolCall, view: View) -> ToolCall:
        """Give the call that is meant: that very call, unless it came through a tool of the finder."""
        for _ in range(DEEPEST):
            through = self._own(call.name, view)
            inner = None if through is None else self._inside(call, through)
            if inner is None:
                break
            call = inner
        return call

    def _own(self, name: object, view: View) -> str | None:
        """The tool of the finder that a name means, if no other has that name."""
        if type(name) is not str or name in view.entries or len(name) > LONGEST_NAME:
            return None
        return self._folded.get(fold(name.removeprefix("functions.")))

    def _inside(self, call: ToolCall, through: str) -> Unwrapped | None:
        try:
            arguments, edits = read(through, call.arguments)
        except Refused:
            return None  # and the life of the call says what is wrong with its arguments
        found = self.finder.meant(through, arguments) if isinstance(arguments, Mapping) else None
        if found is None:
            return None
        before = call.edits if isinstance(call, Unwrapped) else ()
        return Unwrapped(
            found[0], found[1], call.id, call.key, call.timeout, call.turn, through=through, edits=before + edits
        )

    def published(self, view: View, context: int | None, choice: str | None) -> dict[str, Tool]:
        """Give what definitions show: all tools, or a few of them and the finder's own."""
        tools = view.tools(self._table.version)
        shown = self.finder.shown(tools, context)
        if shown is None:
            return dict(tools)
        view.is_searched = True
        kept = sorted({*shown, choice or ""}.intersection(tools))
        own = {name: tools.get(name, tool) for name, tool in self.own().items()}
        return {**own, **{name: tools[name] for name in kept}}

    def own(self) -> dict[str, Tool]:
        """The finder's own tools, by name."""
        return {name: entry.tool for name, entry in self._table.beside.items()}

    def entry(self, name: object, view: View) -> Entry | None:
        """One of the finder's own tools, if it can be reached: from all tools, and from parts too large to be shown."""
        own = self._own(name, view)
        if own is None or not self._is_reachable(view):
            return None
        return self._table.beside[own]

    def _is_reachable(self, view: View) -> bool:
        if view is self._table.view or view.is_searched:
            return True
        view.is_searched = self.finder.shown(view.tools(self._table.version), None) is not None
        return view.is_searched


def find(finding: Finding | None, name: Any, view: View, table: Table) -> Resolved:
    """Stage 1 for a name that no tool has: one of the finder's own tools, or what it may be repaired to."""
    own = None if finding is None else finding.entry(name, view)
    return resolve(name, view, table) if own is None else Resolved(own, "spelling")


def note_through(run: Run, given: ToolCall) -> None:
    """Have the record say through which tool a call came, and what made that readable."""
    if isinstance(given, Unwrapped):
        run.edits = given.edits + run.edits
        run.notes = {**(run.notes or {}), "through": given.through}


def found(known: Finding | None, finder: ToolFinder | None, owner: str, table: Table) -> Finding | None:
    """Take in the finder of a plugin in place of its own of before, or take it out; two plugins can't both have one."""
    if known is not None and known.owner != owner:
        if finder is None:
            return known
        raise RegistrationError(f"{known.owner} and {owner} both find tools; block one: ARES_BLOCK_PLUGINS={owner}")
    table.beside = {}
    return None if finder is None else Finding(finder, owner, table)
