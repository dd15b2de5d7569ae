"""``ares call``: call a tool by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from ares_core.app import Ares
from ares_core.call import Refused, resolve
from ares_core.cli import completing, options, output
from ares_core.cli.arguments import read_arguments
from ares_core.cli.opening import opened
from ares_core.cli.progress import working
from ares_core.cli.reading import read_text
from ares_core.cli.shown import exit_code, show
from ares_core.decode import decode
from ares_core.errors import DecodeError
from ares_core.events import Event


@options.command()
@click.argument("tool", shell_complete=completing.tools)
@click.argument("values", nargs=-1, metavar="[KEY=VALUE]...")
@click.option("--args", "given", metavar="JSON|@FILE|-", help="All arguments as JSON, from a file, or from stdin.")
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
    text = None if given is None else read_text(given)
    with opened() as ares:
        ares.bring([tool])
        arguments = text if text is not None and not values else {**_decoded(text), **typed(ares, tool, values)}
        if not (options.current().as_json or options.current().quiet):
            ares.on_event(_tell_progress)
        with working(tool):
            result = ares.call_sync(tool, arguments, session=options.current().session, timeout=timeout)
        show(ares, result)
    return exit_code(result, called=True)


def _tell_progress(event: Event) -> None:
    if event.kind == "progress":
        done, total = (_written(event.data.get(part)) for part in ("progress", "total"))
        how_far = f" ({done} of {total})" if done and total else f" ({done})" if done else ""
        output.note(f"{event.data.get('message', '')}{how_far}")


def _written(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) else ""


def typed(ares: Ares, tool: str, values: tuple[str, ...]) -> dict[str, Any]:
    """Read the values by the schema of the tool that the name means; of a tool that isn't there, as text."""
    schema: Mapping[str, Any] = {}
    try:
        entry = ares.view.entries.get(tool) or resolve(tool, ares.view, ares.table).entry
        schema = entry.tool.parameters
    except Refused:
        values = tuple(value for value in values if "=" in value)
    return read_arguments(values, schema)


def _decoded(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        value = decode(text)[0]
    except DecodeError as error:
        raise click.UsageError(f"--args can't be read: {error}") from None
    if not isinstance(value, dict):
        raise click.UsageError("--args is no JSON object, so KEY=VALUE can't be added to it.")
    return value
