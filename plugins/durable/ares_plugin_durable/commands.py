"""``ares durable``: durable calls and requests, and the jobs that are kept."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import click
import msgspec

from ares_core import Result, UsageError, cli, decode

Work = Callable[[Any], Awaitable[Any]]


@click.group(cls=cli.Section)
def command() -> None:
    """Do work that survives a crash, and see what became of it."""


@command.command()
@click.argument("tool")
@click.option("--args", "given", default="{}", metavar="JSON", help="The arguments.")
@click.option("--id", "id_", metavar="ID", help="The job's id; the same again gives the outcome again.")
def call(tool: str, given: str, id_: str | None) -> int:
    """Make one call that survives a crash."""
    arguments = _arguments(given)
    return _shown(lambda durable: durable.call(tool, arguments, id=id_), called=True)


@command.command()
@click.argument("request")
@click.option("--id", "id_", metavar="ID", help="The job's id; the same again gives the outcome again.")
def ask(request: str, id_: str | None) -> int:
    """Do what a request in words asks for, each step kept."""
    return _shown(lambda durable: durable.ask(request, id=id_))


@command.command()
@click.option("--limit", "-n", type=click.IntRange(1, 1000), default=20, show_default=True, help="How many.")
def jobs(limit: int) -> int:
    """List the jobs that are kept, newest first."""

    async def listed(durable: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = await durable.jobs(limit)
        return found

    return _listed(_with(listed), "No jobs are kept yet.")


@command.command()
@click.argument("id_", metavar="ID")
def cancel(id_: str) -> int:
    """Stop a job before its next step."""
    _with(lambda durable: durable.cancel(id_))
    cli.note(f"{id_} is cancelled; 'ares durable resume {id_}' lets it go on.")
    return 0


@command.command()
@click.argument("id_", metavar="ID")
def resume(id_: str) -> int:
    """Let a job that was cancelled go on, to its end."""

    async def go_on(durable: Any) -> Any:
        await durable.resume(id_)
        cli.note(f"{id_} goes on.")
        try:
            return await durable.result(id_)
        except Exception as error:
            raise click.ClickException(f"{id_} failed: {error}") from None

    with cli.opened() as ares, cli.working("durable"):
        found = asyncio.run(_working(ares, go_on))
        if not (isinstance(found, dict) and "success" in found):
            cli.document(found)
            return 0
        result = msgspec.convert(found, Result)
        cli.show(ares, result)
    return cli.exit_code(result)


@command.command()
@click.argument("name")
@click.argument("cron", metavar="'CRON'")
@click.argument("tool")
@click.option("--args", "given", default="{}", metavar="JSON", help="The arguments.")
def schedule(name: str, cron: str, tool: str, given: str) -> int:
    """Call a tool again and again, such as at '0 7 * * *', while some 'ares durable work' runs."""
    payload = {"tool": tool, "arguments": _arguments(given)}
    _with(lambda durable: durable.schedule(name, cron, "ares_plugin_durable.jobs:call", payload))
    cli.note(f"{name} is kept; 'ares durable work' runs what is due.")
    return 0


@command.command()
def schedules() -> int:
    """List the schedules that are kept."""
    return _listed(_with(lambda durable: durable.schedules()), "No schedules are kept.")


@command.command()
@click.argument("name")
def unschedule(name: str) -> int:
    """Take a schedule out."""
    if not _with(lambda durable: durable.unschedule(name)):
        raise click.UsageError(f"There is no schedule {name!r:.80}; 'ares durable schedules' lists them.")
    cli.note(f"{name} is taken out.")
    return 0


@command.command()
def work() -> int:
    """Run what is scheduled, queued or was cut off, until Ctrl-C."""

    async def forever(durable: Any) -> None:
        cli.note("Working; Ctrl-C ends it.")
        await asyncio.Event().wait()

    with cli.opened() as ares:
        asyncio.run(_working(ares, forever))
    return 0


def _arguments(given: str) -> dict[str, Any]:
    try:
        arguments, _ = decode(given)
    except ValueError as error:
        raise click.UsageError(f"--args can't be read: {error}") from None
    if not isinstance(arguments, dict):
        raise click.UsageError("--args is no JSON object.")
    return arguments


def _listed(found: list[dict[str, Any]], none: str) -> int:
    if cli.current().as_json:
        cli.document(found)
    elif found:
        cli.table(list(found[0]), [list(map(str, one.values())) for one in found])
    else:
        cli.note(none)
    return 0


def _shown(work: Work, *, called: bool = False) -> int:
    with cli.opened() as ares, cli.working("durable"):
        result = asyncio.run(_working(ares, work))
        cli.show(ares, result)
    return cli.exit_code(result, called=called)


async def _working(ares: Any, work: Work) -> Any:
    from ares_plugin_durable.engine import Durable

    try:
        async with Durable(ares) as durable:
            return await work(durable)
    except UsageError as error:
        raise click.UsageError(f"{error}.") from None


def _with(work: Work) -> Any:
    """Do something with what is kept, without beginning any of the work that waits."""
    from ares_plugin_durable.engine import place, settings_of
    from ares_plugin_durable.kept import Kept

    async def looked() -> Any:
        async with Kept(url) as kept:
            return await work(kept)

    with cli.opened() as ares:
        url = place(settings_of(ares))
    try:
        return asyncio.run(looked())
    except UsageError as error:
        raise click.UsageError(f"{error}.") from None
