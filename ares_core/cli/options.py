"""What can be said before or after any sub-command, and the kind of command that takes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
from msgspec import Struct


class Options(Struct):
    """The options that all sub-commands share."""

    as_json: bool = False
    config: str | None = None
    session: str | None = None
    approve: str = "ask"
    quiet: bool = False
    verbose: bool = False
    no_color: bool = False


def current() -> Options:
    """Give the options of the command that is running."""
    return click.get_current_context().find_root().ensure_object(Options)


SHARED_TOO = "The options of 'ares --help', such as --json, may stand here too."


class Command(click.Command):
    """A sub-command that takes the shared options too, wherever they stand."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.params += shared(hidden=True)
        self.epilog = self.epilog or SHARED_TOO


def command(name: str | None = None, **attributes: Any) -> Callable[[Callable[..., Any]], Command]:
    """Make a sub-command of a function; what it returns is the exit code, ``None`` is 0."""
    return click.command(name, cls=Command, **attributes)


class Section(click.Group):
    """A sub-command with sub-commands of its own."""

    command_class = Command

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.params += shared(hidden=True)
        self.epilog = self.epilog or SHARED_TOO

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the sub-command that the arguments name, or say which one may be meant."""
        check_command(self, ctx, args[0])
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the sub-commands, each with the whole of its first sentence."""
        found = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        rows = [(name, one.get_short_help_str(limit=200)) for name, one in found if one is not None and not one.hidden]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


def check_command(group: click.Group, ctx: click.Context, name: str) -> None:
    """Refuse the name of a sub-command that is not there."""
    known = group.list_commands(ctx)
    if name in known or name.startswith("-") or ctx.resilient_parsing:
        return
    from ares_core.cli.choosing import no_such

    error = no_such("command", name, known)
    error.ctx = ctx
    raise error


def shared(*, hidden: bool) -> list[click.Parameter]:
    """Make the options that may stand anywhere; each is kept for ``current()`` as soon as it is read."""

    def option(*names: str, **attributes: Any) -> click.Option:
        return click.Option(names, expose_value=False, callback=_keep, hidden=hidden, **attributes)

    return [
        option("--json", "as_json", is_flag=True, help="One JSON document on stdout, also for errors."),
        option("--config", metavar="FILE", help="A configuration file that counts before all others."),
        option("--session", metavar="NAME", help="The session whose guards and budgets count these calls."),
        option(
            "--approve", type=click.Choice(["ask", "never", "always"]), metavar="HOW",
            help="Calls that need approval: ask (default), never or always.",
        ),
        option("--quiet", "-q", is_flag=True, help="Only answers and errors."),
        option("--verbose", "-v", is_flag=True, help="Show traces and what plugins log."),
        option("--no-color", is_flag=True, help="No colours; the variable NO_COLOR does the same."),
    ]  # fmt: skip


def _keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    if value and parameter.name:
        setattr(context.find_root().ensure_object(Options), parameter.name, value)
