"""``ares ask``: do what a request in words asks for."""

from __future__ import annotations

from typing import Any

import click

from ares_core.cli import options
from ares_core.cli.opening import opened
from ares_core.cli.output import note
from ares_core.cli.progress import tell_progress, working
from ares_core.cli.reading import words
from ares_core.cli.shown import exit_code, show


@options.command()
@click.argument("request", nargs=-1, required=True)
@click.option("--explain", is_flag=True, help="Show the plan with its scores too.")
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS", help="For each call.")
def command(request: tuple[str, ...], explain: bool, timeout: float | None) -> int:
    """Do what a request in words asks for.

    The answer goes to stdout, what was done to stderr. A single '-' reads the request from stdin.

    \b
    ares ask "sum from 1 to 1,000,000"
    """
    text = words(request)
    given = options.current()
    with opened() as ares:
        more: dict[str, Any] = {}
        if explain:
            plan = ares.plan(text)
            more["plan"] = plan.to_dict()
            if not given.as_json:
                note(plan.explain())
        tell_progress(ares)
        with working("asking"):
            result = ares.ask_sync(text, session=given.session, timeout=timeout)
        show(ares, result, **more)
    return exit_code(result)
