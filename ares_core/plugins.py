"""The plugin host: finds plugins, loads them one by one, and keeps a row for each, whatever becomes of it."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import itertools
import logging
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any, Literal

import pluggy
from msgspec import Struct
from msgspec.structs import replace

from ares_core import hookspecs
from ares_core.discovery import EntryPoint, entry_points
from ares_core.errors import PluginError, said_by
from ares_core.names import nearest

log = logging.getLogger("ares")
PluginState = Literal["loaded", "failed", "blocked"]
FROM_THE_PROGRAM = "the program"
HOOKS = tuple(name for name, value in vars(hookspecs).items() if hasattr(value, f"{hookspecs.PROJECT}_spec"))


class PluginInfo(Struct, frozen=True):
    """One row of ``ares plugins``. ``import_ms`` is the time its import took; ``notes`` are smaller troubles."""

    name: str
    state: PluginState
    distribution: str | None = None
    version: str | None = None
    module: str | None = None
    hooks: tuple[str, ...] = ()
    import_ms: float = 0.0
    reason: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """The plugin with its distribution, for sentences."""
        return f"{self.name} ({self.distribution} {self.version})" if self.distribution else self.name


class Implementation(Struct, frozen=True, eq=False):
    """One plugin's function for a hook. ``takes`` are its parameters; ``tools``, ``resources`` its limits."""

    plugin: str
    function: Callable[..., Any]
    takes: tuple[str, ...]
    tools: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()

    def ask(self, **given: Any) -> Any:
        """Call the function with those of the arguments that it takes."""
        return self.function(*(given[name] for name in self.takes))


