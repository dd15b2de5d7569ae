"""``ares definitions``: publish the tools in a provider's dialect."""

from __future__ import annotations

import click

from ares_core.cli import completing, options, output
from ares_core.cli.choosing import chosen, tools_option
from ares_core.cli.commands.parse import check_wire
from ares_core.cli.ending import FAILED
from ares_core.cli.opening import opened


@options.command()
@click.option(
    "--wire",
    metavar="NAME",
    default="openai-chat",
    show_default=True,
    shell_complete=completing.wires,
    help="The provider's format.",
)
@click.option(
    "--tool-choice",
    metavar="CHOICE",
    shell_complete=completing.tools,
    help="auto, none, required, or the name of a tool.",
)
@tools_option()
@click.option("--strict", is_flag=True, help="The provider's strict mode, where a tool's schema allows it.")
@click.option("--check", is_flag=True, help="Print only what the dialect can't carry over; exit 1 if there is any.")
def command(wire: str, tool_choice: str | None, tools: list[str], strict: bool, check: bool) -> int:
    """Publish the tools in a provider's dialect.

    Prints the list that goes under 'tools' of a request; with --json also the whole fragment, the words for the system
    prompt, the names that had to change, and what was lost.
    """
    with opened() as ares:
        check_wire(ares.wires.names(), wire)
        door = chosen(ares, tools)
        found = door.definitions(wire, tool_choice, strict=strict)
        names = {name: sent for name, sent in ares.wires.wire_names(door.tools(), wire).items() if name != sent}
    if options.current().as_json:
        rest = {"request": found.request, "prompt": found.prompt, "names": names, "lost": list(found.lost)}
        output.document({"tools": list(found), **rest})
    elif not check:
        output.document(list(found))
    else:
        for sentence in found.lost:
            output.answer(sentence)
        if not found.lost:
            output.note(f"{wire} carries all of it")
    return FAILED if check and found.lost else 0
