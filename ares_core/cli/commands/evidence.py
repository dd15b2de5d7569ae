"""``ares evidence``: show, export or forget how tools have done."""

from __future__ import annotations

import click
from msgspec import to_builtins

from ares_core.app import Ares
from ares_core.cli import completing, options, output
from ares_core.cli.choosing import no_such
from ares_core.cli.ending import FAILED
from ares_core.cli.opening import opened
from ares_core.counts import lasting
from ares_core.protocols import Evidence


@click.group(cls=options.Section, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Show, export or forget how tools have done.

    The planner prefers tools that have done well; older outcomes weigh less with each new one.
    """
    if context.invoked_subcommand is None:
        context.invoke(show)


@command.command()
@click.argument("tool", required=False, shell_complete=completing.tools)
def show(tool: str | None) -> None:
    """Show what is remembered of all tools, or of one."""
    with opened() as ares:
        known = _known(ares, tool)
    if options.current().as_json:
        output.document(known)
    elif known:
        output.table(("tool", "runs", "successes", "failures", "latency"), [_row(name, known[name]) for name in known])
    else:
        output.note(f"Nothing is remembered{f' of {tool!r:.80}' if tool else ''} yet.")


@command.command()
def export() -> None:
    """Print all of it as JSON."""
    with opened() as ares:
        output.document({name: to_builtins(found) for name, found in _known(ares, None).items()})


@command.command()
@click.argument("tool", required=False, shell_complete=completing.tools)
@click.option("--all", "everything", is_flag=True, help="Forget all tools.")
def reset(tool: str | None, everything: bool) -> int:
    """Forget one tool, or with --all every tool."""
    if (tool is None) is not everything:
        raise click.UsageError("Name a tool to forget, or write --all.")
    with opened() as ares:
        known = _known(ares, tool)
        ares.evidence.store.reset(tool)
    if options.current().as_json:
        output.document({"forgotten": sorted(known)})
    else:
        output.note(f"Forgotten: {', '.join(sorted(known))}." if known else "There was nothing to forget.")
    return 0 if known or everything else FAILED


def _known(ares: Ares, tool: str | None) -> dict[str, Evidence]:
    """Give what is remembered; of a name that no tool has or had it is wrong usage to ask."""
    ares.evidence.flush()
    known: dict[str, Evidence] = ares.evidence.store.all()
    if tool is not None and tool not in known and tool not in ares.registry:
        raise no_such("tool", tool, [*known, *ares.registry.list_tool_names()])
    return known if tool is None else {name: found for name, found in known.items() if name == tool}


def _row(name: str, found: Evidence) -> tuple[str, ...]:
    latency = "-" if found.latency_ms is None else lasting(found.latency_ms)
    return name, f"{found.n:,.0f}", f"{found.successes:,.0f}", f"{found.failures:,.0f}", latency
