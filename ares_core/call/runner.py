"""The one runner: strings the stages of a call together, in the same order on every path."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from msgspec.structs import replace

from ares_core.call.approve import approve
from ares_core.call.authorise import authorise, rewrite
from ares_core.call.execute import execute
from ares_core.call.failures import cancelled, failure_of, ladder
from ares_core.call.finish import failed, finish, tokens_in
from ares_core.call.guard import Session, Sessions
from ares_core.call.limit import Gate
from ares_core.call.prepare import prepare
from ares_core.call.record import Recorder, counts
from ares_core.call.redact import Redactor
from ares_core.call.refusal import Refused, refuse
from ares_core.call.resolve import resolve
from ares_core.call.route import Route
from ares_core.call.rules import ALWAYS, apply_rules
from ares_core.call.run import CURRENT, Run, Services
from ares_core.call.tell import emit, shown_arguments, tell_end, tell_prepared, tell_progress, tell_requested
from ares_core.call.threads import Threads
from ares_core.calls import Ask, Failure, Result, ToolCall
from ares_core.events import Event
from ares_core.hooks import Hooks
from ares_core.protocols import Approver, Layer
from ares_core.settings import Settings
from ares_core.table import Entry, Table, View, is_seconds

log = logging.getLogger("ares")
monotonic = time.monotonic


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
                asked = apply_rules(self.settings.approvals.rules, run.call, asked)
            if run.session is not None:
                self._guard(run, route, run.session)
            if asked is not None:
                await self._approve(run, route, asked)
            result = await self._admit_and_execute(run, route)
        except Refused as refusal:
            result = failed(self, run, refusal.failure, ladder(run, refusal))
        except asyncio.CancelledError:
            result = cancelled(run)
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
            tell_requested(run, call.name)
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
            emit(run, "resolved", {"tool": route.name})
        return route

    def _resolve_other(self, run: Run, name: Any) -> Route:
        entry, rule = resolve(name, run.view, self.table)
        route = run.route = entry.route or self._make_route(entry)
        if self.listeners:
            emit(run, "resolved", {"tool": route.name})
            emit(run, "repaired", {"what": "name", "before": run.shown_name, "after": route.name, "rule": rule})
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
        run.arguments = arguments
        run.call = ToolCall(
            route.name, arguments, given.id or f"call_{next(self._numbers)}", given.key, limit, given.turn, effects,
            None if session is None else session.name, run.parent_id,
        )  # fmt: skip
        if self.listeners:
            tell_prepared(run)
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
            run.arguments = call.arguments if isinstance(call.arguments, Mapping) else {}
            if self.listeners:
                emit(run, "rewritten", {"arguments": shown_arguments(run)})

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
            emit(run, "approval_requested", {"reason": asked.reason, "arguments": shown_arguments(run)})
        await approve(run, route.tool, asked.reason, self.approver)
        if self.listeners:
            emit(run, "approved", {})

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
            emit(run, "queued", {"for": gate.what})
        since = monotonic()
        await gate.enter(max(self.settings.limits.queue_wait - run.waited, 0.0))
        run.waited += monotonic() - since

    async def _execute(self, run: Run, route: Route) -> Result:
        """Stage 10, and what its failures mean."""
        run.executing_since = since = monotonic()
        run.deadline = self._deadline(run, route, since)
        run.executed = True
        if self.listeners:
            emit(run, "started", {})
        try:
            answer = await execute(run, route)
        except (Refused, asyncio.CancelledError):
            raise
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread():
                raise
            return failed(self, run, failure_of(run, route, error))
        finally:
            run.done = True
        return finish(self, run, route, answer)

    def _deadline(self, run: Run, route: Route, since: float) -> float:
        limit = route.timeout if run.call.timeout is None else min(run.call.timeout, self.settings.limits.max_timeout)
        deadline = since + limit
        if run.parent is not None and not run.parent.done:
            deadline = min(deadline, run.parent.deadline)
        return deadline

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
            tell_end(run, result)

    def tell_progress(self, run: Run, data: dict[str, Any]) -> None:
        """Tell how far a tool has come."""
        tell_progress(run, data)

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
