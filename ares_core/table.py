"""The table of tools: by name, by alias, by capability; and the part of it that one caller may see."""

from __future__ import annotations

import contextlib
import logging
import re
import threading
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ares_core.calls import Effects
from ares_core.capabilities import Capability
from ares_core.errors import DuplicateTool, RegistrationError
from ares_core.projection import asking
from ares_core.schema import Checker, compile_schema
from ares_core.tools import Tool, replace

log = logging.getLogger("ares")
LONGEST_NAME = 256
UNNAMEABLE = r"[\x00-\x1f\x7f\"<>]"
"""Control characters, and what would end the frame around a result."""
Change = Callable[[], None]
Sent = Mapping[str, Sequence[str]]
"""Names that providers were given for tools, where they differ from the tools' own, each with what it may mean."""


class Entry:
    """A tool in the table: who brought it (``None``: the program itself), its checker, and how calls of it run.

    ``shown`` is the tool under the ``name`` that callers know it by, which a part of the tools may have changed.
    """

    __slots__ = ("checker", "name", "owner", "route", "shown", "tool")

    def __init__(self, tool: Tool, owner: str | None, checker: Checker, name: str | None = None) -> None:
        self.tool = tool
        self.owner = owner
        self.checker = checker
        self.name = name or tool.name
        self.shown = tool if self.name == tool.name else replace(tool, name=self.name)
        self.route: Any = None

    def known_as(self, name: str) -> Entry:
        """Give the same tool under another name."""
        return self if name == self.name else Entry(self.tool, self.owner, self.checker, name)


class Spellings:
    """The other ways to write the names of some tools, each with the names it may mean.

    ``aliases`` are as declared; ``folded`` leave out case and separators; ``parts`` are folded names without the
    prefixes that only a server adds.
    """

    __slots__ = ("aliases", "folded", "parts")

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        self.aliases: dict[str, list[str]] = {}
        self.folded: dict[str, list[str]] = {}
        self.parts: dict[str, list[str]] = {}
        for name, entry in sorted(entries.items(), key=lambda item: item[0]):
            tool, owner = entry.tool, entry.owner
            aliases = tool.aliases if name == tool.name else (*tool.aliases, tool.name)
            for alias in aliases:
                self.aliases.setdefault(alias, []).append(name)
            for spelling in dict.fromkeys(fold(spelling) for spelling in (name, *aliases)):
                self.folded.setdefault(spelling, []).append(name)
            for part in _parts(name, [source for source in (owner, tool.toolset) if source]):
                self.parts.setdefault(part, []).append(name)


def fold(name: str) -> str:
    """Leave out what people and models vary in a name: case, width, separators.

    >>> fold("Read-File") == fold("read_file") == fold("readFile")
    True
    """
    return re.sub(r"[\s_\-./:]+", "", unicodedata.normalize("NFKC", name).casefold())


def _parts(name: str, sources: list[str]) -> list[str]:
    pieces = name.split(".")
    shorter = [fold(".".join(pieces[start:])) for start in range(1, len(pieces))]
    return list(dict.fromkeys([*shorter, *(fold(source + name) for source in sources)]))


class View:
    """The tools that one caller may see, by the name it knows them by.

    ``entries`` is the hot look-up; the rest answers the questions around it.
    """

    __slots__ = ("_index", "_sent", "_tools", "entries", "is_searched")

    def __init__(self, entries: dict[str, Entry]) -> None:
        self.entries = entries
        self.is_searched = False
        """Whether definitions show only some of these tools, and the others are looked up."""
        self._tools: tuple[int, Mapping[str, Tool]] | None = None
        self._index: tuple[int, Spellings] | None = None
        self._sent: tuple[int, Sent] | None = None

    def spellings(self, version: int) -> Spellings:
        """Give the other ways to write the names, worked out once per ``version`` of the table."""
        if self._index is None or self._index[0] != version:
            self._index = (version, Spellings(self.entries))
        return self._index[1]

    def sent(self, table: Table) -> Sent:
        """Give the names under which providers know these tools, worked out once per version of the table."""
        if self._sent is None or self._sent[0] != table.version:
            self._sent = (table.version, table.names_sent({name: entry.tool for name, entry in self.entries.items()}))
        return self._sent[1]

    def names(self) -> list[str]:
        """Give the names in order."""
        return sorted(self.entries)

    def tools(self, version: int) -> Mapping[str, Tool]:
        """Give the tools by the names they have here, in order; the very same mapping while no tool comes or goes."""
        if self._tools is None or self._tools[0] != version:
            self._tools = (version, {name: self.entries[name].shown for name in self.names()})
        return self._tools[1]


