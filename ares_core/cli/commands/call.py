"""``ares call``: call a tool by name."""

from __future__ import annotations

from typing import Any

import click

from ares_core.cli import completing, options
from ares_core.cli.giving import arguments_given, arguments_options
from ares_core.cli.opening import opened
from ares_core.cli.progress import tell_progress, working
from ares_core.cli.reading import read_text
from ares_core.cli.shown import exit_code, show


@options.command()
@click.argument("tool", shell_complete=completing.tools)
@arguments_options()
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS", help="For this call.")
def command(tool: str, values: tuple[str, ...], given: str | None, timeout: float | None) -> int:
    """Call a tool by name.

    Values are read by the tool's own schema. KEY:=JSON says a value exactly, OUTER.INNER=VALUE reaches into an
    object, a repeated key makes a list. The one argument that a tool requires needs no key.

    \b
    ares call calculator "2**100"
    ares call hash_tool operation=sha256 input=hello
    ares call calculator -- "-2**2"
    """
    with opened() as ares:
        if given is not None and not values:
            arguments: Any = read_text(given)  # read as a model's text is, mended and refused alike
        else:
            arguments = arguments_given(ares, tool, values, given)
        tell_progress(ares)
        with working(tool):
            result = ares.call_sync(tool, arguments, session=options.current().session, timeout=timeout)
        show(ares, result)
    return exit_code(result, called=True)
