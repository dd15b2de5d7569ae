"""What a call touches, in one spelling: the keys of its resources, and how they shut each other out.

A key is a path from the general to the particular: ``file:/a/b`` is ``("file", "a", "b")``. Whoever wants a place in
the tree shows that on the way to it, so a folder and what lies below it get into each other's way.
"""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Iterable
from enum import IntEnum
from functools import lru_cache
from urllib.parse import unquote, urlsplit

from ares_core.calls import Effects

Key = tuple[str, ...]
DEEPEST = 64
MOST_RESOURCES = 128
"""Of one call; beyond that it wants everything of each kind."""
FEW, SHORT = 4, 256
"""Of so many resources, in so few characters, the steps are remembered."""
FOLDS_CASE = sys.platform in ("win32", "darwin")


class Mode(IntEnum):
    """How a call wants a place: something below it, to read or to change; or all of it."""

    READS_BELOW = 0
    CHANGES_BELOW = 1
    READS = 2
    CHANGES = 3


Step = tuple[Key, Mode]
SHUTS_OUT: dict[Mode, tuple[Mode, ...]] = {
    Mode.READS_BELOW: (Mode.CHANGES,),
    Mode.CHANGES_BELOW: (Mode.READS, Mode.CHANGES),
    Mode.READS: (Mode.CHANGES_BELOW, Mode.CHANGES),
    Mode.CHANGES: (Mode.READS_BELOW, Mode.CHANGES_BELOW, Mode.READS, Mode.CHANGES),
}
"""Which of the others' modes can't be there at the same time."""
NONE: frozenset[Mode] = frozenset()


def steps_to(effects: Effects, base: str) -> tuple[Step, ...]:
    """Give the places that a call wants, in sorted order, so that no two calls wait for each other.

    >>> [(".".join(key), mode.name) for key, mode in steps_to(Effects(resources=("db:Users",)), "/")]
    [('db', 'CHANGES_BELOW'), ('db.Users', 'CHANGES')]
    """
    resources = effects.resources
    if len(resources) <= FEW and all(type(name) is str and len(name) <= SHORT for name in resources):
        return _remembered(resources, effects.read_only, base)
    return _steps(resources, effects.read_only, base)


def _steps(resources: tuple[str, ...], reads: bool, base: str) -> tuple[Step, ...]:
    below, whole = (Mode.READS_BELOW, Mode.READS) if reads else (Mode.CHANGES_BELOW, Mode.CHANGES)
    wanted: dict[Key, Mode] = {}
    for key in _keys(resources, base):
        for end in range(1, len(key)):
            wanted.setdefault(key[:end], below)
        wanted[key] = whole
    return tuple(sorted(wanted.items()))


_remembered = lru_cache(maxsize=1024)(_steps)


def _keys(resources: Iterable[str], base: str) -> set[Key]:
    keys = {key_of(str(resource), base) for resource in resources}
    return keys if len(keys) <= MOST_RESOURCES else {key[:1] for key in keys}


def key_of(resource: str, base: str) -> Key:
    """Give the one key of all spellings of a resource; relative paths start from ``base``.

    >>> key_of("file:notes/../a.txt", "/work"), key_of("FILE:/work/./a.txt", "/elsewhere")
    (('file', 'work', 'a.txt'), ('file', 'work', 'a.txt'))
    >>> key_of("host:https://Example.org:443/path", "/")
    ('host', 'example.org')
    """
    kind, colon, name = resource.partition(":")
    kind = kind.strip().casefold()
    name = unicodedata.normalize("NFC", name.strip())
    if kind == "file":
        return (kind, *_path(name, base))
    if kind == "host":
        return (kind, _host(name))
    return (kind, name) if colon else (kind,)


def _path(name: str, base: str) -> list[str]:
    if name.startswith("//"):
        name = unquote(_split(f"file:{name}")[1])
    path = os.path.normpath(os.path.join(base, os.path.expanduser(name)))
    parts = [part for part in path.casefold().split(os.sep) if part] if FOLDS_CASE else path.split(os.sep)
    return [part for part in parts if part][:DEEPEST]


def _host(name: str) -> str:
    host = _split(name if "//" in name else f"//{name}")[0].rstrip(".").casefold()
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode()
    except UnicodeError:
        return host


def _split(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
        return parts.hostname or url.strip("/"), parts.path
    except ValueError:
        return url.strip("/"), url


class Together:
    """Whether calls may run side by side, by what they touch: readers, and writers of different things.

    >>> group = Together("/")
    >>> [group.admits(Effects(resources=(name,))) for name in ("file:a", "file:b", "file:a", "file:/")]
    [True, True, False, False]
    """

    def __init__(self, base: str) -> None:
        self._base = base
        self._modes: dict[Key, set[Mode]] = {}
        self._is_empty = True
        self._is_alone = False
        self._has_writer = False
        self._has_undeclared = False

    def admits(self, effects: Effects) -> bool:
        """Take a call in if it gets in nobody's way; what is not declared may be anything."""
        declared = bool(effects.resources)
        alone = effects.interactive or not (effects.read_only or declared)
        if not self._is_empty and (alone or self._is_alone or self._is_unclear(effects)):
            return False
        steps = () if alone else steps_to(effects, self._base)
        if any(not self._modes.get(key, NONE).isdisjoint(SHUTS_OUT[mode]) for key, mode in steps):
            return False
        for key, mode in steps:
            self._modes.setdefault(key, set()).add(mode)
        self._is_empty, self._is_alone = False, alone
        self._has_writer = self._has_writer or not effects.read_only
        self._has_undeclared = self._has_undeclared or not declared
        return True

    def _is_unclear(self, effects: Effects) -> bool:
        """A reader that doesn't say what it reads may read what a writer changes."""
        return self._has_writer if not effects.resources else self._has_undeclared and not effects.read_only
