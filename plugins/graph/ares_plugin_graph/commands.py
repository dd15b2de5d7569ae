"""``ares graph``: run, check and draw graphs; list, resume and cancel their runs."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import click

from ares_core import cli, counted, decode, state_dir
from ares_plugin_graph.graph import Graph, GraphError
from ares_plugin_graph.nodes import ToolNode
from ares_plugin_graph.results import RunResult
from ares_plugin_graph.showing import row_of, show_faults, show_problems, show_result, show_run, tell_node
from ares_plugin_graph.taking import refusal
from ares_plugin_graph.undecided import undecided, ways_on

if TYPE_CHECKING:
    from ares_core import Ares
    from ares_plugin_graph.checkpoints import Saved
    from ares_plugin_graph.run import Run
    from ares_plugin_graph.sqlite import SqliteCheckpoints

FILE = "graph.db"
MOST_COMPLETED = 1000
MOST_SECONDS = 5.0
"""How long what was interrupted may take to be kept."""


def _runs(ares: Ares) -> list[str]:
    """Give the ids that a shell may complete to."""
    if not os.path.exists(_path(ares)):
        return []
    with _kept(ares) as kept:
        return [one.run_id for one in kept.newest(MOST_COMPLETED)]


class Graphs(cli.Section):
    """The command ``ares graph``; what is wrong with a graph is shown line by line, whichever sub-command finds it."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the sub-command."""
        try:
            return super().invoke(ctx)
        except GraphError as error:
            return show_problems(error)


@click.group(cls=Graphs)
def command() -> None:
    """Run workflow graphs, and see how their runs ended."""