class Plugins:
    """All plugins of one Ares. ``only`` and ``block`` act before anything is imported.

    >>> plugins = Plugins()
    >>> plugins.load_installed(only=())
    >>> plugins.rows()
    []
    """

    def __init__(self, *, strict: bool = False) -> None:
        self._manager = pluggy.PluginManager(hookspecs.PROJECT)
        self._manager.add_hookspecs(hookspecs)
        self._rows: dict[str, PluginInfo] = {}
        self._passing: list[tuple[str, str]] = []
        self.strict = strict
        self.problems: list[str] = []

    def rows(self) -> list[PluginInfo]:
        """Give a row for each plugin seen so far, in name order."""
        return [self._rows[name] for name in sorted(self._rows)]

    def row(self, name: str) -> PluginInfo | None:
        """Give the row of one plugin."""
        return self._rows.get(name)

    def loaded(self) -> list[str]:
        """Give the names of the plugins that work."""
        return sorted(name for name, row in self._rows.items() if row.state == "loaded")

    def load_installed(self, *, only: Collection[str] | None = None, block: Collection[str] = ()) -> None:
        """Load every installed plugin in name order; one that can't be loaded becomes a failed row."""
        entries, problems = entry_points() if only is None or only else ([], [])
        self.problems += problems
        self._check_names({entry.name for entry in entries}, only, block)
        for entry in entries:
            if entry.name in block or (only is not None and entry.name not in only):
                self._rows.setdefault(entry.name, _row(entry, "blocked"))
            elif entry.name not in self._rows:
                self._load_entry(entry)

    def _check_names(self, known: set[str], only: Collection[str] | None, block: Collection[str]) -> None:
        self.problems += [
            f"no installed plugin is called {name!r}{_meant(name, known)}"
            for name in (*(only or ()), *block)
            if name not in known
        ]

    def load(self, *plugins: str | ModuleType | Any, block: Collection[str] = ()) -> list[str]:
        """Load plugins by entry-point name, by module name, or as modules or objects; gives their names.

        A second load of the same plugin changes nothing. One that is blocked stays out.
        """
        entries = entry_points()[0] if any(isinstance(plugin, str) for plugin in plugins) else []
        return [
            self._load_named(plugin, entries, block) if isinstance(plugin, str) else self._load_object(plugin, block)
            for plugin in plugins
        ]

    def _load_named(self, plugin: str, entries: Sequence[EntryPoint], block: Collection[str]) -> str:
        entry = next((e for e in entries if plugin in (e.name, e.value, e.value.partition(":")[0])), None)
        if entry is None:
            row = self._rows.get(_short(plugin))
            name = self._free_name(plugin) if row is None or row.module != plugin else row.name
            entry = EntryPoint(name, plugin, "", "")
        if entry.name in block:
            self._rows[entry.name] = _row(entry, "blocked")
        elif self._state(entry.name) != "loaded":
            self._load_entry(entry, _meant(plugin, [e.name for e in entries]))
        return entry.name

    def _load_object(self, plugin: Any, block: Collection[str]) -> str:
        known: str | None = self._manager.get_name(plugin)
        if known is not None:
            return known
        name = self._free_name(getattr(plugin, "__name__", None) or type(plugin).__name__)
        row = PluginInfo(name, "blocked" if name in block else "loaded", module=getattr(plugin, "__name__", None))
        if name in block:
            self._rows[name] = row
        else:
            self._register(name, plugin, row, 0.0)
        return name

    def _free_name(self, module: str) -> str:
        """Give the name that a plugin without an entry point is known by; the second of a name is called ``name-2``."""
        short = _short(module)
        names = itertools.chain([short], (f"{short}-{number}" for number in itertools.count(2)))
        return next(name for name in names if self._state(name) != "loaded")

    def unload(self, name: str) -> None:
        """Take a plugin out; calls of its tools that have begun run to their end."""
        plugin = self._manager.get_plugin(name)
        if plugin is not None:
            self._manager.unregister(name=name)
        self._rows.pop(name, None)

    def fail(self, name: str, reason: str) -> None:
        """Mark a plugin as failed, take its hooks out, and say why in its row."""
        if self._manager.get_plugin(name) is not None:
            self._manager.unregister(name=name)
        self._rows[name] = replace(self._rows[name], state="failed", reason=reason, hooks=())
        if self.strict:
            raise PluginError(f"plugin {self._rows[name].source}: {reason}")

    def note(self, name: str, text: str) -> None:
        """Add a smaller trouble to a plugin's row."""
        row = self._rows.get(name)
        if row is not None and text not in row.notes:
            self._rows[name] = replace(row, notes=(*row.notes, text))

    def replace_notes(self, notes: Sequence[tuple[str, str]]) -> None:
        """Put these passing troubles, each with its plugin, in the place of those that were given before."""
        for name, text in self._passing:
            if (row := self._rows.get(name)) is not None:
                self._rows[name] = replace(row, notes=tuple(note for note in row.notes if note != text))
        for name, text in notes:
            self.note(name, text)
            if (name, text) not in self._passing:
                log.warning("plugin %s: %s", name, text)
        self._passing = list(notes)

    def implementations(self, hook: str) -> tuple[Implementation, ...]:
        """Give all functions for a hook, in the order they are to be asked: by plugin name."""
        caller = getattr(self._manager.hook, hook)
        return tuple(
            Implementation(
                impl.plugin_name, impl.function, (*impl.argnames, *impl.kwargnames),
                getattr(impl.function, hookspecs.TOOLS, ()),
                getattr(impl.function, hookspecs.RESOURCES, ()),
            )
            for impl in sorted(caller.get_hookimpls(), key=_asking_order)
        )  # fmt: skip

    def _state(self, name: str) -> str | None:
        row = self._rows.get(name)
        return row.state if row else None

    def _load_entry(self, entry: EntryPoint, meant: str = "") -> None:
        started = time.perf_counter()
        row = _row(entry, "loaded")
        try:
            with contextlib.redirect_stdout(sys.stderr):
                plugin = _import(entry.value)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self._rows[entry.name] = row
            self.fail(entry.name, _import_trouble(entry, error, meant))
            return
        self._register(entry.name, plugin, row, (time.perf_counter() - started) * 1000)

    def _register(self, name: str, plugin: Any, row: PluginInfo, import_ms: float) -> None:
        self._rows[name] = replace(row, import_ms=round(import_ms, 2))
        try:
            known = self._manager.get_name(plugin)
            trouble = f"it is loaded already, as the plugin {known!r}" if known else hook_trouble(plugin)
            if trouble is None:
                self._manager.register(plugin, name)
        except Exception as error:
            trouble = said_by(error).replace("\n", " ")[:400]
        if trouble is not None:
            self.fail(name, trouble)
            return
        hooks = tuple(sorted(caller.name for caller in self._manager.get_hookcallers(plugin) or ()))
        notes = _unmarked(plugin) or ([] if hooks else ["it implements no hook, so it does nothing"])
        self._rows[name] = replace(self._rows[name], hooks=hooks, notes=tuple(notes))


