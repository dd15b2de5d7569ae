"""The one runner: strings the stages of a call together, in the same order on every path."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal

from ares_core.budget import Budget
from ares_core.call.approve import Exact, MemoryApprovals, approve
from ares_core.call.authorise import authorise, rewrite
from ares_core.call.execute import execute
from ares_core.call.failures import cancelled, ended, ladder
from ares_core.call.finding import Finding, find, note_through
from ares_core.call.finish import failed, finish, redact
from ares_core.call.gate import Gate
from ares_core.call.guard import Sessions, guard, remember, set_budget
from ares_core.call.keeper import Keeper
from ares_core.call.kept import Shelf
from ares_core.call.ledger import Known, MemoryLedger, claim, is_kept, recall, settle, settle_now
from ares_core.call.limit import Limiter
from ares_core.call.prepare import prepare
from ares_core.call.record import Recorder, counts
from ares_core.call.redact import Redactor
from ares_core.call.refusal import Refused, refuse
from ares_core.call.route import Route
from ares_core.call.rules import ALWAYS, apply_policies
from ares_core.call.run import CURRENT, Run, Services
from ares_core.call.tell import emit, shown_arguments, tell_end, tell_prepared, tell_progress, tell_requested
from ares_core.call.threads import Threads
from ares_core.call.tokens import counter
from ares_core.calls import Ask, Failure, Result, ToolCall, replace
from ares_core.events import Event
from ares_core.hooks import Hooks
from ares_core.projection import ARGUMENT
from ares_core.protocols import Approver, Layer
from ares_core.settings import Settings
from ares_core.stores import PendingApproval
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
        self.count = counter(settings.results.tokenizer)
        self.shelf = Shelf()
        self.sessions = Sessions(settings.guard.max_identical_calls, settings.guard.budgets)
        self.limiter = Limiter(settings)
        self.ledger = Keeper(self, "ledger", MemoryLedger(), at_once=True)
        self.approvals = Keeper(self, "approvals", MemoryApprovals(), at_once=True)
        self.exact: dict[str, Exact] = {}
        self.broken: tuple[Literal["ledger", "approvals"], str] | None = None
        self.finding: Finding | None = None
        self.has_policies = bool(settings.approvals.rules)
        self._has_budgets = self.sessions.have_budgets
        self.prefix = os.urandom(4).hex()
        self._numbers = itertools.count(1)

    async def run(
        self, call: ToolCall, *, session: str | None = None, timeout: float | None = None, view: View | None = None,
        parent: Run | None = None, budget: Budget | None = None, approved: PendingApproval | None = None,
        until: float | None = None,
    ) -> Result:  # fmt: skip
        """Run one call through its whole life; gives a result, whatever happens, unless it is cancelled."""
        run = self._begin(call, session, view, parent or CURRENT.get(), budget)
        if until is not None:
            run.until = until
        try:
            route = self._resolve(run)
            asked = self._prepare(run, route, timeout)
            if route.request_layers:
                asked = await rewrite(run, route) or asked
            if route.guards:
                asked = authorise(run, route) or asked
            if self.has_policies:
                asked = apply_policies(run, asked)
            if (run.session is not None or run.call.key is not None) and is_kept(run):
                await recall(run)
            if run.session is not None or run.budget is not None:
                guard(run, route)
            if asked is not None or approved is not None:
                await self._approve(run, route, asked or ALWAYS, approved)
            result = await self._admit_and_execute(run, route)
        except asyncio.CancelledError:
            result = cancelled(run)
            settle_now(run, result)
            if _is_being_cancelled() and not self.closing:
                self._record(run, result)
                raise
        except Exception as error:
            result = self._ended_by(run, error)
        result = self._record(run, result)
        if run.kept is not None and run.claimed:
            await settle(run, run.kept, result)
        return result

    def _ended_by(self, run: Run, error: Exception) -> Result:
        """Give the result of a call that left a stage before its end."""
        if isinstance(error, Refused):
            return failed(self, run, error.failure, ladder(run, error))
        if isinstance(error, Known):
            return error.result
        log.error("call %s of %r: Ares itself failed", run.execution_id, run.call.name, exc_info=error)
        message = f"Ares itself failed at this call ({type(error).__name__}); the log has the details."
        return failed(self, run, Failure("internal_error", message, blame="tool"))

    def _begin(
        self, call: ToolCall, session: str | None, view: View | None, parent: Run | None, budget: Budget | None
    ) -> Run:
        run = Run(self, next(self._numbers), call, monotonic(), view or self.table.view)
        if parent is not None and parent.runner is self:
            run.parent = parent
            run.session, run.budget = parent.session, parent.budget
            if view is None:
                run.view = parent.view
            if session is not None and run.session is not None and session.startswith(f"{run.session.name}/"):
                run.session = self.sessions.get(session)
        if run.session is None and session is not None:
            run.session = self.sessions.get(session)
        if budget is not None or self._has_budgets:
            set_budget(run, budget)
        if self.finding is not None and (type(call.name) is not str or call.name not in run.view.entries):
            run.call = call = self.finding.meant(call, run.view)
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
            emit(run, "resolved", {"tool": route.tool.name})
        return route

    def _resolve_other(self, run: Run, name: Any) -> Route:
        entry, rule = find(self.finding, name, run.view, self.table)
        route = run.route = entry.route or self._make_route(entry)
        if self.listeners:
            emit(run, "resolved", {"tool": route.tool.name})
        if self.listeners and name != route.name:
            emit(run, "repaired", {"what": "name", "before": run.shown_name, "after": route.name, "rule": rule})
        return route

    def _make_route(self, entry: Entry) -> Route:
        tool, limits = entry.tool, self.settings.limits
        timeout = min(limits.timeout if tool.timeout is None else tool.timeout, limits.max_timeout)
        gate, bucket = self.limiter.gate_of(tool), self.limiter.bucket_of(tool)
        entry.route = route = Route(entry, self.hooks, self.layers, gate, bucket, timeout)
        route.fields = self.settings.results.fields.get(tool.name, route.fields)
        return route

    def _prepare(self, run: Run, route: Route, timeout: float | None) -> Ask | None:
        """Stages 2 to 4, and whether the tool itself wants to be asked for."""
        given = run.given = run.call
        arguments, run.edits = prepare(route.name, route.checker, given.arguments)
        if type(given) is not ToolCall:
            note_through(run, given)
        if route.asks_fields:
            run.fields = tuple(arguments.pop(ARGUMENT, ()))
        limit = given.timeout if timeout is None else timeout
        if limit is not None and not is_seconds(limit):
            raise refuse("invalid_arguments", f"The timeout is {limit!r}; give a number of seconds above 0, or none.")
        effects = route.effects or route.effects_of(arguments)
        session = run.session
        run.arguments = arguments
        run.call = ToolCall(
            route.tool.name, arguments, given.id or self._id_for(given), given.key, limit, given.turn, effects,
            None if session is None else session.name, None if run.parent is None else run.parent_id,
        )  # fmt: skip
        if self.listeners:
            tell_prepared(run)
        return ALWAYS if route.tool.requires_approval else None

    def _id_for(self, call: ToolCall) -> str:
        return f"{call.turn}-0" if call.turn else f"call_{next(self._numbers)}"

    async def _approve(self, run: Run, route: Route, asked: Ask, approved: PendingApproval | None) -> None:
        """Stage 8."""
        if approved is not None:
            run.approved = approved
            run.notes = {**(run.notes or {}), "approval": approved.id}
        reason = redact(self, run, asked.reason)
        if self.listeners and approved is None:
            emit(run, "approval_requested", {"reason": reason, "arguments": shown_arguments(run)})
        await approve(run, route.tool, reason, self.approver)
        if self.listeners:
            emit(run, "approved", {})

    async def _admit_and_execute(self, run: Run, route: Route) -> Result:
        """Stages 9 to 11: what the call waits for, the tool, the result."""
        gate: Gate | None = None
        if not route.is_limited and run.parent is None and self.limiter.gate.try_enter():
            gate = self.limiter.gate
        elif route.is_limited or run.parent is None or run.parent.done:
            gate = await self.limiter.admit(run, route)
        try:
            return await self._execute(run, route)
        finally:
            if gate is not None:
                gate.leave()
            if run.held is not None:
                run.held.leave()

    async def _execute(self, run: Run, route: Route) -> Result:
        """Stage 10, and what its failures mean."""
        if run.kept is not None:
            await claim(run, run.kept)
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
            return ended(run, route, error)
        finally:
            run.done = True
        return finish(self, run, route, answer)

    def _deadline(self, run: Run, route: Route, since: float) -> float:
        limit = route.timeout if run.call.timeout is None else min(run.call.timeout, self.settings.limits.max_timeout)
        deadline = since + limit
        if run.parent is not None and not run.parent.done:
            deadline = min(deadline, run.parent.deadline)
        if run.until is not None:
            deadline = min(deadline, run.until)
        left = None if run.budget is None else run.budget.left()["time"]
        return deadline if left is None else min(deadline, since + left)

    def metadata(self, run: Run) -> dict[str, Any]:
        """Give what every result says about its run."""
        now = monotonic()
        found: dict[str, Any] = {"duration_ms": (now - run.started) * 1000, "attempts": run.attempts}
        if run.waited:
            found["waited_ms"] = run.waited * 1000
        if run.executed and now > run.deadline:
            found["late_ms"] = (now - run.deadline) * 1000
        if run.notes is not None:
            found |= run.notes
        return found

    def _record(self, run: Run, result: Result) -> Result:
        """Stage 12."""
        run.done = True
        error, route = result.error, run.route
        if run.executed and route is not None:
            if error is None or counts(error.code, error.blame):
                spent, code = (monotonic() - run.executing_since) * 1000, None if error is None else error.code
                self.recorder.add(route.tool.name, error is None, spent, code, route.tool.latency_ms)
            if run.session is not None or run.budget is not None:
                result = remember(run, route, result)
        if self.listeners:
            result = replace(result, metadata={**result.metadata, "execution_id": run.execution_id})
            tell_end(run, result)
        return result

    def tell_progress(self, run: Run, data: dict[str, Any]) -> None:
        """Tell how far a tool has come."""
        tell_progress(run, data)

    def close(self) -> None:
        """Give what waits to the stores and let the threads go."""
        self.recorder.flush()
        for store in (self.recorder.store, self.ledger.store, self.approvals.store):
            with suppress(Exception):
                store.close()
        self.threads.close()

    def forked(self) -> None:
        """Start afresh in a forked child: threads, places and waiting outcomes belong to the parent."""
        self.threads = Threads()
        self.recorder.forget_waiting()
        self.limiter.forked()


def _is_being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0
