"""``ares events``: what happened to calls, runs, turns and plans."""

from __future__ import annotations

import datetime as dt
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click
import msgspec
from msgspec import Struct, to_builtins
from msgspec.structs import replace

from ares_core.app import Ares
from ares_core.cli import completing, options, output
from ares_core.cli.ending import FAILED
from ares_core.cli.opening import loaded, opened
from ares_core.counts import counted, in_short
from ares_core.eventlog import read
from ares_core.events import EVENT_KINDS, Event
from ares_core.protocols import EventStore
from ares_core.settings import Stores

EVERY = 0.5
AT_ONCE = 10_000
MOST = 1_000_000


class Wanted(Struct, frozen=True):
    """Which events are asked for."""

    tool: str | None = None
    session: str | None = None
    execution: str | None = None
    kind: str | None = None
    run: str | None = None

    def newest(self, store: EventStore, most: int) -> list[Event]:
        """Give the newest that fit, oldest first."""
        if self.kind is not None:
            return list(deque(self.every(store), most))
        return store.query(limit=most, **self._asked())

    def every(self, store: EventStore) -> Iterator[Event]:
        """Give all that fit, oldest first."""
        found = read(store, **self._asked())
        return (event for event in found if self.kind in (None, event.kind))

    def _asked(self) -> dict[str, Any]:
        return {"tool": self.tool, "session": self.session, "execution_id": self.execution, "run": self.run}


