"""Ares, the front door."""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import threading
import weakref
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from ares_core import config as configuration
from ares_core.call import MemoryEvidence, Recorder, Runner, is_known
from ares_core.discovery import is_strict
from ares_core.door import Door
from ares_core.errors import PluginError, RegistrationError, UsageError
from ares_core.hooks import Hooks
from ares_core.host import Closers, PluginHost, Providers
from ares_core.loading import bring_in, configure, open_stores, problems
from ares_core.loop import LoopThread
from ares_core.plugins import Plugins
from ares_core.protocols import Approver, ToolSource
from ares_core.registry import Registry
from ares_core.table import Table, View
from ares_core.telling import Telling, tell_plan
from ares_core.tools import Tool

if TYPE_CHECKING:
    from ares_core.bridge import Bridge
    from ares_core.planner.chooser import Chooser
    from ares_core.protocols import EventStore, Evidence
    from ares_core.wire import Wires

log = logging.getLogger("ares")
T = TypeVar("T")


class Ares(Door, Telling):
    """The tool-invocation layer: finds tools, repairs and checks arguments, asks policies, runs, formats, records.

    ``plugins`` are names or modules, and then only these; ``None`` is every installed plugin, found when first
    needed; ``[]`` is none. ``config`` is a mapping of sections or a file; files are otherwise read only by
    ``Ares.from_files()``. ``approver(request)`` gives ``True``, ``False`` or ``Deny``, plain or async.
    ``planner_model(request, candidates)`` is asked which tool is meant where the planner is not sure.

    >>> def add(a: int, b: int = 1) -> int:
    ...     "Add two whole numbers."
    ...     return a + b
    >>> with Ares(plugins=[]) as ares:
    ...     _ = ares.register(add)
    ...     ares.call_sync("add", {"a": "2"}).data
    3
    """

    def __init__(
        self, plugins: Iterable[str | ModuleType | Any] | None = None,
        config: Mapping[str, Any] | str | os.PathLike[str] | configuration.Loaded | None = None,
        approver: Approver | None = None, *, user: str | None = None, secrets: Mapping[str, str] | None = None,
        planner_model: Chooser | None = None,
    ) -> None:  # fmt: skip
        self._ares = self
        self.loaded = config if isinstance(config, configuration.Loaded) else configuration.load(config)
        self.settings = self.loaded.settings
        self.is_ready = False
        self.closed = False
        if isinstance(plugins, str):
            raise UsageError(f"plugins is a list of names or modules; write plugins=[{plugins!r}]")
        if approver is not None and not callable(approver):
            raise UsageError(f"approver is {approver!r:.60}; give a function of the request that answers True or False")
        if planner_model is not None and not callable(planner_model):
            raise UsageError(f"planner_model is {planner_model!r:.60}; give a function of a request and its candidates")
        self._planner_model = planner_model
        self._wanted = None if plugins is None else list(plugins)
        self._lock = threading.RLock()
        self._is_loading = False
        self._closers = Closers()
        self.hosts: dict[str, PluginHost] = {}
        self._loop = LoopThread()
        Telling.__init__(self)
        self._events: EventStore | None = None
        self._cache: dict[str, Any] = {}
        self.sources: list[ToolSource] = []
        self.table = Table()
        self.table.names_sent = self._names_sent
        self.plugins = Plugins(strict=is_strict())
        self.hooks = Hooks(self.plugins, self.host)
        files, network = self.settings.files.provider, self.settings.network.provider
        self.providers = Providers(lambda: self.hooks.files(files), lambda: self.hooks.network(network), user, secrets)
        self.runner = Runner(
            self.table, self.hooks, self.settings, self.providers, Recorder(MemoryEvidence()), approver
        )
        self.registry = Registry(self)
        _ALIVE.add(self)
        if self._wanted is not None:
            self.ready()

    @classmethod
    def from_files(
        cls, plugins: Iterable[str | ModuleType | Any] | None = None, config: Mapping[str, Any] | None = None,
        approver: Approver | None = None, **options: Any,
    ) -> Self:  # fmt: skip
        """Make one from the project's and the user's configuration files, the environment, and ``config``."""
        return cls(plugins, configuration.load(config, files=True), approver, **options)

    @property
    def view(self) -> View:
        """All tools."""
        return self.table.view

    def ready(self) -> None:
        """Load the plugins and take in what they bring, once; called by itself at first need."""
        if self.closed:
            raise UsageError("this Ares is closed; make a new one")
        if self.is_ready:
            return
        with self._lock:
            if self.is_ready or self._is_loading:  # a hook may look at the registry while plugins are loaded
                return
            self._is_loading = True
            try:
                self._load()
                self.is_ready = True
            finally:
                self._is_loading = False

    def _load(self) -> None:
        only, block = self.settings.plugins.only, self.settings.plugins.block
        if self._wanted is None:
            self.plugins.load_installed(only=only, block=block)
        else:
            self.plugins.load(*self._wanted, block=block)
        configure(self)
        for problem in problems(self, chosen=self._wanted is not None):
            if self.plugins.strict:
                raise PluginError(problem)
            log.warning("%s", problem)
        bring_in(self)
        self._events = open_stores(self)

    def host(self, plugin: str) -> PluginHost:
        """Give what a plugin is handed."""
        if plugin not in self.hosts:
            self.hosts[plugin] = PluginHost(self, plugin, {})
        return self.hosts[plugin]

    def register(self, value: Any) -> Tool:
        """Take in a tool: a plain or decorated function, a ``Tool``, or an object with the seeds' five parts.

        What the program registers itself comes before an installed plugin's tool of that name if plugins are not
        loaded yet; otherwise a name that is taken is refused.
        """
        return self.registry.register(value)

    def unregister(self, name: str) -> Tool:
        """Take a tool out."""
        return self.registry.unregister(name)

    def add(self, plugin: str | ModuleType | Any) -> str:
        """Load one more plugin, by name or as a module; gives its name."""
        self.ready()
        with self._lock:
            (name,) = self.plugins.load(plugin, block=self.settings.plugins.block)
            configure(self)
            bring_in(self)
        row = self.plugins.row(name)
        if row is not None and row.state == "failed":
            log.warning("plugin %s is not used: %s", row.source, row.reason)
        return name

    def remove(self, plugin: str) -> None:
        """Take a plugin out with all it brought; calls of its tools that have begun run to their end."""
        self.ready()
        with self._lock:
            if self.plugins.row(plugin) is None:
                raise RegistrationError(f"there is no plugin {plugin!r} to take out")
            self.plugins.unload(plugin)
            self.hooks.forget(plugin)
            self.hosts.pop(plugin, None)
            bring_in(self)
        self._closers.run(plugin)

    def renew(self, plugin: str) -> None:
        """Ask a plugin again for what it brings."""
        with self._lock:
            if self.is_ready and not self.closed:
                self.hooks.forget(plugin)
                bring_in(self)

    def forget(self) -> None:
        """Drop what was worked out from the set of plugins and tools."""
        self._cache.clear()
        self.providers.forget()
        self.listen()

    @property
    def wires(self) -> Wires:
        """The provider formats."""
        self.ready()
        if "wires" not in self._cache:
            from ares_core.wire import Wires

            formats = [wire_format for _, wire_format in self.hooks.wire_formats()]
            self._cache["wires"] = Wires(formats, self.settings.models)
        wires: Wires = self._cache["wires"]
        return wires

    def _names_sent(self, tools: Mapping[str, Tool]) -> Mapping[str, Sequence[str]]:
        return self.wires.names_sent(tools)

    def bridge_for(self, door: Door) -> Bridge:
        """Give what turns requests in words into calls, for the tools that can be reached through a door."""
        self.ready()
        if door.bridge is None or door.bridge[0] != self.table.version:
            door.bridge = (self.table.version, self._make_bridge(door))
        return door.bridge[1]

    def _make_bridge(self, door: Door) -> Bridge:
        from ares_core.bridge import Bridge
        from ares_core.planner import Planner
        from ares_core.planner.chooser import by_tool

        view = door.view
        if "rule sets" not in self._cache:
            self._cache["rule sets"] = [rule_set for _, rule_set in self.hooks.rule_sets()]
        rule_sets = self._cache["rule sets"]

        def read(name: str) -> Evidence:
            return self.runner.recorder.read(view.entries[name].tool.name if name in view.entries else name)

        @cache
        def planner() -> Planner:
            return Planner(door.tools().values(), self.table.declared, rule_sets, read, self.settings.planner)

        known = partial(is_known, view=view, table=self.table)
        tell = partial(tell_plan, self.runner)
        choose = self._planner_model or by_tool(door.call, self.settings.planner.model)
        return Bridge(partial(self.runner.run, view=view, budget=door.budget), planner, known, choose, tell)

    @property
    def evidence(self) -> Recorder:
        """What is remembered of the tools' runs."""
        self.ready()
        return self.runner.recorder

    @property
    def events(self) -> EventStore | None:
        """The store of events, if there is one."""
        self.ready()
        return self._events

    def wait_for(self, work: Awaitable[T], what: str) -> T:
        """Run on the loop thread and wait."""
        return self._loop.run(work, what)

    def on_close(self, fn: Callable[[], Any], plugin: str | None = None) -> None:
        """Run ``fn`` when this Ares closes, or before that when ``plugin`` is taken out; last given first."""
        self._closers.add(fn, plugin)

    def close(self) -> None:
        """End what runs, write what waits, let plugins clean up; a second time changes nothing."""
        if self.closed:
            return
        self.closed, self.is_ready = True, False
        self.runner.closing = True
        self._loop.close()
        self.runner.close()
        self._closers.run()

    def forked(self) -> None:
        """Start afresh in a forked child: threads and waiting outcomes belong to the parent."""
        self._loop, self._lock = LoopThread(), threading.RLock()
        self.runner.forked()
        if callable(start_afresh := getattr(self._events, "forked", None)):
            start_afresh()

    async def aclose(self) -> None:
        """Close, from a coroutine."""
        await asyncio.get_running_loop().run_in_executor(None, self.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.aclose()


_ALIVE: weakref.WeakSet[Ares] = weakref.WeakSet()


def _close_all() -> None:
    for ares in list(_ALIVE):
        ares.close()


def _start_afresh() -> None:
    for ares in list(_ALIVE):
        ares.forked()


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_afresh)
