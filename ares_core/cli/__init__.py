"""The command line: ``ares``, and ``python -m ares_core``; and what a plugin's command is made of.

Each sub-command is a module of ``commands/``, imported when it is called; plugins add theirs as entry points of the
group ``ares.commands``. ``group`` finds them, ``ending`` turns whatever happened into an exit code: 0 success, 1 the
tool or plan failed, 2 wrong usage or configuration. Answers go to stdout, everything else to stderr.

A plugin's command takes its parts from here, so that ``--json``, ``--quiet``, colours and exit codes are those of all
the others::

    from ares_core import cli

    @cli.command()
    @click.argument("name")
    def command(name: str) -> int:
        '''Greet somebody.'''
        with cli.opened() as ares, cli.working("greet"):
            result = ares.call_sync("greet", {"name": name})
        cli.show(ares, result)
        return cli.exit_code(result)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ares_core.cli.group import Commands

if TYPE_CHECKING:
    from ares_core.cli import completing
    from ares_core.cli.choosing import chosen, names_in, no_such, tools_option
    from ares_core.cli.giving import arguments_given, arguments_options
    from ares_core.cli.opening import opened
    from ares_core.cli.options import Options, Section, command, current
    from ares_core.cli.output import answer, document, error, is_terminal, note, printable, table
    from ares_core.cli.progress import pause, tell_progress, working
    from ares_core.cli.reading import read_text, words
    from ares_core.cli.shown import as_document, exit_code, failed, show
    from ares_core.counts import lasting
    from ares_core.hints import unframed

__all__ = [
    "Options", "Section", "answer", "arguments_given", "arguments_options", "as_document", "chosen", "command",
    "completing", "current", "document", "error", "exit_code", "failed", "is_terminal", "lasting", "main", "names_in",
    "no_such", "note", "opened", "pause", "printable", "read_text", "show", "table", "tell_progress", "tools_option",
    "unframed", "words", "working",
]  # fmt: skip

main = Commands()
"""The command ``ares``."""

_PARTS = {
    "choosing": "chosen names_in no_such tools_option",
    "giving": "arguments_given arguments_options",
    "opening": "opened",
    "options": "Options Section command current",
    "output": "answer document error is_terminal note printable table",
    "progress": "pause tell_progress working",
    "reading": "read_text words",
    "shown": "as_document exit_code failed lasting show unframed",
}
_HOMES = {name: module for module, names in _PARTS.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Import a part when it is first asked for: ``ares --help`` needs none."""
    if name == "completing":
        return import_module("ares_core.cli.completing")
    if name not in _HOMES:
        raise AttributeError(f"module 'ares_core.cli' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"ares_core.cli.{_HOMES[name]}"), name)
    return value
