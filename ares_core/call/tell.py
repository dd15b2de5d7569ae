"""Telling those who listen what happens to a call; nothing is made when nobody does."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ares_core.call.finish import WITHHELD, shown_name
from ares_core.call.plain import plain
from ares_core.call.redact import MASK, matches, secret_values
from ares_core.call.run import Run
from ares_core.calls import ArgumentEdit, Result
from ares_core.events import ORIGIN, Event, EventKind
from ares_core.names import is_secret_key

if TYPE_CHECKING:
    from ares_core.call.runner import Runner

log = logging.getLogger("ares")
clock = time.time


def tell_requested(run: Run, name: Any) -> None:
    """Tell that a call came in, under the name it used."""
    known = type(name) is str and name in run.view.entries
    run.shown_name = name if known else shown_name(run.runner, run, name)
    emit(run, "requested", {"name": run.shown_name})


def tell_prepared(run: Run) -> None:
    """Tell what was repaired, and the arguments as they passed."""
    for edit in run.edits:
        if edit.rule != "default":
            emit(run, "repaired", {"what": "arguments", "rule": edit.rule, **_shown_edit(run, edit)})
    emit(run, "validated", {"arguments": shown_arguments(run)})


def _shown_edit(run: Run, edit: ArgumentEdit) -> dict[str, Any]:
    shown = {"pointer": edit.pointer, "before": edit.before, "after": edit.after}
    secrets = run.route.checker.secrets if run.route else ()
    if is_secret_key(edit.pointer.rpartition("/")[2]) or any(matches(path, edit.pointer) for path in secrets):
        return {**shown, "before": MASK, "after": MASK}
    try:
        data: dict[str, Any] = run.runner.redactor.data(shown, secret_values(run.call.arguments, secrets))
    except Exception:
        return {"pointer": edit.pointer}
    return data


def tell_progress(run: Run, data: dict[str, Any]) -> None:
    """Tell how far a tool has come, in plain data without secrets."""
    try:
        secrets = secret_values(run.call.arguments, run.route.checker.secrets) if run.route else ()
        shown = run.runner.redactor.data(plain(data), secrets)
    except Exception:
        shown = {"message": WITHHELD}
    emit(run, "progress", shown)


def tell_end(run: Run, result: Result) -> None:
    """Tell what became of a call."""
    data: dict[str, Any] = {"duration_ms": result.metadata.get("duration_ms"), "text": result.text[:2000]}
    if run.notes is not None and "layers" in run.notes:
        data["layers"] = run.notes["layers"]
    if result.error is None:
        emit(run, "finished", data)
        return
    kind: EventKind = "failed"
    if result.error.code == "denied":
        kind = "denied"
    elif result.error.code == "outcome_unknown":
        kind = "unknown"
    if run.trace:
        data["trace"] = run.trace
    emit(run, kind, {"code": result.error.code, **data})


def tell_undone(runner: Runner, result: Result, why: str, reason: str | None) -> None:
    """Tell what became of taking a call back; ``reason`` says why that could not be done."""
    call = result.call
    if call is None:
        return
    text = f"undone, {why}" if reason is None else f"to be undone, {why}, but could not be: {reason}"
    try:
        shown = runner.redactor.data({"text": text[:2000]})
    except Exception:
        shown = {"text": WITHHELD}
    id, kind = str(result.metadata.get("execution_id", "")), _TAKEN_BACK[reason is None]
    whose = (call.name, call.id, call.session, call.turn, call.parent)
    _give(runner, Event(kind, id, clock(), *whose, shown, *ORIGIN.get()))


_TAKEN_BACK: tuple[EventKind, EventKind] = ("not_undone", "undone")


def shown_arguments(run: Run) -> Any:
    """The arguments as events and approvals may show them: a copy without secrets; withheld if that fails."""
    arguments = run.call.arguments
    try:
        route, redactor = run.route, run.runner.redactor
        shower = None if route is None or redactor.has_own else route.shower
        if shower is not None and (copy := shower.copy(run.arguments)) is not None:
            return copy
        return redactor.data(arguments, secret_values(arguments, route.checker.secrets if route else ()))
    except Exception:
        return "(withheld)"


def emit(run: Run, kind: EventKind, data: dict[str, Any]) -> None:
    """Make an event and give it to everybody who listens; one that raises is logged."""
    call, route = run.call, run.route
    session = None if run.session is None else run.session.name
    parent = None if run.parent is None else run.parent_id
    tool = run.shown_name if route is None else route.tool.name
    origin, node = ORIGIN.get()
    event = Event(
        kind, run.known_as or run.execution_id, clock(), tool, call.id, session, call.turn, parent, data, origin, node
    )
    for name, listener in run.runner.listeners:
        try:
            listener(event)
        except KeyboardInterrupt:
            raise
        except BaseException:
            log.exception("%s: on_event raised", name)


def tell_of(
    runner: Runner, kind: EventKind, data: Mapping[str, Any], session: str | None, run: str | None, node: str | None
) -> None:
    """Tell what became of something that is no call."""
    outer = ORIGIN.get()
    try:
        shown = runner.redactor.data(plain(data))
    except Exception:
        shown = {"message": WITHHELD}
    run, node = run or outer[0], node or outer[1]
    _give(runner, Event(kind, run or "", clock(), "", None, session, None, None, shown, run, node))


def _give(runner: Runner, event: Event) -> None:
    for name, listener in runner.listeners:
        try:
            listener(event)
        except KeyboardInterrupt:
            raise
        except BaseException:
            log.exception("%s: on_event raised", name)
