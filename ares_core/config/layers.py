"""The layers of configuration put together into one set of settings."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from ares_core.config.environment import settings_in, strays_in
from ares_core.errors import ConfigError
from ares_core.names import nearest
from ares_core.settings import Settings

if TYPE_CHECKING:
    from pydantic import BaseModel

Path = tuple[str, ...]
ADDED = {("results", "redact"), ("approvals", "rules")}
"""Keys whose lists add up over all layers, so that none takes away what another protects."""


class Loaded(Struct, frozen=True):
    """What was configured: the core's settings, the plugins' sections, who set which key, and remarks.

    ``sections`` has the section of every plugin as plain data. ``files`` are those that were read, strongest first.
    """

    settings: Settings = Settings()
    sections: dict[str, dict[str, Any]] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    def source(self, key: str) -> str:
        """Who set ``key`` (or a key below it), such as ``limits.timeout``."""
        below = (source for name, source in self.sources.items() if name == key or name.startswith(f"{key}."))
        return next(below, "the defaults")


def load(
    config: Mapping[str, Any] | str | os.PathLike[str] | None = None, *, files: bool = False,
    environ: Mapping[str, str] | None = None,
) -> Loaded:  # fmt: skip
    """Put the layers together: argument > environment > project file > user file > default.

    ``config`` is a mapping of sections, or a file that counts like one. ``files=False`` looks for no other file. A
    key that is unknown or has a wrong value raises ``ConfigError``.

    >>> load({"limits": {"timeout": 5}}).settings.limits.timeout
    5.0
    """
    environ = os.environ if environ is None else environ
    variables, strays = dict(settings_in(environ)), tuple(strays_in(environ))
    if (config is None or config == {}) and not files and not variables:
        return replace(_NOTHING, notes=strays) if strays else _NOTHING
    loaded = _Layers().load(config, variables, files)
    return replace(loaded, notes=(*loaded.notes, *strays)) if strays else loaded


def check_section(loaded: Loaded, plugin: str, model: type[BaseModel | Struct] | None) -> Any:
    """The section of one plugin as its ``configuration()`` wants it: a model, a ``Struct``, or else a dict."""
    name = plugin.replace("-", "_")
    section = loaded.sections.get(name, {})
    if model is None:
        return section
    from ares_core.config.check import section_as, struct_as

    def where(key: str) -> str:
        return loaded.source(f"{name}.{key}" if key else name)

    if issubclass(model, Struct):
        return struct_as(model, name, section, where)
    return section_as(model, name, section, where)


def unknown_sections(loaded: Loaded, plugins: Iterable[str]) -> list[str]:
    """A sentence for each section that belongs to no installed plugin."""
    known = {name.replace("-", "_") for name in plugins}
    return [_unowned(loaded, name, known) for name in loaded.sections if name not in known]


_NOTHING = Loaded()


class _Layers:
    """The layers while they are put together, strongest first."""

    def __init__(self) -> None:
        self.core: dict[Path, Any] = {}
        self.plugins: dict[Path, Any] = {}
        self.above: set[Path] = set()
        self.sources: dict[str, str] = {}
        self.notes: list[str] = []
        self.files: list[str] = []

    def load(self, config: Any, variables: dict[str, dict[str, Any]], files: bool) -> Loaded:
        """Add every layer there is, and make one result of them."""
        if isinstance(config, Mapping):
            self.add(config, "the config argument")
        elif isinstance(config, str | os.PathLike):
            self.add_file(os.fspath(config), project=False)
        elif config is not None:
            raise ConfigError(f"config is {config!r:.60}; give a mapping of sections, or the path of a file")
        for source in reversed(variables):
            self.add(variables[source], source, text=True)
        if files:
            self.add_found()
        return self.finish()

    def add_found(self) -> None:
        """Add the project's file and the user's."""
        from ares_core.config.places import project_file, user_file

        for path, project in ((project_file(), True), (user_file(), False)):
            if path and path not in self.files:
                self.add_file(path, project)

    def add_file(self, path: str, project: bool) -> None:
        """Add one file; of a project's file only what the user trusts."""
        from ares_core.config.documents import read
        from ares_core.config.trust import narrowed

        document = read(path)
        values, note = narrowed(document) if project else (document.values, None)
        self.notes += [*document.notes, *([note] if note else [])]
        self.files.append(document.path)
        self.add(values, document.path)

    def add(self, values: Mapping[str, Any], source: str, *, text: bool = False) -> None:
        """Add what one source says, where no stronger one has spoken."""
        from ares_core.config.check import leaves

        for leaf in leaves(values, source, text=text):
            into = self.core if leaf.core else self.plugins
            if leaf.path in ADDED and leaf.path in into:
                into[leaf.path] += tuple(part for part in leaf.value if part not in into[leaf.path])
            elif not self.is_set(leaf.path):
                into[leaf.path] = leaf.value
                self.above.update(leaf.path[:length] for length in range(1, len(leaf.path)))
                self.sources[".".join(leaf.path)] = source

    def is_set(self, path: Path) -> bool:
        """Whether a stronger layer says something at, above or below this path."""
        upwards = (path[:length] for length in range(1, len(path) + 1))
        return path in self.above or any(part in self.core or part in self.plugins for part in upwards)

    def finish(self) -> Loaded:
        """Make the result."""
        from ares_core.config.check import agreed

        loaded = Loaded(
            msgspec.convert(_nest(self.core), Settings), _nest(self.plugins), self.sources,
            tuple(self.notes), tuple(self.files),
        )  # fmt: skip
        return replace(loaded, settings=agreed(loaded.settings, loaded.source))


def _nest(values: Mapping[Path, Any]) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for path, value in values.items():
        inner = nested
        for part in path[:-1]:
            inner = inner.setdefault(part, {})
        inner[path[-1]] = value
    return nested


def _unowned(loaded: Loaded, name: str, known: set[str]) -> str:
    sections = {*known, *Settings.__struct_fields__} - {name}
    begun = [section for section in sections if len(section) > 2 and name.lower().startswith(section)]
    near = sorted(begun, key=len)[-1:] or nearest(name.replace("-", "_"), sections, 1)
    keys = ", ".join(f"{name}.{key}" for key in loaded.sections[name])
    meant = f"did you mean {near[0]}?" if near else "install the plugin, or take the section out"
    return f"{keys} in {loaded.source(name)} belongs to no installed plugin and has no effect; {meant}"
