"""``ares approvals``: look at calls that wait for a person, decide, and let them go on."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import click
from msgspec import to_builtins

from ares_core.app import Ares
from ares_core.cli import completing, options, output
from ares_core.cli.approving import changes
from ares_core.cli.opening import opened
from ares_core.cli.progress import working
from ares_core.cli.reading import read_text
from ares_core.cli.shown import exit_code, show
from ares_core.decode import decode
from ares_core.errors import DecodeError, UsageError
from ares_core.stores import PendingApproval


def _waiting(ares: Ares) -> Iterable[str]:
    return (one.id for one in reversed(ares.approvals.list()) if _is_open(one))


IDENTITY = click.argument("id", shell_complete=completing.kept(_waiting))


@click.group(cls=options.Section, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Look at calls that wait for a person, decide, let them go on.

    They wait when approvals.defer is set and nobody can be asked, or when an approver puts them off.
    """
    if context.invoked_subcommand is None:
        context.invoke(list_approvals)


@command.command("list")
@click.option("--all", "everything", is_flag=True, help="Also those that are decided or over.")
def list_approvals(everything: bool = False) -> None:
    """List the calls that wait, or are approved and not resumed yet."""
    with opened() as ares:
        found = [one for one in ares.approvals.list() if everything or _is_open(one)]
    if options.current().as_json:
        output.document([_document(one) for one in found])
    elif found:
        output.table(("id", "status", "until", "tool", "arguments"), [_row(one) for one in found])
    else:
        output.note("Nothing waits for a person.")


@command.command("show")
@IDENTITY
def show_approval(id: str) -> None:
    """Show one call: its final arguments, and what was changed in those that were asked for."""
    with opened() as ares:
        one = _found(ares, id)
    if options.current().as_json:
        output.document(_document(one))
        return
    output.answer(f"{one.tool} ({one.reason})\nstatus: {_status(one)}, until {_clock(one.expires)}")
    output.answer(changes(one.arguments, one.asked))


@command.command("approve")
@IDENTITY
def approve(id: str) -> None:
    """Approve a call that waits; it runs when it is resumed."""
    with opened() as ares:
        _decided(ares, id, "approved")
    output.note(f"It runs when what asked for it goes on, such as a graph's run, or with: ares approvals resume {id}.")


@command.command("deny")
@IDENTITY
@click.option("--reason", default="", help="What the model gets to know.")
def deny(id: str, reason: str) -> None:
    """Deny a call that waits, or that was approved and is not resumed yet."""
    with opened() as ares:
        _decided(ares, id, "denied", reason)


@command.command("resume")
@IDENTITY
@click.option("--args", "given", metavar="JSON|@FILE|-", help="The arguments that held secrets, which are not stored.")
def resume(id: str, given: str | None) -> int:
    """Run an approved call, once; a second time shows its outcome again."""
    arguments = None if given is None else _read(given)
    with opened() as ares:
        one = _found(ares, id)
        with working(one.tool):
            result = ares.approvals.resume_sync(id, arguments)
        show(ares, result)
    if result.error is not None and result.error.code == "unknown_tool":
        output.note("What asked has tools of its own: let it go on by itself, a graph with 'ares graph resume RUN'.")
    return exit_code(result)


def _decided(ares: Ares, id: str, status: str, reason: str = "") -> None:
    _found(ares, id)
    try:
        one = ares.approvals.approve(id) if status == "approved" else ares.approvals.deny(id, reason)
    except UsageError as error:
        raise click.UsageError(f"{str(error)[:1].upper()}{str(error)[1:]}.") from None
    if options.current().as_json:
        output.document(_document(one))
    else:
        output.answer(f"{one.tool} is {status}: {output.json_text(one.arguments, indent=None)}")


def _found(ares: Ares, id: str) -> PendingApproval:
    try:
        return ares.approvals.get(id)
    except UsageError:
        raise click.UsageError(f"There is no approval {id!r:.80}; 'ares approvals list --all' shows them.") from None


def _read(given: str) -> dict[str, Any]:
    try:
        value = decode(read_text(given))[0]
    except DecodeError as error:
        raise click.UsageError(f"--args can't be read: {error}") from None
    if not isinstance(value, dict):
        raise click.UsageError("--args is no JSON object.")
    return value


def _is_open(one: PendingApproval) -> bool:
    return _status(one) in ("waiting", "approved")


def _status(one: PendingApproval) -> str:
    """Give the status, also of one whose time is over."""
    return "expired" if one.status in ("waiting", "approved") and one.expires <= time.time() else one.status


def _row(one: PendingApproval) -> tuple[str, ...]:
    return one.id, _status(one), _clock(one.expires), one.tool, output.json_text(one.arguments, indent=None)


def _document(one: PendingApproval) -> dict[str, Any]:
    return {**to_builtins(one), "status": _status(one)}


def _clock(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
