"""``ares events``: show what happened to calls."""

from __future__ import annotations

import datetime as dt
import sys
import time

import click
from msgspec import Struct, to_builtins

from ares_core.cli import options, output
from ares_core.cli.opening import opened
from ares_core.events import EVENT_KINDS, Event
from ares_core.protocols import EventStore

EVERY = 0.5
MOST = 10_000


@options.command()
@click.option("--limit", "-n", type=click.IntRange(1, MOST), default=50, show_default=True, help="How many.")
@click.option("--tool", metavar="NAME", help="Only of this tool.")
@click.option("--execution", metavar="ID", help="Only of this call.")
@click.option("--kind", type=click.Choice(EVENT_KINDS), help="Only of this kind.")
@click.option("--follow", "-f", is_flag=True, help="Go on with what happens from now on, until Ctrl-C.")
def command(limit: int, tool: str | None, execution: str | None, kind: str | None, follow: bool) -> int:
    """Show what happened to calls, oldest first; with --session only of that session.

    Events are kept by the plugin that stores.events names, store-sqlite if it is installed.
    """
    if follow and options.current().as_json:
        raise click.UsageError("--json prints one document, so it can't --follow.")
    with opened() as ares:
        store = ares.events
        if store is None:
            raise click.UsageError("No events are kept; install ares-plugin-store-sqlite, or set stores.events.")

        wanted = Wanted(store, tool, options.current().session, execution, kind)
        found = wanted.newest(limit)
        if options.current().as_json:
            output.document([to_builtins(event) for event in found])
            return 0
        for event in found:
            output.answer(line(event))
        if not found:
            output.note("Nothing has happened yet.")
        while follow:
            found = _news(wanted, found)
    return 0


class Wanted(Struct, frozen=True):
    """Which events are asked for, and where they are kept."""

    store: EventStore
    tool: str | None
    session: str | None
    execution: str | None
    kind: str | None

    def newest(self, most: int) -> list[Event]:
        """Give the newest that fit, oldest first."""
        limit = most if self.kind is None else MOST
        found = self.store.query(limit=limit, tool=self.tool, session=self.session, execution_id=self.execution)
        return [event for event in found if self.kind in (None, event.kind)][-most:]


def line(event: Event) -> str:
    """Write an event in one line: when, which call, what."""
    when = dt.datetime.fromtimestamp(event.time).astimezone().isoformat(sep=" ", timespec="milliseconds")
    facts = " ".join(f"{key}={output.json_text(value, indent=None)}" for key, value in event.data.items())
    return f"{when}  {event.execution_id}  {event.tool}  {event.kind}  {facts}".rstrip()


def _news(wanted: Wanted, seen: list[Event]) -> list[Event]:
    time.sleep(EVERY)
    newest = wanted.newest(MOST)
    for event in newest[newest.index(seen[-1]) + 1 :] if seen and seen[-1] in newest else newest:
        output.answer(line(event))
    sys.stdout.flush()
    return newest or seen