def _short(module: str) -> str:
    return module.rpartition(".")[2].removeprefix("ares_plugin_").replace("_", "-")


def _row(entry: EntryPoint, state: PluginState) -> PluginInfo:
    return PluginInfo(entry.name, state, entry.distribution or None, entry.version or None, entry.value)


def _asking_order(impl: Any) -> tuple[int, str]:
    return (-1 if impl.tryfirst else 1 if impl.trylast else 0, impl.plugin_name)


def _import(reference: str) -> Any:
    module, _, attributes = reference.partition(":")
    value: Any = importlib.import_module(module)
    for attribute in filter(None, attributes.split(".")):
        value = getattr(value, attribute)
    return value


def _import_trouble(entry: EntryPoint, error: BaseException, meant: str) -> str:
    if not entry.distribution and (
        not entry.value or isinstance(error, ModuleNotFoundError) and error.name == entry.value
    ):
        return f"no installed plugin and no module is called {entry.value!r}{meant}"
    what = f"asked to exit ({error})" if isinstance(error, SystemExit) else said_by(error)
    again = f"pip install --force-reinstall {entry.distribution}" if entry.distribution else f"mend {entry.value}"
    if isinstance(error, ImportError) and (error.name or "").partition(".")[0] == "ares_core":
        again = f"it is made for another ares-core: pip install -U ares-core {entry.distribution}".rstrip()
    return f"can't import {entry.value}: {what[:300]}; {again}, or block it: ARES_BLOCK_PLUGINS={entry.name}"


def _meant(name: str, known: Iterable[str]) -> str:
    near = nearest(name, known, 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _marked(plugin: Any) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    for name in dir(plugin):
        if isinstance(inspect.getattr_static(plugin, name, None), property):
            continue  # reading it would run the plugin's code
        with contextlib.suppress(Exception):  # a stand-in for what isn't there yet, as web frameworks have, may raise
            value = getattr(plugin, name, None)
            options = getattr(value, f"{hookspecs.PROJECT}_impl", None)
            if isinstance(options, dict) and not inspect.isclass(value):
                yield options.get("specname") or name, value, options


def hook_trouble(plugin: Any) -> str | None:
    """Say what is wrong with a plugin's hook implementations, in a sentence that says what to write instead."""
    troubles = (_hook_trouble(name, function, options) for name, function, options in _marked(plugin))
    return next(filter(None, troubles), None) or (_class_trouble(plugin) if inspect.isclass(plugin) else None)


def _class_trouble(plugin: type[Any]) -> str | None:
    needs_an_object = any("self" in inspect.signature(function).parameters for _, function, _ in _marked(plugin))
    name = plugin.__name__
    return f"{name} is a class, and its hooks need an object of it: give {name}()" if needs_an_object else None


def _hook_trouble(name: str, function: Any, options: Mapping[str, Any]) -> str | None:
    if name not in HOOKS:
        return f"there is no hook {name!r}{_meant(name, HOOKS)}"
    if not inspect.isroutine(function):
        return f"hook {name} is a {type(function).__name__}, which is never asked: write 'def {name}(…)'"
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        return f"hook {name} is async; hooks are plain functions: write 'def {name}(…)' (tools may be async)"
    if options.get("wrapper") or options.get("hookwrapper"):
        return f"hook {name} is a wrapper; wrappers are not run: use pre_tool_call, post_tool_call or middleware"
    allowed = list(inspect.signature(getattr(hookspecs, name)).parameters)
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            kind = parameter.kind.description
            return f"hook {name}: the {kind} parameter {parameter.name!r} is never passed; use plain positional names"
        if parameter.name not in (*allowed, "self"):
            there_are = ", ".join(allowed) or "nothing"
            return f"hook {name}: there is no argument {parameter.name!r}; it may take {there_are}"
    return None


def _unmarked(plugin: Any) -> list[str]:
    return [
        f"{name} has a hook's name but no @hookimpl, so it is never asked"
        for name in HOOKS
        if inspect.isfunction(function := getattr(plugin, name, None))
        and not hasattr(function, f"{hookspecs.PROJECT}_impl")
        and function.__module__ == getattr(plugin, "__name__", None)
    ]