class Table:
    """Every tool of one Ares.

    >>> table = Table()
    >>> table.add(Tool("ping", "Say pong.", {}, lambda arguments, context: "pong"))
    >>> table.view.names()
    ['ping']
    """

    def __init__(self) -> None:
        self.view = View({})
        self.version = 0
        self.declared: dict[str, Capability] = {}
        self.taken_out: list[Tool] = []
        self.beside: dict[str, Entry] = {}
        """Tools that are of use only in finding others; they are in no view."""
        self.names_sent: Callable[[Mapping[str, Tool]], Sent] = _nothing_sent
        self._changed: list[Change] = []
        self._lock = threading.RLock()

    def add(self, tool: Tool) -> None:
        """Take in a tool of the program; a name that is taken, or a schema that is none, is refused in a sentence."""
        entry = make_entry(tool)
        with self._lock:
            known = self.view.entries.get(tool.name)
            if known is not None:
                raise DuplicateTool(
                    f"there is a tool {tool.name!r} already, from {known.owner or 'the program'}; "
                    f"unregister({tool.name!r}) first, or give this one another name"
                )
            self.view.entries[tool.name] = entry
        self.changed()

    def remove(self, name: str) -> Tool:
        """Take a tool out; calls of it that have begun run to their end."""
        with self._lock:
            entry = self.view.entries.pop(name, None)
        if entry is None:
            raise RegistrationError(f"there is no tool {name!r} to take out")
        if entry.owner is not None:
            self.taken_out.append(entry.tool)  # so that it stays out when other plugins come or go
        self.changed()
        return entry.tool

    def replace_plugins_tools(self, entries: Iterable[Entry]) -> None:
        """Put these in the place of all tools that plugins brought, in one step; the program's own stay."""
        with self._lock:
            own = {name: entry for name, entry in self.view.entries.items() if entry.owner is None}
            self.view.entries = {**{entry.tool.name: entry for entry in entries}, **own}
        self.forget_routes()

    def on_change(self, fn: Change) -> Callable[[], None]:
        """Call ``fn`` whenever tools come or go; gives a function that ends it."""
        self._changed.append(fn)

        def stop() -> None:
            with contextlib.suppress(ValueError):
                self._changed.remove(fn)

        return stop

    def changed(self) -> None:
        """Tell those who asked to know that tools came or went."""
        self.version += 1
        for fn in tuple(self._changed):
            try:
                fn()
            except Exception:
                log.exception("a listener for changes of the tools failed")

    def forget_routes(self) -> None:
        """Have the way that calls run worked out anew, after hooks came or went."""
        for entry in [*self.view.entries.values(), *self.beside.values()]:
            entry.route = None
        self.changed()

    def declare(self, capabilities: Mapping[str, Capability]) -> None:
        """Take in what plugins declared of capabilities."""
        self.declared = dict(capabilities)
        self.changed()

    def capabilities_of(self, name: str) -> tuple[str, ...]:
        """Give the capabilities of a tool: its own, those declared for it, and those that these imply."""
        entry = self.view.entries.get(name)
        own = set(entry.tool.capabilities) if entry else set()
        own |= {c.name for c in self.declared.values() if name in c.tools}
        return tuple(sorted(self._implied(own)))

    def with_capability(self, capability: str) -> list[str]:
        """Give the names of the tools that have a capability, also by its alias."""
        wanted = {c.name for c in self.declared.values() if capability in c.aliases} | {capability}
        return [name for name in self.view.names() if wanted & set(self.capabilities_of(name))]

    def _implied(self, names: Iterable[str]) -> set[str]:
        found: set[str] = set()
        todo = list(names)
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo += self.declared[name].implies if name in self.declared else ()
        return found


def _nothing_sent(tools: Mapping[str, Tool]) -> Sent:
    return {}


def make_entry(tool: Tool, owner: str | None = None) -> Entry:
    """Check a tool and compile its schema; a tool that could not be called is refused in a sentence."""
    check(tool)
    if tool.fields == "ask":
        tool = replace(tool, parameters=asking(tool.name, tool.parameters))
    return Entry(tool, owner, compile_schema(tool.parameters, tool=tool.name))


def check(tool: Tool) -> None:
    """Refuse a tool that could not be called, saying what to change."""
    name = tool.name
    if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME or re.search(UNNAMEABLE, name):
        raise RegistrationError(f"{name!r:.80} is no name for a tool; use letters, digits, '_', '-' or '.'")
    for field, fits, wanted in _FIELDS:
        value = getattr(tool, field)
        if not fits(value):
            raise RegistrationError(f"tool {name!r}: {field} is {value!r:.60}; give {wanted}")


def _is_names(value: Any) -> bool:
    return isinstance(value, tuple | list) and all(isinstance(name, str) for name in value)


def _is_amount(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < float("inf")


def is_seconds(value: Any) -> bool:
    """Whether a value can be a time limit: a finite number above 0.

    >>> [is_seconds(value) for value in (5, 0.5, 0, -1, float("nan"), True, "30")]
    [True, True, False, False, False, False, False]
    """
    return type(value) in (int, float) and 0 < value < float("inf")


_FIELDS: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    ("description", lambda value: isinstance(value, str), "text"),
    ("execute", callable, "a function of (arguments, context)"),
    ("effects", lambda value: isinstance(value, Effects) or callable(value), "Effects(…) or a function that does"),
    ("timeout", lambda value: value is None or is_seconds(value), "a number of seconds above 0, or None"),
    ("capabilities", _is_names, "a list of names"),
    ("aliases", _is_names, "a list of names"),
    ("fields", lambda value: value == "ask" or _is_names(value), "a list of fields such as items.name, or 'ask'"),
    ("cost", _is_amount, "a number, 0 or more"),
    ("latency_ms", _is_amount, "a number of milliseconds, 0 or more"),
    ("max_concurrency", lambda value: value is None or type(value) is int and value > 0, "a whole number above 0"),
)
