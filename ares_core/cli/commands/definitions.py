"""``ares definitions``: publish the tools in a provider's dialect."""

from __future__ import annotations

import click

from ares_core.cli import options, output
from ares_core.cli.commands.parse import check_wire
from ares_core.cli.ending import FAILED
from ares_core.cli.opening import opened


@options.command()
@click.option("--wire", metavar="NAME", default="openai-chat", show_default=True, help="The provider's format.")
@click.option("--tool-choice", metavar="CHOICE", help="auto, none, required, or the name of a tool.")
@click.option("--strict", is_flag=True, help="The provider's strict mode, where a tool's schema allows it.")
@click.option("--check", is_flag=True, help="Print only what the dialect can't carry over; exit 1 if there is any.")
def command(wire: str, tool_choice: str | None, strict: bool, check: bool) -> int:
    """Publish the tools in a provider's dialect.

    Prints the list that goes under 'tools' of a request; with --json the whole fragment and what was lost.
    """
    with opened() as ares:
        check_wire(ares.wires.names(), wire)
        found = ares.definitions(wire, tool_choice, strict=strict)
    if options.current().as_json:
        output.document({"tools": list(found), "request": found.request, "lost": list(found.lost)})
    elif not check:
        output.document(list(found))
    else:
        for sentence in found.lost:
            output.answer(sentence)
    return FAILED if check and found.lost else 0
