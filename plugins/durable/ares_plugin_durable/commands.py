"""``ares durable``: durable calls and requests, and the jobs that are kept."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import click
import msgspec

from ares_core import Ares, Result, UsageError, cli

Work = Callable[[Any], Awaitable[Any]]
MOST_COMPLETED = 200
CALL, ASK = "ares_plugin_durable.jobs:call", "ares_plugin_durable.jobs:ask"


def _ids(ares: Ares) -> list[str]:
    """Give the ids that a shell may complete to."""
    return [row["id"] for row in _at(_url(ares), lambda kept: kept.jobs(MOST_COMPLETED))]


@click.group(cls=cli.Section)
def command() -> None:
    """Do work that survives a crash, and see what became of it."""


@command.command()
@click.argument("tool", shell_complete=cli.completing.tools)
@cli.arguments_options()
@click.option("--id", "id_", metavar="ID", help="The job's id; the same again gives the outcome again.")
def call(tool: str, values: tuple[str, ...], given: str | None, id_: str | None) -> int:
    """Make one call that survives a crash; its arguments are written as for 'ares call'."""
    with cli.opened() as ares:
        payload = {"tool": tool, "arguments": cli.arguments_given(ares, tool, values, given)}
        return _shown(ares, CALL, payload, id_, called=True)


@command.command()
@click.argument("request", nargs=-1, required=True)
@click.option("--id", "id_", metavar="ID", help="The job's id; the same again gives the outcome again.")
def ask(request: tuple[str, ...], id_: str | None) -> int:
    """Do what a request in words asks for, each step kept."""
    with cli.opened() as ares:
        return _shown(ares, ASK, {"request": cli.words(request)}, id_)


@command.command()
@click.option("--limit", "-n", type=click.IntRange(1, 1000), default=20, show_default=True, help="How many.")
def jobs(limit: int) -> int:
    """List the jobs that are kept, newest first."""

    async def listed(durable: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = await durable.jobs(limit)
        return found

    return _listed(_with(listed), "No jobs are kept yet.")


@command.command()
@click.argument("id_", metavar="ID", shell_complete=cli.completing.kept(_ids))
def show(id_: str) -> int:
    """Show a job with its outcome."""
    kept: dict[str, Any] = _with(lambda durable: durable.show(id_))
    if cli.current().as_json:
        cli.document(kept)
        return 0
    outcome = kept.pop("outcome")
    if isinstance(outcome, dict) and "success" in outcome:
        result = msgspec.convert(outcome, Result)
        outcome = result.data if result.success else cli.unframed(result.text)
    said = outcome if isinstance(outcome, str) else msgspec.json.encode(outcome).decode()
    rows = {**kept, "outcome": None if outcome is None else said}
    cli.answer("\n".join(f"{name}: {value}" for name, value in rows.items() if value not in (None, "")))
    return 0


@command.command()
@click.argument("id_", metavar="ID", shell_complete=cli.completing.kept(_ids))
def cancel(id_: str) -> int:
    """Stop a job before its next step."""
    _with(lambda durable: durable.cancel(id_))
    return _done(f"{id_} is cancelled; 'ares durable resume {id_}' lets it go on.", id=id_, cancelled=True)


@command.command()
@click.argument("id_", metavar="ID", shell_complete=cli.completing.kept(_ids))
def resume(id_: str) -> int:
    """Let a job that was cancelled go on, to its end."""

    async def go_on(durable: Any) -> Any:
        kept = await durable.show(id_)
        await durable.resume(id_)
        if kept["since"] or kept["outcome"] is None:
            cli.note(f"{id_}: {kept['since']}." if kept["since"] else f"{id_} goes on.")
        try:
            return await durable.attend(id_, cli.note)
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
@click.argument("tool", shell_complete=cli.completing.tools)
@cli.arguments_options()
def schedule(name: str, cron: str, tool: str, values: tuple[str, ...], given: str | None) -> int:
    """Call a tool again and again, such as at '0 7 * * *', while some 'ares durable work' runs."""
    with cli.opened() as ares:
        arguments, url = cli.arguments_given(ares, tool, values, given), _url(ares)
        _check(ares, tool, arguments)
    payload = {"tool": tool, "arguments": arguments}
    _at(url, lambda durable: durable.schedule(name, cron, CALL, payload))
    return _done(f"{name} is kept; 'ares durable work' runs what is due.", schedule=name, kept=True)


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
    return _done(f"{name} is taken out.", schedule=name, kept=False)


@command.command()
def work() -> int:
    """Run what is scheduled, queued or was cut off, until Ctrl-C."""
    with cli.opened() as ares:
        asyncio.run(_working(ares, _until_told_to_end))
    return 0


async def _until_told_to_end(durable: Any) -> None:
    from ares_plugin_durable.making import FINISHING

    over, loop = asyncio.Event(), asyncio.get_running_loop()
    with suppress(NotImplementedError):  # Windows: Ctrl-C interrupts it
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, over.set)
    cli.note("Working; Ctrl-C ends it.")
    await over.wait()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.remove_signal_handler(number)
    if durable.is_making:
        cli.note(FINISHING)


def _check(ares: Ares, tool: str, arguments: dict[str, Any]) -> None:
    """Refuse what no call at its time could do."""
    ares.bring([tool])
    found = ares.registry.get(tool)
    if found is None:
        raise cli.no_such("tool", tool, ares.view.entries)
    if issues := ares.view.entries[found.name].checker.correct(arguments).issues:
        raise click.UsageError(f"the arguments don't fit {found.name}: {'; '.join(map(str, issues))}.")


def _done(sentence: str, **facts: Any) -> int:
    if cli.current().as_json:
        cli.document(facts)
    else:
        cli.note(sentence)
    return 0


def _listed(found: list[dict[str, Any]], none: str) -> int:
    if cli.current().as_json:
        cli.document(found)
    elif found:
        cli.table(list(found[0]), [list(map(str, one.values())) for one in found])
    else:
        cli.note(none)
    return 0


def _shown(ares: Ares, job: str, payload: dict[str, Any], id_: str | None, *, called: bool = False) -> int:
    async def work(durable: Any) -> Result:
        from ares_plugin_durable.outcomes import KeyConflict

        try:
            name = await durable.start(job, payload, id=id_)
        except KeyConflict as conflict:
            return conflict.result
        return msgspec.convert(await durable.attend(name, cli.note), Result)

    with cli.working("durable"):
        result = asyncio.run(_working(ares, work))
        cli.show(ares, result)
    return cli.exit_code(result, called=called)


async def _working(ares: Any, work: Work) -> Any:
    from ares_plugin_durable.engine import Durable

    cli.tell_progress(ares)
    with _sentences():
        async with Durable(ares) as durable:
            return await work(durable)


def _with(work: Work) -> Any:
    """Do something with what is kept, without beginning any of the work that waits."""
    with cli.opened() as ares:
        url = _url(ares)
    return _at(url, work)


def _url(ares: Ares) -> str:
    from ares_plugin_durable.engine import place, settings_of

    return place(settings_of(ares))


def _at(url: str, work: Work) -> Any:
    from ares_plugin_durable.kept import Kept

    async def looked() -> Any:
        async with Kept(url) as kept:
            return await work(kept)

    with _sentences():
        return asyncio.run(looked())


@contextmanager
def _sentences() -> Iterator[None]:
    """Say what is wrong with a command, or with the database, in a sentence."""
    from sqlalchemy.exc import DatabaseError

    try:
        yield
    except UsageError as error:
        raise click.UsageError(f"{error}.") from None
    except DatabaseError as error:
        raise click.ClickException(f"durable.url: the database can't be used: {error.orig}"[:300]) from None
