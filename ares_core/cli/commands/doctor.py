"""``ares doctor``: check the installation and say what to mend."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterator
from typing import Literal

import click
from msgspec import Struct, to_builtins

from ares_core import config
from ares_core.app import Ares
from ares_core.cli import group, opening, options, output
from ares_core.cli.ending import FAILED
from ares_core.discovery import COMMAND_GROUP, entry_points
from ares_core.errors import AresError, ToolError

State = Literal["ok", "note", "broken"]


class Finding(Struct, frozen=True):
    """One thing that was looked at."""

    state: State
    what: str
    text: str


@options.command()
def command() -> int:
    """Check the installation and say what to mend.

    Exit code 1 if something is broken; a note is nothing that stops you.
    """
    findings = [*_surroundings(), *_commands(), *_inside()]
    broken = any(finding.state == "broken" for finding in findings)
    if options.current().as_json:
        output.document({"success": not broken, "findings": to_builtins(findings)})
    else:
        output.table(("state", "what", "found"), [(one.state, one.what, one.text) for one in findings])
    return FAILED if broken else 0


def _surroundings() -> Iterator[Finding]:
    from ares_core import __version__

    yield Finding("ok", "ares", f"{__version__} in {os.path.dirname(group.__file__).removesuffix(os.sep + 'cli')}")
    yield Finding("ok", "python", f"{platform.python_version()}, {sys.executable}")
    encoding = sys.stdout.encoding or "unknown"
    state: State = "ok" if encoding.lower().replace("-", "") == "utf8" else "note"
    yield Finding(state, "output", f"encoding {encoding}")
    yield _state_folder()


def _state_folder() -> Finding:
    try:
        folder = config.state_dir()
    except AresError as error:
        return Finding("broken", "state", str(error))
    existing = folder
    while not os.path.exists(existing):
        existing = os.path.dirname(existing)
    if os.path.isdir(existing) and os.access(existing, os.W_OK | os.X_OK):
        return Finding("ok", "state", folder)
    return Finding("broken", "state", f"{existing} can't be written; set XDG_STATE_HOME to a folder that can")


def _commands() -> Iterator[Finding]:
    entries, problems = entry_points(COMMAND_GROUP)
    for entry in entries:
        try:
            group.load(entry)
        except click.ClickException as error:
            yield Finding("broken", f"command {entry.name}", error.message)
        else:
            yield Finding("ok", f"command {entry.name}", entry.source)
    for problem in problems:
        yield Finding("note", "commands", problem)


def _inside() -> Iterator[Finding]:
    """Look at what an ``Ares`` of this command line is made of."""
    try:
        loaded = opening.loaded()
        yield from _configuration(loaded)
        with opening.opened(warns=False) as ares:
            yield from _plugins(ares)
            yield from _stores(ares)
            yield _provider("files", lambda: ares.providers.files)
            yield _provider("network", lambda: ares.providers.network)
            yield Finding("ok", "tools", f"{len(ares.registry)}")
            for what, why in ares.registry.waiting().items():
                yield Finding("note", what, why)
            yield Finding("ok", "wire formats", ", ".join(ares.wires.names()) or "none")
    except AresError as error:
        yield Finding("broken", "configuration", str(error))


def _configuration(loaded: config.Loaded) -> Iterator[Finding]:
    for file in loaded.files:
        yield Finding("ok", "configuration", file)
    if not loaded.files:
        yield Finding("ok", "configuration", "no file; 'ares init' writes one")
    for note in loaded.notes:
        yield Finding("note", "configuration", note)


def _plugins(ares: Ares) -> Iterator[Finding]:
    for row in ares.plugins.rows():
        what = f"plugin {row.name}"
        if row.state == "failed":
            yield Finding("broken", what, row.reason or "failed")
        else:
            yield Finding("ok", what, f"{row.version or '-'}, {row.state}")
        for note in row.notes:
            yield Finding("note", what, note)
    for problem in ares.plugins.problems:
        yield Finding("note", "plugins", problem)


def _stores(ares: Ares) -> Iterator[Finding]:
    """Ask each store for something; one that could not be opened has a note in its plugin's row."""
    evidence, events = ares.evidence.store, ares.events
    yield _tried("evidence", type(evidence).__name__, evidence.all)
    if events is None:
        yield Finding("note", "events", "are not kept")
    else:
        yield _tried("events", type(events).__name__, lambda: events.query(limit=1))
    ledger, approvals = ares.runner.ledger.store, ares.runner.approvals.store
    yield _tried("ledger", type(ledger).__name__, lambda: ledger.find(""))
    yield _tried("approvals", type(approvals).__name__, approvals.list)


def _tried(what: str, name: str, ask: Callable[[], object]) -> Finding:
    try:
        ask()
    except Exception as error:
        return Finding("broken", what, f"{name}: {type(error).__name__}: {error}")
    return Finding("ok", what, f"kept by {name}")


def _provider(what: str, get: Callable[[], object]) -> Finding:
    try:
        return Finding("ok", what, f"provided by {type(get()).__name__}")
    except ToolError as error:
        return Finding("note", what, str(error))
    except AresError as error:
        return Finding("broken", what, str(error))
