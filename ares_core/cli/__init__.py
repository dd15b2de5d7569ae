"""The command line: ``ares``, and ``python -m ares_core``.

Each sub-command is a module of ``commands/``, imported when it is called; plugins add theirs as entry points of the
group ``ares.commands``. ``group`` finds them, ``ending`` turns whatever happened into an exit code: 0 success, 1 the
tool or plan failed, 2 wrong usage or configuration. Answers go to stdout, everything else to stderr.
"""

from __future__ import annotations

from ares_core.cli.group import Commands

main = Commands()
"""The command ``ares``."""
