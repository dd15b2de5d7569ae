"""Bringing in what plugins contribute: their configuration, tools, capabilities, layers, listeners, stores."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from ares_core import config as configuration
from ares_core.answers import BROKEN
from ares_core.call import Keeper
from ares_core.discovery import installed
from ares_core.errors import ConfigError, PluginError, RegistrationError, said_by
from ares_core.host import PluginHost
from ares_core.table import Entry, make_entry
from ares_core.tools import Tool

if TYPE_CHECKING:
    from ares_core.app import Ares
    from ares_core.protocols import EventStore

log = logging.getLogger("ares")
Offer = tuple[str, Tool]


def bring_in(ares: Ares) -> None:
    """Put every plugin's contributions in their places; trouble with one of them becomes a note in its row."""
    offered: dict[str, list[Offer]] = defaultdict(list)
    for plugin, tool in ares.hooks.tools():
        if not any(tool is gone for gone in ares.table.taken_out):
            offered[str(tool.name)].append((plugin, tool))
    choice = _Choice(ares)
    entries = [entry for name in offered if (entry := choice.make(name, offered[name])) is not None]
    ares.plugins.replace_notes(choice.notes)
    ares.runner.layers = ares.hooks.middleware()
    ares.table.declared = ares.hooks.capabilities()
    ares.table.replace_plugins_tools(entries)
    ares.forget()


def configure(ares: Ares) -> None:
    """Check each plugin's section against the model that it gave; a wrong section is a configuration error."""
    for name in ares.plugins.loaded():
        if name not in ares.hosts:
            model = ares.hooks.configuration(name)
            ares.hosts[name] = PluginHost(ares, name, _section(ares, name, model))


def _section(ares: Ares, name: str, model: type[Any] | None) -> Any:
    try:
        return configuration.check_section(ares.loaded, name, model)
    except ConfigError:
        raise
    except Exception as error:  # a validator of the plugin's own broke
        ares.plugins.fail(name, f"checking its configuration raised {said_by(error)}"[:300])
        return {}


def problems(ares: Ares, *, chosen: bool) -> list[str]:
    """Say what is wrong with the plugins and with the configuration, a sentence each.

    ``chosen`` says that not all plugins were wanted; a section of one that was not is no mistake.
    """
    rows = ares.plugins.rows()
    names = [row.name for row in rows]
    unowned = configuration.unknown_sections(ares.loaded, names)
    if unowned and chosen:
        unowned = configuration.unknown_sections(ares.loaded, [*names, *installed()])
    failed = [f"plugin {row.source} is not used: {row.reason}" for row in rows if row.state == "failed"]
    return [*ares.plugins.problems, *unowned, *ares.loaded.notes, *failed]


def open_stores(ares: Ares) -> EventStore | None:
    """Open the stores that the configuration names; gives that of events, which is filled from now on."""
    broken = _Broken(ares)
    if ares.settings.stores.evidence != "memory":
        ares.runner.recorder.store = _store(ares, "evidence", broken) or ares.runner.recorder.store
    events = None if ares.settings.stores.events == "none" else _events(ares, broken)
    if events is not None:
        ares.add_listener("stores.events", lambda event: events.append([event]))
        ares.on_close(events.close)
    for kind in _DEPENDED_ON:
        if getattr(ares.settings.stores, kind) != "memory":
            _depend_on(ares, kind, broken)
    broken.tell()
    return events


class _Broken:
    """Stores that can't be opened: told of with one warning for each plugin, however many kinds it was to keep."""

    def __init__(self, ares: Ares) -> None:
        self._ares = ares
        self._found: dict[str, dict[str, str]] = defaultdict(dict)

    def add(self, kind: str, plugin: str, error: BaseException) -> None:
        self._found[plugin][kind] = str(error)
        self._ares.plugins.note(plugin, f"its store for {kind} can't be used: {said_by(error)}")

    def tell(self) -> None:
        for plugin, reasons in self._found.items():
            keys, why = ", ".join(f"stores.{kind}" for kind in reasons), "; ".join(dict.fromkeys(reasons.values()))
            kept = [kind for kind in reasons if kind not in _DEPENDED_ON]
            stay = f"; {' and '.join(kept)} stay in memory" if kept else ""
            log.warning("%s: %s can't be used (%s)%s", keys, plugin, why, stay)


_DEPENDED_ON: tuple[Literal["ledger"], Literal["approvals"]] = ("ledger", "approvals")


def _depend_on(ares: Ares, kind: Literal["ledger", "approvals"], broken: _Broken) -> None:
    """Open a store without which nothing may be changed; one that can't be opened lets no such call pass."""
    plugin = getattr(ares.settings.stores, kind)
    try:
        setattr(ares.runner, kind, Keeper(ares.runner, kind, ares.hooks.store(kind, plugin)))
    except ConfigError:
        raise
    except BROKEN as error:
        broken.add(kind, plugin, error)
        ares.runner.broken, ares.runner.has_policies = (kind, said_by(error)), True


def _events(ares: Ares, broken: _Broken) -> EventStore:
    store: EventStore | None = None
    if ares.settings.stores.events != "memory":
        store = _store(ares, "events", broken)
    from ares_core.eventlog import BufferedEvents, MemoryEvents

    return MemoryEvents() if store is None else BufferedEvents(store)


def _store(ares: Ares, kind: Literal["evidence", "events"], broken: _Broken) -> Any:
    plugin = getattr(ares.settings.stores, kind)
    try:
        return ares.hooks.store(kind, plugin)
    except ConfigError:
        raise
    except BROKEN as error:
        broken.add(kind, plugin, error)
        return None


class _Choice:
    """Which of the tools that plugins offer are taken in, and what is to be said about the others."""

    def __init__(self, ares: Ares) -> None:
        self._ares = ares
        self._present = dict(ares.table.view.entries)
        self.notes: list[tuple[str, str]] = []

    def make(self, name: str, offers: Sequence[Offer]) -> Entry | None:
        """Give the entry for a name, or nothing if nobody may have it."""
        preferred = self._ares.settings.tools.prefer.get(name)
        offers = [offer for offer in offers if offer[0] == preferred] or offers
        plugins = sorted({plugin for plugin, _ in offers})
        present = self._present.get(name)
        if present is not None and present.owner is None:
            self._note(plugins, f"tool {name!r} is left out: the program registered a tool of that name itself")
        elif len(plugins) > 1:
            clash = self._clash(name, plugins)
            if self._ares.plugins.strict:
                raise PluginError(clash)
            self._note(plugins, clash)
        else:
            if len(offers) > 1:
                self._note(plugins, f"tool {name!r} is given twice by this plugin; the first is used")
            return self._entry(*offers[0], present)
        return None

    def _entry(self, plugin: str, tool: Tool, present: Entry | None) -> Entry | None:
        if present is not None and present.tool is tool:
            return present
        try:
            return make_entry(tool, plugin)
        except RegistrationError as error:
            if self._ares.plugins.strict:
                raise PluginError(f"plugin {plugin}: {error}") from error
            self._note([plugin], f"a tool is left out: {error}")
            return None

    def _clash(self, name: str, plugins: list[str]) -> str:
        sources = [row.source for plugin in plugins if (row := self._ares.plugins.row(plugin)) is not None]
        return (
            f"tool {name!r} comes from {' and '.join(sources)}, so neither has it; choose one with "
            f"tools.prefer: {{{name}: {plugins[0]}}}, or block one: ARES_BLOCK_PLUGINS={plugins[-1]}"
        )

    def _note(self, plugins: Sequence[str], text: str) -> None:
        self.notes += [(plugin, text) for plugin in plugins]
