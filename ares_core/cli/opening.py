"""Making the ``Ares`` of one command line: its configuration, its stores, its approver, its log."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from msgspec.structs import replace

from ares_core.app import Ares
from ares_core.cli.options import Options, current
from ares_core.config import Loaded, load
from ares_core.discovery import entry_points
from ares_core.errors import ConfigError
from ares_core.protocols import Approver

KEEPER = "store-sqlite"
"""The plugin that keeps things when the configuration names no other."""
KINDS = ("evidence", "events", "ledger", "approvals")


@contextmanager
def opened(*, warns: bool = True, approved_by: Approver | None = None) -> Iterator[Ares]:
    """Give an ``Ares`` with every installed plugin loaded, and close it afterwards.

    ``warns=False`` is for commands that show by themselves what a warning would say. ``approved_by`` approves in place
    of the person at the terminal.
    """
    options = current()
    with _log(options, warns and not options.quiet), _ready(loaded(), options, approved_by) as ares:
        yield ares


def loaded() -> Loaded:
    """Read the configuration: the file given with ``--config``, variables, the project's file, the user's."""
    return load(current().config, files=True)


def with_stores(configured: Loaded) -> Loaded:
    """Let the keeper, if it is there, keep what no other source assigned."""
    plugins, stores = configured.settings.plugins, configured.settings.stores
    chosen = {kind: KEEPER for kind in KINDS if f"stores.{kind}" not in configured.sources}
    wanted = KEEPER not in plugins.block and (plugins.only is None or KEEPER in plugins.only)
    if not chosen or not wanted or all(entry.name != KEEPER for entry in entry_points()[0]):
        return configured
    return replace(configured, settings=replace(configured.settings, stores=replace(stores, **chosen)))


def _ready(plain: Loaded, options: Options, approved_by: Approver | None) -> Ares:
    configured = with_stores(plain)
    approves = approved_by or approver(options)
    ares = Ares(config=configured, approver=approves)
    try:
        ares.ready()
    except ConfigError:
        ares.close()
        if plain.settings == configured.settings:
            raise
        # The keeper was not chosen by anybody, so that it is broken must not end the command.
        ares = Ares(config=replace(plain, notes=()), approver=approves)  # what is to be remarked was said by then
        ares.ready()
    broken = ares.runner.broken
    if broken is not None and f"stores.{broken[0]}" not in configured.sources:
        ares.runner.broken = None
    return ares


def approver(options: Options) -> Approver | None:
    """Give who approves: a person at the terminal, nobody, or everything."""
    if options.approve == "always":
        return lambda approval: True
    if options.approve == "never" or not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    from ares_core.cli.approving import ask_person

    return ask_person


@contextmanager
def _log(options: Options, warns: bool) -> Iterator[None]:
    """Send what plugins and the core log to stderr, a line each; traces only on demand."""
    log = logging.getLogger("ares")
    before = log.level, log.propagate
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Lines(options.verbose))
    log.setLevel(logging.DEBUG if options.verbose else logging.WARNING if warns else logging.ERROR)
    log.propagate = False
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(before[0])
        log.propagate = before[1]


class _Lines(logging.Formatter):
    """``warning: …``, and an exception by its name unless traces are wanted."""

    def __init__(self, traces: bool) -> None:
        super().__init__()
        self._traces = traces

    def format(self, record: logging.LogRecord) -> str:
        from ares_core.cli.output import printable

        text = f"{record.levelname.lower()}: {printable(record.getMessage())}"
        if not record.exc_info or record.exc_info[1] is None:
            return text
        error = record.exc_info[1]
        what = f"\n{self.formatException(record.exc_info)}" if self._traces else f" ({type(error).__name__}: {error})"
        return text + what
