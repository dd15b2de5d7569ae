"""What a command line names: the tools it is about, and the sentence for a name that nothing has."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

from ares_core.cli import completing
from ares_core.names import fits, is_pattern, nearest

if TYPE_CHECKING:
    from ares_core.app import Ares
    from ares_core.scoped import Scoped

MOST_NAMED = 20


def names_in(texts: Iterable[str]) -> list[str]:
    """Give the names in texts that may hold several, with commas between them.

    >>> names_in(["calculator, mcp.*", "regex", ","])
    ['calculator', 'mcp.*', 'regex']
    """
    return [name for text in texts for part in text.split(",") if (name := part.strip())]


def tools_option(what: str = "Only these tools") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add ``--tools``: names, or patterns such as ``mcp.*``, with commas or several times; gives a list of them."""

    def read(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> list[str]:
        names = names_in(value)
        if value and not names:  # not all of them: an empty variable of the shell must not open what it should narrow
            raise click.BadParameter("it names no tool; for all of them write '*'.", context, parameter)
        return names

    return click.option(
        "--tools", multiple=True, metavar="NAME,…", callback=read, shell_complete=completing.several(completing.tools),
        help=f"{what}: names, or patterns such as 'mcp.*'; with commas, or several times.",
    )  # fmt: skip


def chosen(ares: Ares, tools: list[str], toolset: str | None = None, session: str | None = None) -> Ares | Scoped:
    """Give the part of the tools that a command line names, those of late sources brought in; all, if it names none.

    A name that no tool has, or a toolset, is wrong usage; a pattern that nothing fits so far is told.
    """
    if not tools and toolset is None:
        return ares.bind(session=session) if session else ares
    ares.bring(name for name in tools if not is_pattern(name))
    entries, more_may_come = ares.view.entries, bool(ares.registry.waiting())
    for name in tools:
        if not any(fits(each, [name]) for each in entries) and not (is_pattern(name) and more_may_come):
            _refuse_or_tell(name, entries)
    toolsets = {entry.tool.toolset for entry in entries.values() if entry.tool.toolset}
    if toolset is not None and toolset not in toolsets and not more_may_come:
        raise no_such("toolset", toolset, toolsets)
    return ares.bind(tools or None, toolset, session)


def _refuse_or_tell(name: str, known: Iterable[str]) -> None:
    from ares_core.cli.output import note

    if not is_pattern(name):
        raise no_such("tool", name, known)
    note(f"No tool fits {name!r:.80} so far.")


def no_such(what: str, name: str, known: Iterable[str]) -> click.UsageError:
    """Make the error for a name that nothing has: with the one that may be meant, otherwise those that there are.

    >>> no_such("plugin", "calculater", ["calculator", "regex"]).message
    "There is no plugin 'calculater'. Did you mean 'calculator'?"
    >>> no_such("plugin", "typo", ["regex", "calculator"]).message
    "There is no plugin 'typo'. There are: calculator, regex."
    """
    names = sorted(set(known))
    near = nearest(name, names, 1)
    listed = ", ".join([*names[:MOST_NAMED], *["…"] * (len(names) > MOST_NAMED)])
    hint = f"Did you mean {near[0]!r}?" if near else f"There are: {listed}." if names else "There are none."
    return click.UsageError(f"There is no {what} {name!r:.80}. {hint}")
