"""What is told of a job: what it was, and how it ended in the words of its own outcome."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping
from typing import Any

from ares_core import Failure, Result, UsageError

LONGEST = 80


class KeyConflict(UsageError):
    """An id that a job with other input has; ``result`` says so as the outcome of a call does."""

    def __init__(self, id: str, kept: Mapping[str, Any]) -> None:
        said = f"The id {id!r:.80} was used before with other input ({kept['what'] or kept['job']}). Take a new id"
        super().__init__(f"{said[0].lower()}{said[1:]}")
        failure, metadata = Failure("key_conflict", f"{said}."), {"duration_ms": 0.0, "attempts": 0}
        self.result = Result(False, error=failure, text=f"{said}.\nNot executed.", metadata=metadata)


def row_of(kept: Any) -> dict[str, Any]:
    """Give a job as a row of a table."""
    job, payload = begun_with(kept)
    return {
        "id": kept.workflow_id, "status": status_of(kept), "job": job, "what": what_of(payload),
        "begun": _time(kept.created_at),
    }  # fmt: skip


def whole(kept: Any) -> dict[str, Any]:
    """Give a job with its outcome."""
    error = None if kept.error is None else str(kept.error)
    ended = _time(kept.completed_at)
    return {**row_of(kept), "ended": ended, "error": error, "since": None, "outcome": kept.output}


def status_of(kept: Any) -> str:
    """Give the state of a job; of one that has an outcome, the code or the status that the outcome itself has."""
    state = str(kept.status).lower()
    return failure_of(kept.output) or state if state == "success" else state


def failure_of(outcome: Any) -> str | None:
    """Give the code of an outcome that is no success, or the status of a run that isn't done.

    >>> failure_of({"success": False, "error": {"code": "unknown_tool"}}), failure_of({"success": True})
    ('unknown_tool', None)
    >>> failure_of({"run_id": "r", "status": "waiting"}), failure_of({"run_id": "r", "status": "done"}), failure_of(5)
    ('waiting', None, None)
    """
    if not isinstance(outcome, Mapping):
        return None
    if outcome.get("success") is False:
        error = outcome.get("error")
        return str(error["code"]) if isinstance(error, Mapping) and "code" in error else "failed"
    if "run_id" in outcome and outcome.get("status") not in (None, "done"):
        return str(outcome["status"])
    return None


def begun_with(kept: Any) -> tuple[str, Any]:
    """Give the name of the job's function, and the input that it was begun with."""
    given = list(kept.input["args"]) if kept.input else []
    if kept.name == "ares_job" and len(given) > 1:
        return str(given[0]), given[1]
    last = given[-1] if given else None
    if isinstance(last, Mapping) and "job" in last:
        return str(last["job"]), last.get("payload")
    return str(kept.name), {"tool": last["name"]} if isinstance(last, Mapping) and "name" in last else None


def what_of(payload: Any) -> str:
    """Say in a few words what a job is about: the tool, the request or the graph.

    >>> what_of({"tool": "calculator", "arguments": {}}), what_of({"graph": {"name": "daily", "nodes": []}}), what_of(5)
    ('calculator', 'daily', '')
    """
    if not isinstance(payload, Mapping):
        return ""
    graph = payload.get("graph")
    named = graph.get("name", "graph") if isinstance(graph, Mapping) else ""
    return " ".join(str(payload.get("tool") or payload.get("request") or named).split())[:LONGEST]


def canonical(value: Any) -> str:
    """Write plain data so that the same is written the same."""
    return json.dumps(value, sort_keys=True)


def _time(milliseconds: int | None) -> str | None:
    if milliseconds is None:
        return None
    return dt.datetime.fromtimestamp(milliseconds / 1000).astimezone().isoformat(timespec="seconds")
