"""What a command line gives a tool: ``KEY=VALUE`` by the tool's own schema, and all at once as JSON with ``--args``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from ares_core.call import Refused, resolve
from ares_core.cli.arguments import read_arguments
from ares_core.cli.reading import read_text
from ares_core.decode import decode
from ares_core.errors import DecodeError

if TYPE_CHECKING:
    from ares_core.app import Ares


def arguments_options() -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add ``[KEY=VALUE]...`` and ``--args``; gives them as ``values`` and ``given``."""
    values = click.argument("values", nargs=-1, metavar="[KEY=VALUE]...")
    told = "All arguments as JSON, from a file, or from stdin."
    given = click.option("--args", "given", metavar="JSON|@FILE|-", help=told)
    return lambda command: values(given(command))


def arguments_given(ares: Ares, tool: str, values: tuple[str, ...], given: str | None) -> dict[str, Any]:
    """Read what ``arguments_options`` gave for a tool; raises ``click.UsageError`` in a sentence."""
    text = None if given is None else read_text(given)
    found = {} if text is None else _decoded(text, added=bool(values))
    return {**found, **_typed(ares, tool, values)} if values else found


def _typed(ares: Ares, tool: str, values: tuple[str, ...]) -> dict[str, Any]:
    """Read the values by the schema of the tool that the name means; of a tool that isn't there, as text."""
    schema: Mapping[str, Any] = {}
    ares.bring([tool])
    try:
        entry = ares.view.entries.get(tool) or resolve(tool, ares.view, ares.table).entry
        schema = entry.tool.parameters
    except Refused:
        values = tuple(value for value in values if "=" in value)
    return read_arguments(values, schema)


def _decoded(text: str, *, added: bool) -> dict[str, Any]:
    try:
        value = decode(text)[0]
    except DecodeError as error:
        raise click.UsageError(f"--args can't be read: {error}") from None
    if not isinstance(value, dict):
        raise click.UsageError(f"--args is no JSON object{', so KEY=VALUE cannot be added to it' if added else ''}.")
    return value
