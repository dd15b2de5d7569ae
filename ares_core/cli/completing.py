"""What a shell completes: names of tools, plugins and the rest. Whatever goes wrong, the shell sees nothing of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr, redirect_stdout, suppress
from itertools import islice
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ares_core.app import Ares

Complete = Callable[[click.Context, click.Parameter, str], list[str]]
VARIABLE = "_ARES_COMPLETE"
MOST_OFFERED = 50
NEWEST = 500
PATIENCE = 2.0
"""Seconds; a shell that waits for longer seems to hang."""


def answer(command: click.Command, instruction: str) -> int:
    """Answer a shell that completes a command line; nothing else is written, whatever a plugin prints or raises."""
    from click.shell_completion import get_completion_class

    shell, _, what = instruction.partition("_")
    found = get_completion_class(shell)
    if found is None or what not in ("source", "complete"):
        return 1
    completion = found(command, {}, "ares", VARIABLE)
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        try:
            text = completion.source() if what == "source" else completion.complete()
        except (Exception, SystemExit):
            return 1
    sys.stdout.write(f"{text}\n" if text else "")
    return 0


def of(names: Callable[[Ares], Iterable[str]]) -> Complete:
    """Make a completion of names that an ``Ares`` knows; it opens no store, and asks no server."""

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
        from msgspec.structs import replace

        from ares_core.app import Ares
        from ares_core.cli.opening import loaded
        from ares_core.settings import Stores

        with context.scope(cleanup=False):
            configured = loaded()
        settings = replace(configured.settings, stores=Stores())
        with Ares(config=replace(configured, settings=settings)) as ares:
            ares.ready()
            return _begun(incomplete, names(ares))

    return complete


def kept(ids: Callable[[Ares], Iterable[str]]) -> Complete:
    """Make a completion of ids that are kept, the first few of them in their order; it waits for no slow store."""

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
        from threading import Thread

        found: list[str] = []

        def look() -> None:
            from ares_core.cli.opening import opened

            with suppress(Exception, SystemExit), context.scope(cleanup=False), opened(warns=False) as ares:
                fitting = (one for one in dict.fromkeys(ids(ares)) if one.startswith(incomplete))
                found.extend(islice(fitting, MOST_OFFERED))

        looking = Thread(target=look, daemon=True)
        looking.start()
        looking.join(PATIENCE)
        return list(found)

    return complete


def happened(*parts: str) -> Complete:
    """Make a completion of ids that the newest events have in these parts."""

    def newest(ares: Ares) -> Iterable[str]:
        events = [] if ares.events is None else ares.events.query(limit=NEWEST)
        ids = (getattr(event, part) for event in reversed(events) for part in parts)
        return (one for one in ids if one)

    return kept(newest)


def plugins(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Complete the name of a plugin, from metadata alone."""
    from ares_core.discovery import installed

    return _begun(incomplete, installed())


def several(complete: Complete) -> Complete:
    """Make a completion of names with commas between them: the last one is completed."""

    def last(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
        before, comma, begun = incomplete.rpartition(",")
        return [f"{before}{comma}{name}" for name in complete(context, parameter, begun)]

    return last


def _begun(incomplete: str, names: Iterable[str]) -> list[str]:
    return sorted({name for name in names if name.startswith(incomplete)})


tools = of(lambda ares: ares.registry.list_tool_names())
"""Complete the name of a tool."""
capabilities = of(lambda ares: [one for tool in ares.tools() for one in ares.registry.capabilities(tool)])
"""Complete the name of something that a tool can do."""
wires = of(lambda ares: ares.wires.names())
"""Complete the name of a wire format."""
executions = happened("execution_id")
"""Complete the id of a call."""
runs = happened("run")
"""Complete the id of a run or a plan."""
told_of = happened("execution_id", "run", "session")
"""Complete the id of a call, a run or a session."""
rule_sets = of(lambda ares: [one.name for _, one in ares.hooks.rule_sets()])
"""Complete the name of a set of rules."""
