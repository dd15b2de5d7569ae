"""``ares parse``: read a model's response and show its tool calls."""

from __future__ import annotations

from typing import BinaryIO

import click
from msgspec import to_builtins

from ares_core.cli import completing, options, output
from ares_core.cli.choosing import no_such
from ares_core.cli.opening import opened
from ares_core.formats import Turn

LARGEST = 64_000_000


@options.command()
@click.argument("file", default="-", type=click.File("rb"))
@click.option("--wire", metavar="NAME", shell_complete=completing.wires, help="The format; recognised if left out.")
@click.option("--model", metavar="NAME", help="The model that was asked, for its profile; else the response says it.")
def command(file: BinaryIO, wire: str | None, model: str | None) -> int:
    """Read a model's response and show its tool calls.

    FILE, or stdin, holds the body or the event stream of a response, as it came from the provider. Nothing is run.
    """
    raw = file.read(LARGEST + 1)
    if len(raw) > LARGEST:
        raise click.UsageError(f"{file.name} is larger than {LARGEST:,} bytes.")
    if not raw.strip():
        raise click.UsageError("There is nothing in it: give a provider's response in a file, or on stdin.")
    with opened() as ares:
        check_wire(ares.wires.names(), wire)
        turn = ares.parse(raw, wire, model=model)
    if options.current().as_json:
        output.document(to_builtins(turn, enc_hook=str))
    else:
        show(turn)
    return 0 if turn.outcome in ("calls", "final") else 1


def check_wire(known: list[str], wire: str | None) -> None:
    """Refuse the name of a format that nobody brings."""
    if wire is not None and not known:
        raise click.UsageError(f"There is no wire format {wire!r:.80}. Install ares-plugin-wires to have some.")
    if wire is not None and wire not in known:
        raise no_such("wire format", wire, known)


def show(turn: Turn) -> None:
    """Write the calls and the text to stdout, and how the turn ended to stderr."""
    for call in turn:
        arguments = call.arguments if isinstance(call.arguments, str) else output.json_text(call.arguments, indent=None)
        output.answer(f"{call.name}({arguments})")
    if turn.text:
        output.answer(turn.text)
    reason = f": {turn.reason}" if turn.reason else ""
    output.note(f"{turn.wire}, {turn.outcome}{reason}")
