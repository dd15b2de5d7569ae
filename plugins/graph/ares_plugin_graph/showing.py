"""How ``ares graph`` tells of runs: nodes as they end, results, what is wrong with a graph."""

from __future__ import annotations

import datetime as dt
import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ares_core import cli
from ares_plugin_graph.graph import GraphError
from ares_plugin_graph.ordering import in_order
from ares_plugin_graph.prepared import ready_steps
from ares_plugin_graph.results import NodeResult, RunResult
from ares_plugin_graph.undecided import Left, ways_on

if TYPE_CHECKING:
    from ares_plugin_graph.checkpoints import Saved

CLEAR = "\r\x1b[K"
MARKS = {"done": "done", "failed": "FAILED", "skipped": "skipped", "cancelled": "cancelled", "waiting": "waiting",
         "unknown": "UNKNOWN"}  # fmt: skip

ENDED = {"failed": "failed", "cancelled": "was cancelled"}


def show_result(result: RunResult, left: Left) -> int:
    """Show how a run ended, and how to go on with what is left to a person; gives the exit code."""
    if cli.current().as_json:
        cli.document({"success": result.status == "done", **result.to_dict()})
    elif result.status == "done":
        cli.answer(result.output if isinstance(result.output, str) else json.dumps(result.output, ensure_ascii=False))
    else:
        said = f": {result.error.message}" if result.error else ""
        cli.error(f"The run {ENDED.get(result.status, f'is {result.status}')}{said}")
        for line in ways_on(result.run_id, left):
            cli.note(line)
    return 0 if result.status == "done" else 1


def tell_node(name: str, result: NodeResult) -> None:
    """Tell of a node as it ends."""
    if not cli.current().as_json:
        why = f": {result.error.message}" if result.error else ""
        tool = f" ({result.tool}{', chosen by the planner' if result.planned else ''})" if result.tool else ""
        if cli.is_terminal(sys.stderr):
            sys.stderr.write(CLEAR)  # the mark that turns meanwhile
        cli.note(f"{MARKS[result.status]:>9}  {name}{tool} in {cli.lasting(result.duration_ms)}{why}"[:300])


def show_problems(error: GraphError) -> int:
    """Show what is wrong with a graph, or why it can not go on."""
    if cli.current().as_json:
        rows = [{"place": one.place, "line": one.line, "message": one.says} for one in error.problems]
        failure = {"code": "invalid_plan", "message": str(error)}
        cli.document({"success": False, "error": failure, "problems": rows})
    else:
        for one in error.problems:
            cli.error(str(one))
    return 2


def show_faults(faults: list[str]) -> int:
    """Show what is damaged in what is kept."""
    if cli.current().as_json:
        cli.document({"faults": faults})
    else:
        cli.answer("\n".join(faults) or "Everything that is kept is whole.")
    return 1 if faults else 0


def row_of(saved: Saved, status: str) -> Mapping[str, str]:
    """Give a run as a row of a table."""
    begun = dt.datetime.fromtimestamp(saved.begun).astimezone().isoformat(timespec="seconds")
    return {"run_id": saved.run_id, "graph": saved.name, "status": status, "begun": begun}


def show_run(saved: Saved) -> int:
    """Show a run with its nodes, each after those it came after."""
    nodes = {name: saved.results[name].to_dict() for name in _in_turn(saved)}
    if cli.current().as_json:
        cut = sorted(saved.started - set(saved.results))
        cli.document({**row_of(saved, saved.status), "input": saved.input, "nodes": nodes, "begun_nodes": cut})
    else:
        rows = [(name, one["status"], one["tool"] or "", _why(one)) for name, one in nodes.items()]
        cli.table(("node", "status", "tool", "data or reason"), rows)
    return 0


def _in_turn(saved: Saved) -> list[str]:
    """Give the nodes that have results in the order of the graph, if the run holds it."""
    from ares_plugin_graph.files import read_graph

    try:
        steps = ready_steps(read_graph(saved.graph)) if saved.graph is not None else []
    except GraphError:
        steps = []
    known = in_order({step.id: step.depends_on for step in steps})
    return [name for name in dict.fromkeys([*known, *saved.results]) if name in saved.results]


def _why(one: Mapping[str, Any]) -> str:
    return one["error"]["message"] if one["error"] else json.dumps(one["data"], ensure_ascii=False)[:200]


__all__ = ["row_of", "show_faults", "show_problems", "show_result", "show_run", "tell_node"]