def filters(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say which events."""
    for option in (
        click.option("--run", metavar="ID", shell_complete=completing.runs, help="Only of this run."),
        click.option("--kind", type=click.Choice(EVENT_KINDS), metavar="KIND", help="Only of this kind: finished, …"),
        click.option("--execution", metavar="ID", shell_complete=completing.executions, help="Only of this call."),
        click.option("--tool", metavar="NAME", shell_complete=completing.tools, help="Only of this tool."),
    ):
        function = option(function)
    return function


@click.group(cls=options.Section, invoke_without_command=True)
@click.option(
    "--limit", "-n", type=click.IntRange(1, MOST), metavar="N", default=50, show_default=True, help="How many."
)
@click.option("--follow", "-f", is_flag=True, help="Go on with what happens from now on, until Ctrl-C.")
@filters
@click.pass_context
def command(context: click.Context, /, limit: int, follow: bool, **wanted: str | None) -> None:
    """Show what happened to calls.

    Without a sub-command the newest events are listed, oldest first; with --session only of that session. Events are
    kept by the plugin that stores.events names, store-sqlite if it is installed.
    """
    if context.invoked_subcommand is None:
        if follow:
            context.invoke(tail, limit=limit, **wanted)
        else:
            context.invoke(list_events, limit=limit, **wanted)


@command.command("list")
@click.option(
    "--limit", "-n", type=click.IntRange(1, MOST), metavar="N", default=50, show_default=True, help="How many."
)
@filters
def list_events(limit: int, **wanted: str | None) -> None:
    """List the newest events, oldest first."""
    with _kept() as (_, store):
        found = Wanted(session=options.current().session, **wanted).newest(store, limit)
    if options.current().as_json:
        output.document([to_builtins(event) for event in found])
        return
    for event in found:
        output.answer(line(event))
    if not found:
        asked = any((options.current().session, *wanted.values()))
        output.note("Nothing that fits has happened yet." if asked else "Nothing has happened yet.")


@command.command()
@click.option(
    "--limit",
    "-n",
    type=click.IntRange(1, MOST),
    metavar="N",
    default=10,
    show_default=True,
    help="How many to begin with.",
)
@filters
def tail(limit: int, **wanted: str | None) -> None:
    """Show the newest events, and go on with what happens from now on, until Ctrl-C."""
    if options.current().as_json:
        raise click.UsageError("--json prints one document, so it can't go on; 'ares events export' prints JSON lines.")
    with _kept() as (_, store):
        asked = Wanted(session=options.current().session, **wanted)
        newest = asked.newest(store, AT_ONCE)
        for event in newest[-limit:]:
            output.answer(line(event))
        while True:
            sys.stdout.flush()
            time.sleep(EVERY)
            seen = set(map(msgspec.json.encode, newest))  # what other processes write comes in any order of times
            newest = asked.newest(store, AT_ONCE)
            fresh = [event for event in newest if msgspec.json.encode(event) not in seen]
            if len(fresh) == AT_ONCE:
                output.note(f"More than {AT_ONCE} events came at once; 'ares events export' has those left out here.")
            for event in fresh:
                output.answer(line(event))


@command.command()
@click.argument("id", metavar="ID", shell_complete=completing.told_of)
def show(id: str) -> int:
    """Show as a tree what a call, a run or a session did: how long it took and waited, what changed, who said no."""
    from ares_core.cli.story import drawn, story_of

    with _kept() as (_, store):
        stories = story_of(store, id)
    if not stories:
        raise click.UsageError(
            f"Nothing is kept of {id!r:.80}; 'ares events list' shows ids of calls, runs and sessions."
        )
    if options.current().as_json:
        output.document([to_builtins(story) for story in stories])
    else:
        for story in stories:
            output.answer("\n".join(drawn(story)))
    return 0


@command.command()
@click.option("--output", "-o", "path", type=click.Path(), help="A file, instead of stdout.")
@filters
def export(path: str | None, **wanted: str | None) -> None:
    """Write all events that fit as JSON lines, oldest first."""
    count = 0
    with _kept() as (_, store), _written_to(path) as write:
        for event in Wanted(session=options.current().session, **wanted).every(store):
            write(msgspec.json.encode(event))
            count += 1
    if path is not None and options.current().as_json:
        output.document({"path": path, "events": count})
    elif path is not None:
        output.note(f"{path} holds {counted(count, 'event')}.")


@command.command()
@click.argument("id", metavar="ID", shell_complete=completing.told_of)
def replay(id: str) -> int:
    """Make the calls of a recorded call or run again, with the recorded results in the tools' place.

    No tool runs. The first difference is shown: a repair, a policy's answer or a text that is not what it was. Calls
    that can't be made again, such as questions to a person, are left out and are no difference.
    """
    from ares_core.cli.story import replayed, story_of

    with _kept() as (_, store):
        stories = story_of(store, id)
    if not stories:
        raise click.UsageError(f"Nothing is kept of {id!r:.80}; 'ares events list' shows ids of calls and runs.")
    with _unrecorded() as ares:
        found = replayed(ares, stories)
    left_out = {"left_out": sum(found.left_out.values())} if found.left_out else {}
    if options.current().as_json:
        output.document({"calls": found.made, **left_out, "difference": found.difference})
        return 0 if found.difference is None else FAILED
    for why, count in found.left_out.items():
        output.note(f"Not replayed: {counted(count, 'call')} {why}.")
    if found.difference is None:
        output.answer(f"{counted(found.made, 'call')} went as recorded.")
        return 0
    output.answer(f"Call {found.made} went otherwise: {found.difference}")
    return FAILED


@command.command()
def check() -> int:
    """Look whether what is kept is whole: the store itself, and that every call that began has an end."""
    from ares_core.cli.story import faults

    with _kept() as (_, store):
        found = faults(store)
    if options.current().as_json:
        output.document({"faults": found})
    elif found:
        for fault in found:
            output.answer(fault)
    else:
        output.answer("Everything that is kept is whole.")
    return FAILED if found else 0


@contextmanager
def _written_to(path: str | None) -> Iterator[Callable[[bytes], Any]]:
    if path is None:
        yield lambda line: output.answer(line.decode())
        return
    try:
        with open(path, "wb") as file:
            yield lambda line: file.write(line + b"\n")
    except OSError as error:
        raise click.UsageError(f"{path} can't be written: {error.strerror}.") from None


@contextmanager
def _kept() -> Iterator[tuple[Ares, EventStore]]:
    with opened() as ares:
        if ares.events is None:
            raise click.UsageError("No events are kept; install ares-plugin-store-sqlite, or set stores.events.")
        yield ares, ares.events


@contextmanager
def _unrecorded() -> Iterator[Ares]:
    """Give an Ares as it is configured, that leaves no trace in any store."""
    configured = loaded()
    settings = replace(configured.settings, stores=Stores())
    with Ares(config=replace(configured, settings=settings), approver=lambda approval: True) as ares:
        yield ares


def line(event: Event) -> str:
    """Write an event in one line: when, which call or run, what."""
    when = dt.datetime.fromtimestamp(event.time).astimezone().isoformat(sep=" ", timespec="milliseconds")
    facts = " ".join(f"{key}={_fact(key, value)}" for key, value in event.data.items() if value is not None)
    who = f"{event.tool or event.node or event.run or '-'}"
    return f"{when}  {event.execution_id}  {who}  {event.kind}  {facts}".rstrip()


def _fact(key: str, value: Any) -> str:
    is_time = key.endswith("_ms") and isinstance(value, int | float)
    return in_short(value) if is_time else output.json_text(value, indent=None)
