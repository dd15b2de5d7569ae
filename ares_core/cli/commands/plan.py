"""``ares plan``: show what a request would do."""

from __future__ import annotations

import click

from ares_core.cli import options, output
from ares_core.cli.ending import FAILED
from ares_core.cli.opening import opened
from ares_core.cli.reading import words


@options.command()
@click.argument("request", nargs=-1, required=True)
@click.option("--explain/--brief", "explain", default=True, help="Tell how it came about (default), or only the steps.")
def command(request: tuple[str, ...], explain: bool) -> int:
    """Show what a request would do; run nothing.

    The rules that hit, the candidates of each step with every term of their scores, those rejected and why, the
    arguments and where in the request they stand, and the order of the steps. A single '-' reads the request from
    stdin. Exit code 1 if nothing would run.
    """
    text = words(request)
    with opened() as ares:
        plan = ares.plan(text)
        if options.current().as_json:
            output.document(plan.to_dict())
        else:
            output.answer(plan.explain() if explain else plan.brief())
    return FAILED if plan.error else 0
