"""``ares plugins``: list the plugins, and say why one failed."""

from __future__ import annotations

import click
from msgspec import to_builtins

from ares_core.cli import options, output
from ares_core.cli.opening import opened
from ares_core.plugins import HOOKS, PluginInfo


@options.command()
@click.option("--hook", metavar="NAME", type=click.Choice(HOOKS), help="Only plugins that answer this hook.")
def command(hook: str | None) -> None:
    """List the plugins, and say why one failed.

    A plugin is 'loaded', 'blocked' (by plugins.only or plugins.block), or 'failed', with the reason and what to do.
    """
    with opened(warns=False) as ares:
        rows = [row for row in ares.plugins.rows() if hook is None or hook in row.hooks]
        problems = list(ares.plugins.problems)
    if options.current().as_json:
        output.document({"plugins": [to_builtins(row) for row in rows], "problems": problems})
        return
    if rows:
        output.table(("name", "state", "distribution", "version", "import", "hooks"), [_row(row) for row in rows])
    else:
        output.note("There are no such plugins.")
    for row in rows:
        for remark in (*filter(None, [row.reason]), *row.notes):
            output.answer(f"\n{row.name}: {remark}")


def _row(row: PluginInfo) -> tuple[str, ...]:
    spent = f"{row.import_ms:.1f} ms" if row.state == "loaded" else "-"
    return row.name, row.state, row.distribution or "-", row.version or "-", spent, ", ".join(row.hooks) or "-"
