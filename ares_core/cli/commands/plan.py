"""``ares plan``: show what a request would do."""

from __future__ import annotations

import click

from ares_core.cli import options, output
from ares_core.cli.ending import FAILED
from ares_core.cli.opening import opened


@options.command()
@click.argument("request", nargs=-1, required=True)
def command(request: tuple[str, ...]) -> int:
    """Show what a request would do; run nothing.

    The steps, the candidates of each with every term of their scores, and the arguments. Exit code 1 if nothing
    would run.
    """
    with opened() as ares:
        plan = ares.plan(" ".join(request))
        if options.current().as_json:
            output.document(plan.to_dict())
        else:
            output.answer(plan.explain())
    return FAILED if plan.error else 0
