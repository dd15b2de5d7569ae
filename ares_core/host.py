"""What a plugin is given: its configuration, the registry, a way to call tools, files, the network, a logger."""

from __future__ import annotations

import logging
import threading
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ares_core.call import found
from ares_core.calls import Result, ToolCall
from ares_core.errors import ToolError
from ares_core.events import Event
from ares_core.protocols import Approver, EventStore, FileAccess, Network, ToolFinder, ToolSource
from ares_core.settings import Settings

if TYPE_CHECKING:
    from ares_core.app import Ares
    from ares_core.budget import Budget
    from ares_core.scoped import Scoped

log = logging.getLogger("ares")
NO_FILES = "no file provider is installed, so no tool can reach files; install one, such as ares-plugin-file-sandbox"
NO_NETWORK = "no network provider is installed, so no connection is opened; install one, such as ares-plugin-network"


class Providers:
    """The file and network providers of one Ares, asked for when first needed; and who uses it."""

    def __init__(
        self, open_files: Callable[[], FileAccess | None], open_network: Callable[[], Network | None],
        user: str | None = None, secrets: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        self._open = {"files": open_files, "network": open_network}
        self._opened: dict[str, Any] = {}
        self._lock = threading.RLock()
        self.user = user
        self.secrets: Mapping[str, str] = dict(secrets or {})

    @property
    def files(self) -> FileAccess:
        """The file provider."""
        provider: FileAccess = self._get("files", NO_FILES)
        return provider

    @property
    def network(self) -> Network:
        """The network provider."""
        provider: Network = self._get("network", NO_NETWORK)
        return provider

    def forget(self) -> None:
        """Ask again at the next need, after plugins came or went."""
        self._opened = {}

    def _get(self, kind: str, sentence: str) -> Any:
        opened = self._opened  # another thread may forget it
        provider = opened.get(kind)
        if provider is None:
            with self._lock:
                if kind not in opened:
                    opened[kind] = self._open[kind]()
                provider = opened[kind]
        if provider is None:
            raise ToolError(sentence, blame="world")
        return provider


class Closers:
    """What is to be run at the end, last given first: of one plugin, or of all."""

    def __init__(self) -> None:
        self._entries: list[tuple[str | None, Callable[[], Any]]] = []

    def add(self, fn: Callable[[], Any], plugin: str | None) -> None:
        """Take in a function, and the plugin that it belongs to."""
        self._entries.append((plugin, fn))

    def run(self, plugin: str | None = None) -> None:
        """Run those of a plugin, or all, once; one that raises is logged and the others are run."""
        for entry in reversed(self._entries.copy()):
            if plugin is None or entry[0] == plugin:
                self._entries.remove(entry)
                try:
                    entry[1]()
                except KeyboardInterrupt:
                    raise
                except BaseException:
                    log.exception("plugin %s failed while closing", entry[0])


class PluginHost:
    """The host of one plugin; implements ``ares_core.Host``."""

    def __init__(self, ares: Ares, name: str, config: Any) -> None:
        self._ares = ares
        self.name = name
        self.config = config
        self.log = logging.getLogger(f"ares.plugin.{name}")

    @property
    def settings(self) -> Settings:
        """The core's settings."""
        return self._ares.settings

    @property
    def registry(self) -> Any:
        """The tools of this Ares."""
        return self._ares.registry

    @property
    def files(self) -> FileAccess:
        """The file provider."""
        return self._ares.providers.files

    @property
    def network(self) -> Network:
        """The network provider."""
        return self._ares.providers.network

    def call(
        self, call: str | ToolCall, arguments: Mapping[str, Any] | str | None = None, *,
        session: str | None = None, timeout: float | None = None,
    ) -> Awaitable[Result]:  # fmt: skip
        """Call a tool, through the one life of a call."""
        return self._ares.call(call, arguments, session=session, timeout=timeout)

    def bind(
        self, tools: Iterable[Any] | None = None, *, session: str | None = None, budget: Budget | None = None
    ) -> Scoped:  # fmt: skip
        """Give a part of the tools that may be called here: inside a call never more than its caller's."""
        from ares_core.scoped import here

        return here(self._ares).bind(tools, session=session, budget=budget)

    @property
    def events(self) -> EventStore | None:
        """The store of events, if there is one."""
        return self._ares.events

    @property
    def approver(self) -> Approver | None:
        """Who approves calls, if anybody does."""
        return self._ares.runner.approver

    @property
    def secrets(self) -> Mapping[str, str]:
        """Secrets that the program handed to Ares."""
        return self._ares.providers.secrets

    def on_event(
        self, listener: Callable[[Event], Any], *, kinds: Collection[str] | None = None
    ) -> Callable[[], None]:  # fmt: skip
        """Give every event, or those of some kinds, to ``listener(event)``, until the plugin is taken out."""
        stop = self._ares.on_event(listener, kinds=kinds)
        self.on_close(stop)
        return stop

    def add_source(self, source: ToolSource) -> None:
        """Have ``source`` asked when a tool may be needed that isn't there."""
        sources = self._ares.sources
        sources.append(source)
        self.on_close(lambda: sources.remove(source))

    def add_finder(self, finder: ToolFinder) -> None:
        """Have ``finder`` stand in for tools that are too many to be shown."""
        runner = self._ares.runner
        runner.finding = found(runner.finding, finder, self.name, runner.table)
        self.on_close(lambda: setattr(runner, "finding", found(runner.finding, None, self.name, runner.table)))

    def tools_changed(self) -> None:
        """Have ``register_tools`` asked again: tools of this plugin came, went or became others."""
        self._ares.renew(self.name)

    def on_close(self, fn: Callable[[], None]) -> None:
        """Run ``fn`` when the plugin is taken out or Ares closes, last given first."""
        self._ares.on_close(fn, self.name)
