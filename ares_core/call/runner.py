"""The one runner: strings the stages of a call together, in the same order on every path."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Protocol

from msgspec.structs import replace

from ares_core.call.approve import approve
from ares_core.call.authorise import authorise, denied, rewrite
from ares_core.call.deadline import DeadlineReached
from ares_core.call.execute import execute
from ares_core.call.finish import WITHHELD, failed, finish, redact, shown_name, tokens_in
from ares_core.call.guard import Session, Sessions
from ares_core.call.limit import Gate
from ares_core.call.plain import plain
from ares_core.call.prepare import prepare
from ares_core.call.record import Recorder, counts
from ares_core.call.redact import MASK, Redactor, harmless_copy, is_secret_key, matches, secret_values
from ares_core.call.refusal import Refused, refuse
from ares_core.call.resolve import resolve
from ares_core.call.route import Route
from ares_core.call.rules import standing
from ares_core.call.run import CURRENT, Run
from ares_core.call.threads import Threads
from ares_core.calls import ArgumentEdit, Ask, Code, Deny, Effects, Failure, Result, ToolCall
from ares_core.errors import ToolError
from ares_core.events import Event, EventKind
from ares_core.hooks import Hooks
from ares_core.protocols import Approver, FileAccess, Layer, Network
from ares_core.settings import Settings
from ares_core.table import Entry, Table, View, is_seconds

log = logging.getLogger("ares")
monotonic = time.monotonic
ALWAYS = Ask("this tool always asks")
LONGEST_TRACE = 4_000
LAST_WORD = "This was the last hint: leave this tool, or ask the user."


class Services(Protocol):
    """What tools are given besides their arguments."""

    user: str | None
    secrets: Mapping[str, str]

    @property
    def files(self) -> FileAccess: ...
    @property
    def network(self) -> Network: ...


class Runner:
    """Runs calls. One per Ares; every path ends here."""

    def __init__(
        self, table: Table, hooks: Hooks, settings: Settings, services: Services, recorder: Recorder,
        approver: Approver | None = None,
    ) -> None:  # fmt: skip
        self.table = table
        self.hooks = hooks
        self.settings = settings
        self.services = services
        self.recorder = recorder
        self.approver = approver
        self.layers: list[Layer] = []
        self.listeners: tuple[tuple[str, Callable[[Event], Any]], ...] = ()
        self.closing = False
        self.threads = Threads()
        self.redactor = Redactor(settings.results.redact)
        self.sessions = Sessions(settings.guard.max_identical_calls)
        limits = settings.limits
        self.gate = Gate(limits.max_parallel, limits.max_waiting, "calls at once (limits.max_parallel)")
        self._gates: dict[tuple[str, int], Gate] = {}
        self._budgets = settings.guard.budgets
        self._has_rules = bool(settings.approvals.rules)
        self._has_budgets = self._budgets != type(self._budgets)()
        self.prefix = os.urandom(4).hex()
        self._numbers = itertools.count(1)

    async def run(
        self, call: ToolCall, *, session: str | None = None, timeout: float | None = None, view: View | None = None,
        parent: Run | None = None,
    ) -> Result:  # fmt: skip
        """Run one call through its whole life; gives a result, whatever happens, unless it is cancelled."""
        run = self._begin(call, session, view, parent or CURRENT.get())
        try:
            route = self._resolve(run)
            asked = self._prepare(run, route, timeout)
            if route.request_layers:
                asked = await self._rewrite(run, route) or asked
            if route.guards:
                asked = self._authorise(run, route) or asked
            if self._has_rules:
                asked = self._standing(run, route, asked)
            if run.session is not None:
                self._guard(run, route, run.session)
            if asked is not None:
                await self._approve(run, route, asked)
            result = await self._admit_and_execute(run, route)
        except Refused as refusal:
            result = failed(self, run, refusal.failure, self._ladder(run, refusal))
        except asyncio.CancelledError:
            result = self._cancelled(run)
            if _is_being_cancelled() and not self.closing:
                self._record(run, result)
                raise
        except Exception as error:
            log.exception("call %s of %r: Ares itself failed", run.execution_id, run.call.name)
            message = f"Ares itself failed at this call ({type(error).__name__}); the log has the details."
            result = failed(self, run, Failure("internal_error", message, blame="tool"))
        self._record(run, result)
        return result

    def _begin(self, call: ToolCall, session: str | None, view: View | None, parent: Run | None) -> Run:
        run = Run(self, next(self._numbers), call, monotonic(), view or self.table.view)
        if parent is not None and parent.runner is self:
            run.parent = parent
            run.session = parent.session
            if view is None:
                run.view = parent.view
        if run.session is None:
            if session is not None:
                run.session = self.sessions.get(session)
            elif self._has_budgets:
                run.session = self.sessions.alone()
        if self.listeners:
            self._tell_requested(run, call.name)
        return run

    def _resolve(self, run: Run) -> Route:
        """Stage 1, and the route that goes with the tool."""
        name = run.call.name
        entry = run.view.entries.get(name) if type(name) is str else None
        if entry is None:
            return self._resolve_other(run, name)
        route: Route = entry.route or self._make_route(entry)
        run.route = route
        if self.listeners:
            self.emit(run, "resolved", {"tool": route.name})
        return route

    def _resolve_other(self, run: Run, name: Any) -> Route:
        entry, rule = resolve(name, run.view, self.table.version)
        route = run.route = entry.route or self._make_route(entry)
        if self.listeners:
            self.emit(run, "resolved", {"tool": route.name})
            self.emit(run, "repaired", {"what": "name", "before": run.shown_name, "after": route.name, "rule": rule})
        return route

    def _make_route(self, entry: Entry) -> Route:
        tool = entry.tool
        gate = None
        if tool.max_concurrency is not None:
            most, what = tool.max_concurrency, f"calls of {tool.name!r} at once"
            made = Gate(most, self.settings.limits.max_waiting, what)
            gate = self._gates.setdefault((tool.name, most), made)
        limits = self.settings.limits
        timeout = min(limits.timeout if tool.timeout is None else tool.timeout, limits.max_timeout)
        entry.route = route = Route(entry, self.hooks, self.layers, gate, timeout)
        return route

    def _prepare(self, run: Run, route: Route, timeout: float | None) -> Ask | None:
        """Stages 2 to 4, and whether the tool itself wants to be asked for."""
        given = run.call
        arguments, run.edits = prepare(route.name, route.checker, given.arguments)
        limit = given.timeout if timeout is None else timeout
        if limit is not None and not is_seconds(limit):
            raise refuse("invalid_arguments", f"The timeout is {limit!r}; give a number of seconds above 0, or none.")
        effects = route.effects or route.effects_of(arguments)
        session = run.session
        run.call = ToolCall(
            route.name, arguments, given.id or f"call_{next(self._numbers)}", given.key, limit, given.turn, effects,
            None if session is None else session.name, run.parent_id,
        )  # fmt: skip
        if self.listeners:
            self._tell_prepared(run)
        return ALWAYS if route.tool.requires_approval else None

    def _recheck(self, run: Run, route: Route) -> Callable[[ToolCall], ToolCall]:
        def recheck(call: ToolCall) -> ToolCall:
            arguments, edits = prepare(route.name, route.checker, call.arguments)
            run.edits += edits
            effects = route.effects or route.effects_of(arguments)
            return replace(run.call, arguments=arguments, effects=effects)

        return recheck

    async def _rewrite(self, run: Run, route: Route) -> Ask | None:
        """Stage 5."""
        call, asked = await rewrite(route, run.call, self._recheck(run, route))
        self._take(run, call)
        return asked

    def _authorise(self, run: Run, route: Route) -> Ask | None:
        """Stage 6."""
        call, asked = authorise(route, run.call, self._recheck(run, route))
        self._take(run, call)
        return asked

    def _take(self, run: Run, call: ToolCall) -> None:
        if call is not run.call:
            run.call, run.canonical = call, None
            if self.listeners:
                self.emit(run, "rewritten", {"arguments": self.shown_arguments(run)})

    def _standing(self, run: Run, route: Route, asked: Ask | None) -> Ask | None:
        """The rules of the configuration: they deny, ask, or allow what only the tool itself would have asked."""
        verdict = standing(self.settings.approvals.rules, run.call)
        if isinstance(verdict, Deny):
            raise denied(verdict.reason)
        if isinstance(verdict, Ask):
            return verdict if asked is None or asked is ALWAYS else asked
        return None if verdict is True and asked is ALWAYS else asked

    def _guard(self, run: Run, route: Route, session: Session) -> None:
        """Stage 7: loops and budgets of the session."""
        if self._has_budgets:
            session.spend_call(self._budgets)
        if session.name is not None:
            if session.invalid:
                session.invalid.pop(route.name, None)
            session.check_loop(route.name, run.canonical_arguments)

    async def _approve(self, run: Run, route: Route, asked: Ask) -> None:
        """Stage 8."""
        if self.listeners:
            self.emit(run, "approval_requested", {"reason": asked.reason, "arguments": self.shown_arguments(run)})
        await approve(run, route.tool, asked.reason, self.approver)
        if self.listeners:
            self.emit(run, "approved", {})

    async def _admit_and_execute(self, run: Run, route: Route) -> Result:
        """Stages 9 to 11: a place, the tool, the result."""
        gate = self.gate if run.parent is None or run.parent.done else None
        if route.gate is not None and not run.is_inside(route.gate):
            if not route.gate.try_enter():
                await self._enter(run, route.gate)
            run.gate = route.gate
        try:
            if gate is not None and not gate.try_enter():
                waiting, gate = gate, None
                await self._enter(run, waiting)
                gate = waiting
            return await self._execute(run, route)
        finally:
            if gate is not None:
                gate.leave()
            if run.gate is not None:
                run.gate.leave()

    async def _enter(self, run: Run, gate: Gate) -> None:
        if self.listeners:
            self.emit(run, "queued", {"for": gate.what})
        since = monotonic()
        await gate.enter(self.settings.limits.queue_wait)
        run.waited += monotonic() - since

    async def _execute(self, run: Run, route: Route) -> Result:
        """Stage 10, and what its failures mean."""
        run.executing_since = since = monotonic()
        run.deadline = self._deadline(run, route, since)
        run.executed = True
        if self.listeners:
            self.emit(run, "started", {})
        try:
            answer = await execute(run, route)
        except (Refused, asyncio.CancelledError):
            raise
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread():
                raise
            return failed(self, run, self._failure(run, route, error))
        finally:
            run.done = True
        return finish(self, run, route, answer)

    def _failure(self, run: Run, route: Route, error: BaseException) -> Failure:
        if isinstance(error, DeadlineReached):
            return self._late(run, route, run.call.effects or Effects())
        if isinstance(error, ToolError):
            text = f"{error.message.rstrip()} {error.hint}" if error.hint else error.message
            return Failure("tool_error", text, retriable=error.retriable, blame=error.blame)
        if self.listeners or log.isEnabledFor(logging.DEBUG):
            run.trace = redact(self, run, "".join(traceback.format_exception(error)))[-LONGEST_TRACE:]
            log.debug("tool %s raised\n%s", route.name, run.trace)
        return _raised(route.name, error)

    def _deadline(self, run: Run, route: Route, since: float) -> float:
        limit = route.timeout if run.call.timeout is None else min(run.call.timeout, self.settings.limits.max_timeout)
        deadline = since + limit
        if run.parent is not None and not run.parent.done:
            deadline = min(deadline, run.parent.deadline)
        return deadline

    def _late(self, run: Run, route: Route, effects: Effects) -> Failure:
        seconds = run.deadline - run.executing_since
        if effects.read_only:
            message = (
                f"{route.name!r} gave no answer within {seconds:g} s. It changes nothing, so it may be called again."
            )
            return Failure("timeout", message, retriable=True, blame="tool")
        message = (
            f"{route.name!r} gave no answer within {seconds:g} s, and whether it took effect is unknown. "
            "Look before you call it again."
        )
        return Failure("outcome_unknown", message, blame="tool")

    def _cancelled(self, run: Run) -> Result:
        run.cancelled = True
        code: Code = "interrupted" if self.closing else "cancelled"
        what = f"was {code}, and it may have taken effect" if run.executed else f"was {code}"
        return failed(self, run, Failure(code, f"The call of {run.call.name!r:.80} {what}."))

    def _ladder(self, run: Run, refusal: Refused) -> str:
        """Help more at the second invalid call in a row of one tool, and say so plainly at the third."""
        code: Code = refusal.failure.code
        session, route = run.session, run.route
        if session is None or session.name is None or route is None or not code.endswith("_arguments"):
            return refusal.extra
        count = session.count_invalid(route.name)
        lines = [refusal.extra]
        if count >= 2 and (example := route.checker.example()) is not None:
            lines.append(f"A correct call has arguments like {_json(example)}")
        if count >= 3:
            lines.append(LAST_WORD)
        return "\n".join(line for line in lines if line)

    def metadata(self, run: Run) -> dict[str, Any]:
        """Give what every result says about its run."""
        now = monotonic()
        found: dict[str, Any] = {"duration_ms": (now - run.started) * 1000, "attempts": run.attempts}
        if run.waited:
            found["waited_ms"] = run.waited * 1000
        if run.executed and now > run.deadline:
            found["late_ms"] = (now - run.deadline) * 1000
        return found

    def _record(self, run: Run, result: Result) -> None:
        """Stage 12."""
        run.done = True
        error = result.error
        code, blame = (None, "") if error is None else (error.code, error.blame)
        route = run.route
        if route is not None and run.executed:
            if counts(code, blame):
                spent = (monotonic() - run.executing_since) * 1000
                self.recorder.add(route.name, error is None, spent, code, route.tool.latency_ms)
            session = run.session
            if session is not None and session.name is not None:
                session.remember(route.name, run.canonical_arguments, hash((result.success, result.text)))
                if self._budgets.tokens is not None:
                    session.tokens += tokens_in(result.text)
        if self.listeners:
            self._tell_end(run, result)

    def _tell_requested(self, run: Run, name: Any) -> None:
        known = type(name) is str and name in run.view.entries
        run.shown_name = name if known else shown_name(self, run, name)
        self.emit(run, "requested", {"name": run.shown_name})

    def _tell_prepared(self, run: Run) -> None:
        for edit in run.edits:
            if edit.rule != "default":
                self.emit(run, "repaired", {"what": "arguments", "rule": edit.rule, **self._shown_edit(run, edit)})
        self.emit(run, "validated", {"arguments": self.shown_arguments(run)})

    def _shown_edit(self, run: Run, edit: ArgumentEdit) -> dict[str, Any]:
        shown = {"pointer": edit.pointer, "before": edit.before, "after": edit.after}
        secrets = run.route.checker.secrets if run.route else ()
        if is_secret_key(edit.pointer.rpartition("/")[2]) or any(matches(path, edit.pointer) for path in secrets):
            return {**shown, "before": MASK, "after": MASK}
        try:
            data: dict[str, Any] = self.redactor.data(shown, secret_values(run.call.arguments, secrets))
        except Exception:
            return {"pointer": edit.pointer}
        return data

    def tell_progress(self, run: Run, data: dict[str, Any]) -> None:
        """Tell how far a tool has come, in plain data without secrets."""
        try:
            shown = self.redactor.data(plain(data))
        except Exception:
            shown = {"message": WITHHELD}
        self.emit(run, "progress", shown)

    def _tell_end(self, run: Run, result: Result) -> None:
        data: dict[str, Any] = {"duration_ms": result.metadata.get("duration_ms"), "text": result.text[:2000]}
        if result.error is None:
            self.emit(run, "finished", data)
            return
        kind: EventKind = "failed"
        if result.error.code == "denied":
            kind = "denied"
        elif result.error.code == "outcome_unknown":
            kind = "unknown"
        if run.trace:
            data["trace"] = run.trace
        self.emit(run, kind, {"code": result.error.code, **data})

    def shown_arguments(self, run: Run) -> Any:
        """The arguments as events and approvals may show them: a copy without secrets; withheld if that fails."""
        arguments = run.call.arguments
        try:
            paths = run.route.checker.secrets if run.route else ()
            if not paths and not self.redactor.has_own and (copy := harmless_copy(arguments)) is not None:
                return copy
            return self.redactor.data(arguments, secret_values(arguments, paths))
        except Exception:
            return "(withheld)"

    def emit(self, run: Run, kind: EventKind, data: dict[str, Any]) -> None:
        """Make an event and give it to everybody who listens; one that raises is logged."""
        call, route = run.call, run.route
        event = Event(
            kind, run.execution_id, time.time(), run.shown_name if route is None else route.name, call.id,
            None if run.session is None else run.session.name, call.turn, run.parent_id, data,
        )  # fmt: skip
        for name, listener in self.listeners:
            try:
                listener(event)
            except (Exception, SystemExit):
                log.exception("%s: on_event raised", name)

    def close(self) -> None:
        """Give what waits to the stores and let the threads go."""
        self.recorder.flush()
        with suppress(Exception):
            self.recorder.store.close()
        self.threads.close()

    def forked(self) -> None:
        """Start afresh in a forked child: threads, places and waiting outcomes belong to the parent."""
        self.threads = Threads()
        self.recorder.forget_waiting()
        for gate in (self.gate, *self._gates.values()):
            gate.free_all()


def _is_being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def _raised(tool: str, error: BaseException) -> Failure:
    if isinstance(error, asyncio.CancelledError):
        return Failure("cancelled", f"{tool!r} gave up by itself.", blame="tool")
    what = f"{type(error).__name__}: {error}".strip().rstrip(":")
    return Failure("tool_error", f"{tool!r} failed with {what[:500]}.", blame="tool")


def _json(value: Any) -> str:
    import msgspec

    return msgspec.json.encode(value).decode()