@command.command()
@click.argument("file", type=click.Path())
@click.option("--input", "pairs", multiple=True, metavar="KEY=VALUE", help="An input; KEY:=JSON says it exactly.")
@click.option("--run-id", metavar="ID", help="The run's id, instead of one made up.")
@click.option("--limit", type=click.IntRange(1, 10_000), metavar="N", help="How many nodes work at once.")
@click.option("--deadline", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS", help="For the whole run.")
@click.option("--durable", is_flag=True, help="Through the engine of ares-plugin-durable: a crash doesn't end the run.")
def run(
    file: str, pairs: tuple[str, ...], run_id: str | None, limit: int | None, deadline: float | None, durable: bool
) -> int:
    """Run a graph from a file; each node is kept, so that the run can be resumed."""
    given = dict(map(_pair, pairs))
    with cli.opened() as ares:
        graph = _limited(_graph(file, ares), limit, deadline)
        refused = refusal(graph, ares, given)
        if refused is not None:
            cli.show(ares, refused)
            return cli.exit_code(refused, called=True)
        if durable:
            from ares_plugin_graph.durably import run_durably

            result = run_durably(ares, graph, given, run_id, _path(ares))
            with _kept(ares) as kept:
                return show_result(result, undecided(graph, kept, result.run_id))
        return _run(ares, lambda kept: _begun(ares, graph, given, run_id, kept))


def _begun(ares: Ares, graph: Graph, given: dict[str, Any], run_id: str | None, kept: SqliteCheckpoints) -> Run:
    from ares_plugin_graph.written import written

    options: dict[str, Any] = {"session": cli.current().session, "on_node": tell_node, "document": written(graph)}
    try:
        return graph.start(ares, given, run_id=run_id, checkpoints=kept, **options)
    except ValueError as error:
        raise click.UsageError(f"{error}; 'ares graph resume {run_id}' goes on with it.") from None


@command.command()
@click.argument("run_id", metavar="RUN", shell_complete=cli.completing.kept(_runs))
@click.option("--graph", "file", type=click.Path(), help="The graph's file, for runs that don't hold it.")
@click.option("--retry", multiple=True, metavar="NODE", help="Run this node again, and what came after it.")
@click.option("--skip", multiple=True, metavar="NODE", help="Count this node as skipped.")
@click.option("--set", "done", multiple=True, metavar="NODE=JSON", help="Count this node as done, with this data.")
@click.option("--fork", "is_fork", is_flag=True, help="Leave the run as it is and go on in a copy.")
def resume(
    run_id: str, file: str | None, retry: tuple[str, ...], skip: tuple[str, ...], done: tuple[str, ...], is_fork: bool
) -> int:
    """Go on with a run that failed, was cancelled, was killed, or waited for a person; what failed runs again."""
    decisions: dict[str, Any] = {**dict.fromkeys(retry, "retry"), **dict.fromkeys(skip, "skip")}
    decisions |= {name: {"data": value} for name, value in map(_pair, done)}

    def begin(ares: Ares, kept: SqliteCheckpoints) -> Run:
        from ares_plugin_graph.resuming import forked
        from ares_plugin_graph.resuming import kept as found
        from ares_plugin_graph.run import Run

        saved = found(kept, run_id)
        graph = _graph(file) if file else _graph_of(saved)
        if is_fork:
            saved = forked(graph, saved, kept, decisions)
        graph.check(ares)
        left = {name: one for name, one in decisions.items() if "." in name or not is_fork}
        return Run.resume(graph, ares, saved.run_id, kept, left, cli.current().session, tell_node)

    with cli.opened() as ares:
        return _run(ares, lambda kept: begin(ares, kept))


@command.command()
@click.argument("file", type=click.Path())
def check(file: str) -> int:
    """Say everything that is wrong with a graph's file, line by line; run nothing."""
    with cli.opened(warns=False) as ares:
        graph = _graph(file, ares)
        tools = [node.tool for node in graph.nodes if isinstance(node, ToolNode)]
        absent = [name for name in tools if name and name not in ares.view.entries]
    if cli.current().as_json:
        cli.document({"success": True, "problems": []})
    else:
        for name in dict.fromkeys(absent):
            cli.note(f"There is no tool {name!r:.80} here; its node is planned for when its turn comes, or fails.")
        cli.answer(f"{file} is in order: {counted(len(graph.nodes), 'node')}.")
    return 0


@command.command()
@click.argument("file", type=click.Path())
@click.option(
    "--format", "kind", type=click.Choice(["mermaid", "dot", "svg", "pdf"]), default="mermaid", show_default=True
)
@click.option("--output", "-o", type=click.Path(), help="A file for the picture, instead of stdout.")
def show(file: str, kind: str, output: str | None) -> int:
    """Draw a graph: as Mermaid's text, or as a picture where Graphviz is installed."""
    from ares_plugin_graph.drawing import dot, mermaid, picture

    graph = _graph(file)
    made = mermaid(graph) if kind == "mermaid" else dot(graph) if kind == "dot" else picture(graph, kind)
    if output is not None:
        try:
            with open(output, "wb") as out:
                out.write(made.encode() if isinstance(made, str) else made)
        except OSError as error:
            raise click.UsageError(f"{output} can't be written: {error.strerror}.") from None
        cli.note(f"Written to {output}.")
    elif cli.current().as_json:
        cli.document({"format": kind, "text": made if isinstance(made, str) else made.decode("latin-1")})
    elif isinstance(made, str):
        cli.answer(made)
    elif cli.is_terminal(sys.stdout):
        raise click.UsageError(f"A {kind} is nothing for a terminal; write it to a file with --output.")
    else:
        sys.stdout.buffer.write(made)
    return 0


@command.command()
@click.argument("run_id", metavar="[RUN]", required=False, shell_complete=cli.completing.kept(_runs))
@click.option(
    "--limit", "-n", type=click.IntRange(1, 1000), metavar="N", default=20, show_default=True, help="How many."
)
@click.option("--prune", type=click.IntRange(0), metavar="N", help="First drop all but the newest N that have ended.")
@click.option("--check", "checks", is_flag=True, help="Look whether what is kept is whole.")
def runs(run_id: str | None, limit: int, prune: int | None, checks: bool) -> int:
    """List the runs that are kept, newest first, or show one with its nodes."""
    from ares_plugin_graph.resuming import kept as found

    with cli.opened(warns=False) as ares, _kept(ares) as kept:
        if prune is not None:
            cli.note(f"Dropped: {counted(kept.prune(prune), 'run')}.")
        if checks:
            return show_faults(kept.check())
        if run_id is not None:
            return show_run(found(kept, run_id))
        every = [(one, kept.state(one)) for one in kept.newest(limit)]
    if cli.current().as_json:
        cli.document([row_of(one, status) for one, status in every])
    elif every:
        cli.table(("run", "graph", "status", "begun"), [tuple(row_of(one, status).values()) for one, status in every])
    else:
        cli.note("No runs are kept yet.")
    return 0


@command.command()
@click.argument("run_id", metavar="RUN", shell_complete=cli.completing.kept(_runs))
def cancel(run_id: str) -> int:
    """Ask the process that runs a graph to stop; what works is cancelled."""
    from ares_plugin_graph.resuming import kept as found

    with cli.opened(warns=False) as ares, _kept(ares) as kept:
        saved = found(kept, run_id)
        is_under_way = saved.status == "running" and kept.state(saved) == "running"
        if is_under_way:
            kept.cancel(run_id)
    if not is_under_way:
        status = saved.status if saved.status != "running" else "interrupted"
        told: dict[str, Any] = {"run_id": run_id, "asked": False, "status": saved.status}
        return cli.failed(f"{run_id} is not under way: it is {status}.", **told)
    if cli.current().as_json:
        cli.document({"success": True, "run_id": run_id, "asked": True, "status": saved.status})
    else:
        cli.answer(f"{run_id} is asked to stop.")
    return 0


def _run(ares: Ares, begin: Callable[[SqliteCheckpoints], Run]) -> int:
    """Run on the Ares' own loop: what hangs in a thread there keeps nobody from leaving."""
    ended, context = threading.Event(), click.get_current_context()
    begun: list[Run] = []

    async def work(kept: SqliteCheckpoints) -> RunResult:
        try:
            run = begin(kept)
            begun.append(run)
            if not cli.current().as_json:
                cli.note(f"run {run.run_id}")
            return await run.wait()
        finally:
            ended.set()

    async def in_context(kept: SqliteCheckpoints) -> RunResult:
        with context.scope(cleanup=False):  # click's own is of the thread that the command began in
            return await work(kept)

    cli.tell_progress(ares)
    with _kept(ares) as kept, cli.working("graph"):
        try:
            result = ares.wait_for(in_context(kept), "graph.run")
        except KeyboardInterrupt:
            ended.wait(MOST_SECONDS)
            for run in begun:
                for line in ways_on(run.run_id, undecided(run.graph, kept, run.run_id)):
                    cli.note(line)
            raise
        left = undecided(begun[0].graph, kept, result.run_id) if result.status != "done" else []
    return show_result(result, left)


def _path(ares: Ares) -> str:
    config = ares.host("graph").config
    return os.path.expanduser(getattr(config, "path", "") or os.path.join(state_dir(), FILE))


def _graph(file: str, ares: Ares | None = None) -> Graph:
    from ares_plugin_graph.files import read_graph

    return read_graph(file, ares)


def _graph_of(saved: Saved) -> Graph:
    from ares_plugin_graph.files import read_graph

    if saved.graph is None:
        raise click.UsageError(f"Run {saved.run_id} does not hold its graph; name the file with --graph FILE.")
    return read_graph(saved.graph)


def _limited(graph: Graph, limit: int | None, deadline: float | None) -> Graph:
    from msgspec.structs import replace

    changes = {key: value for key, value in (("limit", limit), ("deadline", deadline)) if value is not None}
    return replace(graph, **changes) if changes else graph


def _pair(text: str) -> tuple[str, Any]:
    key, sign, value = text.partition("=")
    if not sign or not key.rstrip(":"):
        raise click.UsageError(f"{text!r:.60} is no KEY=VALUE.")
    if not key.endswith(":"):
        return key, _plain(value)
    try:
        return key[:-1], decode(value)[0]
    except ValueError as error:
        raise click.UsageError(f"{key[:-1]}: {error}") from None


def _plain(value: str) -> Any:
    """Read a number, a truth value or a list as such, everything else as text."""
    try:
        return json.loads(value)
    except ValueError:
        return value


@contextmanager
def _kept(ares: Ares) -> Iterator[SqliteCheckpoints]:
    """Give the store of runs of this command line, and close it afterwards."""
    from ares_plugin_graph.sqlite import SqliteCheckpoints

    with closing(SqliteCheckpoints(_path(ares), getattr(ares.host("graph").config, "keep", None))) as store:
        yield store
