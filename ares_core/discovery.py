"""Finding installed plugins: one scan of the entry points, without importing anything.

The standard library's scan costs ten times as much and also reads the working folder, where an agent may be able
to write. Only folders are read by hand; other path entries (zip files) go through ``importlib.metadata``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from msgspec import Struct

PLUGIN_GROUP = "ares.plugins"
COMMAND_GROUP = "ares.commands"
LARGEST_FILE = 262_144


def _working_folder() -> str:
    try:
        return os.path.realpath(os.getcwd())
    except OSError:  # it was deleted
        return ""


_STARTED_IN = _working_folder()  # under ``python -m`` this stays on the path when the program changes folders


class EntryPoint(Struct, frozen=True):
    """One line of an ``entry_points.txt``: what it is called, what it names, and who brought it."""

    name: str
    value: str
    distribution: str
    version: str

    @property
    def source(self) -> str:
        """The distribution and its version, for sentences."""
        return f"{self.distribution} {self.version}".strip()


def is_strict() -> bool:
    """Whether ``ARES_STRICT=1`` asks for exceptions instead of failed rows."""
    return os.environ.get("ARES_STRICT", "") not in ("", "0")


def entry_points(group: str = PLUGIN_GROUP) -> tuple[list[EntryPoint], list[str]]:
    """Give the group's entry points in name order, and a sentence for each file that can't be read.

    One name given twice is kept only if both mean the same; otherwise the first on the path stands, with a sentence.
    """
    found: dict[str, EntryPoint] = {}
    problems: list[str] = []
    for entry in _all(group, problems):
        known = found.setdefault(entry.name, entry)
        if known.value != entry.value:
            problems.append(
                f"plugin {entry.name!r} comes from both {known.source} and {entry.source}; the first is used"
            )
    return [found[name] for name in sorted(found)], problems


def installed() -> list[str]:
    """Give the names of the installed plugins."""
    return [entry.name for entry in entry_points()[0]]


def _all(group: str, problems: list[str]) -> Iterator[EntryPoint]:
    working = {_STARTED_IN, _working_folder()}
    for path in dict.fromkeys(sys.path):
        if not path or os.path.realpath(path) in working:
            continue
        if os.path.isdir(path):
            yield from _in_folder(path, group, problems)
        elif os.path.isfile(path):
            yield from _in_archive(path, group)


def _in_folder(path: str, group: str, problems: list[str]) -> Iterator[EntryPoint]:
    try:
        names = sorted(name for name in os.listdir(path) if name.endswith((".dist-info", ".egg-info")))
    except OSError:
        return
    for name in names:
        folder = os.path.join(path, name)
        if _is_left_over(folder):
            problems.append(f"{folder} is left over from a broken installation and is not used; delete it")
        else:
            yield from _of_distribution(folder, group, problems)


def _of_distribution(folder: str, group: str, problems: list[str]) -> Iterator[EntryPoint]:
    try:
        with open(os.path.join(folder, "entry_points.txt"), "rb") as handle:
            raw = handle.read(LARGEST_FILE)
    except OSError:
        return
    if group.encode() not in raw:
        return
    distribution, version = _named(os.path.basename(folder))
    try:
        yield from _parse(raw.decode("utf-8-sig"), group, distribution.replace("_", "-"), version)
    except ValueError as error:
        problems.append(f"entry_points.txt in {folder} can't be read ({error}); reinstall {distribution}")


def _named(folder: str) -> tuple[str, str]:
    """Give distribution and version as the name of a metadata folder has them.

    >>> _named("ares_plugin_id-0.1.0.dist-info"), _named("my-tools-2.0.dist-info"), _named("tools-2.0-py3.11.egg-info")
    (('ares_plugin_id', '0.1.0'), ('my-tools', '2.0'), ('tools', '2.0'))
    """
    stem, _, kind = folder.rpartition(".")
    name, _, version = stem.rpartition("-") if kind == "dist-info" else stem.partition("-")
    return name, version.partition("-")[0]


def _is_left_over(folder: str) -> bool:
    """Whether an uninstall or upgrade died half-way here: the metadata proper is gone, or pip set the folder aside."""
    if os.path.basename(folder).startswith("~"):
        return True
    return folder.endswith(".dist-info") and not os.path.exists(os.path.join(folder, "METADATA"))


def _parse(text: str, group: str, distribution: str, version: str) -> list[EntryPoint]:
    section, found = "", []
    for number, written in enumerate(text.splitlines(), 1):
        line = written.partition("#")[0].strip()
        if line.startswith("["):
            section = line.strip("[] ")
        elif line and section == group:
            name, equals, value = line.partition("=")
            value = value.partition("[")[0].strip()
            if not equals or not name.strip() or not _is_reference(value):
                raise ValueError(f"line {number} is no entry point: {line[:80]!r}")
            found.append(EntryPoint(name.strip(), value, distribution, version))
    return found


def _is_reference(value: str) -> bool:
    module, _, attribute = value.partition(":")
    return all(part.isidentifier() for part in module.split(".")) and (
        not attribute or all(part.isidentifier() for part in attribute.split("."))
    )


def _in_archive(path: str, group: str) -> Iterator[EntryPoint]:
    from importlib.metadata import distributions

    for distribution in distributions(path=[path]):
        for entry in distribution.entry_points:
            if entry.group == group:
                yield EntryPoint(entry.name, entry.value, distribution.metadata["Name"] or "", distribution.version)
