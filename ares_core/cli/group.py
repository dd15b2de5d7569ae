"""The command ``ares``: finds its sub-commands by name and imports only the one that is called."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import click

from ares_core.cli.options import check_command, shared
from ares_core.discovery import COMMAND_GROUP, EntryPoint, entry_points

GROUPS = {
    "Use tools": {
        "ask": "Do what a request in words asks for.",
        "call": "Call a tool by name.",
        "plan": "Show what a request would do; run nothing.",
        "parse": "Read a model's response and show its tool calls.",
        "definitions": "Publish the tools in a provider's dialect.",
    },
    "See what there is and what happened": {
        "tools": "List the tools, or describe one.",
        "plugins": "List the plugins, and say why one failed.",
        "events": "Show what happened to calls.",
        "evidence": "Show, export or forget how tools have done.",
        "approvals": "Look at calls that wait for a person, decide, let them go on.",
        "rules": "List the planner's rule sets, or test requests.",
    },
    "Set up": {
        "init": "Write a commented ares.yaml.",
        "trust": "Let a project's configuration file count in full.",
        "doctor": "Check the installation and say what to mend.",
        "plugin": "Write a new plugin.",
        "completion": "Print the completion script of a shell.",
        "version": "Show the versions.",
    },
}
"""The core's sub-commands as the help shows them, with the line that it shows without importing them."""
COMMANDS = {name: line for group in GROUPS.values() for name, line in group.items()}
"""The same, by name."""


SHORTEST = 5
"""The first part of a line that a clause has to fill, so that the rest may be left out."""


class Commands(click.Group):
    """The command ``ares``. Plugins' sub-commands are listed from metadata and imported when they are called."""

    def __init__(self) -> None:
        super().__init__(
            "ares",
            help="Call tools by name, or by what you want to know. More: ares COMMAND --help",
            params=shared(hidden=False),
            context_settings={"help_option_names": ["-h", "--help"]},
        )
        self.params.append(click.Option(["--version"], is_flag=True, is_eager=True, expose_value=False,
                                        callback=_version, help="Show the versions and exit."))  # fmt: skip

    def list_commands(self, ctx: click.Context | None = None) -> list[str]:
        """Give the names: the core's in the order of the table, then the plugins'."""
        return [*COMMANDS, *sorted(_external())]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a sub-command; one that can't be imported is an error in a sentence."""
        if cmd_name in COMMANDS:
            module = importlib.import_module(f"ares_core.cli.commands.{cmd_name}")
            found: click.Command = module.command
            return found
        entry = _external().get(cmd_name)
        return load(entry) if entry else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the sub-command that the arguments name, or say which one may be meant."""
        check_command(self, ctx, args[0])
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the sub-commands in their groups, a line each, without importing any."""
        added = {name: _summary(entry) for name, entry in sorted(_external().items())}
        width = max(map(len, [*COMMANDS, *added]))
        for title, group in {**GROUPS, "From plugins": added}.items():
            if group:
                with formatter.section(title):
                    room = formatter.width - formatter.current_indent - width - 2
                    formatter.write_dl([(name.ljust(width), _short(line, room)) for name, line in group.items()])

    def __call__(self, args: Sequence[str] | None = None, **extra: Any) -> Any:
        """Run one command line and exit with its code."""
        from ares_core.cli.ending import run

        run(self, args, **extra)


def load(entry: EntryPoint) -> click.Command:
    """Import a plugin's sub-command."""
    module, _, attribute = entry.value.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute or "command")
    except (Exception, SystemExit) as error:
        again = f"pip install --force-reinstall {entry.distribution}"
        raise click.ClickException(
            f"the command {entry.name!r} of {entry.source} can't be imported ({type(error).__name__}: {error}); {again}"
        ) from error
    if not isinstance(found, click.Command):
        raise click.ClickException(f"the command {entry.name!r} of {entry.source} is {found!r:.80}, no click command")
    return found


def _external() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(COMMAND_GROUP)[0] if entry.name not in COMMANDS}


def _summary(entry: EntryPoint) -> str:
    """Give the line that the help shows: what the distribution says of itself, else which one it is."""
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        said = metadata(entry.distribution).json.get("summary")
    except PackageNotFoundError:
        said = None
    return said.replace(", for Ares", "") if isinstance(said, str) and said else f"From {entry.source}."


def _short(line: str, room: int) -> str:
    """Cut a line that is too long at the end of a clause, otherwise between two words.

    >>> _short("Graphs of tool calls: in a file, checked, resumed.", 40)
    'Graphs of tool calls: in a file.'
    """
    if len(line) <= room:
        return line
    begun = line[: room - 1]
    end = max(begun.rfind(mark) for mark in (", ", ": ", "; "))
    return f"{begun[:end]}." if end > room // SHORTEST else f"{begun.rpartition(' ')[0]} …"


def _version(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        from ares_core.cli.commands.version import show

        show()
        context.exit()
