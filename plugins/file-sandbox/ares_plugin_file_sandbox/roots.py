"""The folders that tools may reach, each held open, and which of them a path falls into."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ares_core import ConfigError, ToolError
from ares_plugin_file_sandbox.paths import KEY, Parts, Written, climbed, refusal, shown, take_apart

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_PATH", 0)


class Handle:
    """An open folder; closed when nobody holds it any more, so that its number is never another file's meanwhile."""

    __slots__ = ("fd",)

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def __del__(self) -> None:
        os.close(self.fd)


class Root:
    """One folder with everything below it. ``key`` is the configuration key that named it."""

    def __init__(self, path: str, *, is_writable: bool = True, key: str = KEY, label: str = "") -> None:
        given = os.path.abspath(os.path.expanduser(path))
        self.path = os.path.realpath(given)
        self.is_writable = is_writable
        self.names = {take_apart(name).parts for name in (given, self.path)}
        self.label = label or (self.path if is_writable else f"{self.path} (read-only)")
        try:
            self.handle = Handle(os.open(self.path, FOLDER))
        except OSError as error:
            raise ToolError(
                f"{key} is {shown(path)}, and that folder can't be used ({error.strerror}); nothing was read or "
                f"changed. Create it, or let {key} name another folder.",
                blame="world",
            ) from None

    @property
    def is_gone(self) -> bool:
        """Whether the folder itself was deleted."""
        return os.fstat(self.handle.fd).st_nlink == 0


class Place(NamedTuple):
    """A path within a root."""

    root: Root
    parts: Parts


class Roots:
    """All folders that tools may reach; relative paths start in the first.

    ``deny`` are names that stay closed. With ``hard_links`` files are trusted that have more than one name. Roots that
    have to be removed at the end are this process's own: a fork needs others.
    """

    def __init__(
        self, roots: Sequence[Root], deny: Iterable[str] = (), *, hard_links: bool = False,
        remove: Callable[[], None] | None = None,
    ) -> None:  # fmt: skip
        self.all = tuple(roots)
        self.hard_links = hard_links
        self.remove = remove
        self.main = self.all[0]
        self._top = take_apart(self.main.path).parts
        self._is_plain = not any(self._lies_in_main(root) for root in self.all[1:])
        self._denied = _pattern(deny)
        _check_nesting(self.all)

    @property
    def has_closed_names(self) -> bool:
        """Whether some names stay closed."""
        return self._denied is not None

    @property
    def is_gone(self) -> bool:
        """Whether one of the folders was deleted, and may be there again under the same name."""
        return any(root.is_gone for root in self.all)

    def place(self, path: str, written: Written) -> Place:
        """Find the innermost root that a path falls into by its text; links are another matter."""
        if self._is_plain and not written.is_absolute and ".." not in written.parts:
            return Place(self.main, written.parts)
        parts = climbed(written.parts if written.is_absolute else self._top + written.parts)
        best: Place | None = None
        for root in self.all:
            for top in root.names:
                size = len(top)
                if parts is not None and parts[:size] == top and (best is None or len(best.parts) > len(parts) - size):
                    best = Place(root, parts[size:])
        if best is None:
            raise self.outside(path)
        return best

    def outside(self, path: str, link: str = "") -> ToolError:
        """Make the refusal of a path that leads out, by its text or through a link."""
        how = f"leads through the link {shown(link)} out of" if link else "lies outside"
        return refusal(
            f"{shown(path)} {how} {self.described}; nothing else can be reached, and nothing was read or changed",
            f"Use a path inside, or have {KEY} set to a folder that holds what is needed.",
        )

    def check_writable(self, root: Root, path: str) -> None:
        """Refuse a change in a folder that may only be read."""
        if not root.is_writable:
            raise refusal(
                f"{shown(path)} lies in {root.path}, which may only be read; nothing was changed",
                "Write elsewhere: " + (self.described if self.main.is_writable else f"see {KEY} and file_sandbox.roots")
                + ".",
            )  # fmt: skip

    def is_closed(self, name: str) -> bool:
        """Whether a name is one that stays closed; case makes no difference."""
        return self._denied is not None and self._denied.fullmatch(name.casefold()) is not None

    def closed(self, path: str, name: str) -> ToolError:
        """Make the refusal of a name that stays closed."""
        return refusal(f"{shown(path)}: the name {shown(name)} is closed by file_sandbox.deny; nothing was done")

    @property
    def described(self) -> str:
        """The folders, and the key that chooses them, for sentences."""
        names = [root.label for root in self.all]
        if len(names) == 1:
            return f"the folder that {KEY} allows, {names[0]}"
        return f"the folders that {KEY} and file_sandbox.roots allow, {', '.join(names)}"

    def _lies_in_main(self, root: Root) -> bool:
        return any(top[: len(self._top)] == self._top for top in root.names)


def _check_nesting(roots: Sequence[Root]) -> None:
    """Refuse a read-only root in a writable one: links and renamed folders would be ways around it."""
    for inner in roots:
        for outer in roots:
            within = os.path.commonpath([inner.path, outer.path]) == outer.path
            if within and outer.is_writable and not inner.is_writable:
                raise ConfigError(
                    f"file_sandbox.roots: {inner.path} is read-only but lies in {outer.path}, which may be written; "
                    "make the outer one read-only and name the writable folders in it"
                )


def _pattern(names: Iterable[str]) -> re.Pattern[str] | None:
    """Make one expression of all closed names."""
    import fnmatch

    bare = [name.removesuffix("/**").removesuffix("/").casefold() for name in names]
    return re.compile("|".join(map(fnmatch.translate, bare))) if bare else None


__all__ = ["FOLDER", "Handle", "Place", "Root", "Roots"]
