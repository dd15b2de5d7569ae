"""One run of a graph: nodes as their turn comes, each kept as soon as it ends."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from msgspec.structs import replace

from ares_core import run_graph, within
from ares_plugin_graph.checkpoints import Checkpoints, MemoryCheckpoints, Saved
from ares_plugin_graph.cutting import absorbed, is_for_the_run, taking, watch
from ares_plugin_graph.ending import ended, result_of
from ares_plugin_graph.graph import Graph, GraphError, GraphProblem
from ares_plugin_graph.joins import Branch, passed, verdict
from ares_plugin_graph.nodes import SubGraph
from ares_plugin_graph.prepared import Step, fingerprint, ready_steps
from ares_plugin_graph.results import NodeError, NodeResult, RunResult, not_done
from ares_plugin_graph.routes import chooser
from ares_plugin_graph.state import State
from ares_plugin_graph.taking import kept_input, taken
from ares_plugin_graph.work import work
from ares_plugin_graph.written import written

if TYPE_CHECKING:
    from ares_core import Ares, Scoped
    from ares_plugin_graph.changes import Change

log = logging.getLogger("ares.plugin.graph")
TOLD: Mapping[str, Any] = {
    "done": "node.finished", "failed": "node.failed", "skipped": "node.skipped", "cancelled": "node.cancelled",
    "waiting": "node.waiting", "unknown": "node.unknown",
}  # fmt: skip
OnNode = Callable[[str, NodeResult], Any]


class Run:
    """A run under way. ``await wait()`` gives its result; ``cancel`` ends it, ``apply`` changes its graph."""

    def __init__(
        self, graph: Graph, ares: Ares | Scoped, saved: Saved, checkpoints: Checkpoints, session: str | None,
        on_node: OnNode | None,
    ) -> None:  # fmt: skip
        self.graph = graph
        self.ares = ares
        self.run_id = saved.run_id
        self.session = session
        self.checkpoints = checkpoints
        self.results: dict[str, NodeResult] = dict(saved.results)
        self.state = State(graph, saved.input, self.results)
        self.chosen: dict[str, Callable[[str], bool]] = {}
        self.round = time.time_ns()  # what runs again, even under the same run id, is another call
        self.approvals: dict[str, str] = {}
        self.decisions: dict[str, dict[str, Any]] = {}
        self.kept: set[str] = set()
        self.unfounded: dict[str, Branch] = {}
        self.begun = time.perf_counter()
        self.error: NodeError | None = None
        self.order: list[str] = []
        self._document = saved.graph
        self._on_node = on_node
        self._changes: list[tuple[Change, asyncio.Future[Change]]] = []
        self._working: dict[str, asyncio.Task[Any] | None] = {}
        self._started_nodes: set[str] = set()
        self._cancelled_nodes: set[str] = set()
        self._stage = "new"
        self._is_cancelled = False
        self._loop = asyncio.get_running_loop()
        self._task = self._loop.create_task(self._drive())
        self._task.add_done_callback(self._note_end)

    @classmethod
    def begin(
        cls, graph: Graph, ares: Ares | Scoped, input: Mapping[str, Any], run_id: str | None,
        checkpoints: Checkpoints | None, session: str | None, on_node: OnNode | None, document: Any = None,
    ) -> Self:  # fmt: skip
        """Begin a new run."""
        kept = MemoryCheckpoints() if checkpoints is None else checkpoints
        mark = "" if checkpoints is None else fingerprint(graph)
        saved = Saved(run_id or uuid.uuid4().hex, graph.name, mark, kept_input(graph, input), graph=document)
        with taking(kept, graph, saved.run_id):
            kept.begin(saved)
            return cls(graph, ares, saved, kept, session, on_node)

    @classmethod
    def resume(
        cls, graph: Graph, ares: Ares | Scoped, run_id: str, checkpoints: Checkpoints,
        decisions: Mapping[str, Any], session: str | None, on_node: OnNode | None,
    ) -> Self:  # fmt: skip
        """Go on with a run that was kept."""
        from ares_plugin_graph.resuming import kept, taken_up

        kept(checkpoints, run_id)  # what isn't there is nobody's, and stays free
        with taking(checkpoints, graph, run_id):
            found = taken_up(graph, run_id, checkpoints, decisions)
            run = cls(graph, ares, found.saved, checkpoints, session, on_node)
        run.approvals, run.decisions = found.approvals, found.inner
        run.order, run.kept = found.order, found.kept
        for step in ready_steps(graph):
            result = run.results.get(step.id)
            if step.node.route is not None and result is not None and result.status == "done":
                run.results[step.id] = chooser(run, step, result)
        return run

    def inner(self, node: SubGraph, run_id: str, input: Mapping[str, Any]) -> Run:
        """Begin, or take up, the run of an inner graph."""
        saved = self.checkpoints.load(run_id)
        if saved is None:
            return Run.begin(node.graph, self.ares, input, run_id, self.checkpoints, self.session, None)
        decisions = {} if saved.status == "done" else self.decisions.pop(node.id, {})
        return Run.resume(node.graph, self.ares, run_id, self.checkpoints, decisions, self.session, None)

    async def wait(self) -> RunResult:
        """Wait for the end; to be cancelled while waiting cancels the run."""
        return await self._task

    def cancel(self) -> None:
        """End the run: nothing more is started, what runs is cancelled; what it takes back it takes back whole."""
        if self._stage != "ending":
            self._is_cancelled = True
        if self._stage == "running":
            self._task.cancel()

    def cancel_node(self, name: str) -> bool:
        """Cancel one node that works; tells whether it did."""
        task = self._working.get(name)
        if task is not None and name not in self._cancelled_nodes:
            self._cancelled_nodes.add(name)
            task.cancel()
        return task is not None

    async def apply(self, change: Change) -> Change:
        """Change the graph between two nodes; gives the change that takes it back. What has begun stays."""
        if self._task.done():
            raise GraphError(self.graph.name, [GraphProblem("", f"run {self.run_id} has ended")])
        future: asyncio.Future[Change] = asyncio.get_running_loop().create_future()
        self._changes.append((change, future))
        return await future

    def note_start(self, name: str) -> None:
        """Keep that a node begins which may change something, before it does."""
        self.checkpoints.start(self.run_id, name)
        self._started_nodes.add(name)

    async def _drive(self) -> RunResult:
        self._stage = "running"
        self._tell("run.started", {"graph": self.graph.name})
        watcher = asyncio.ensure_future(watch(self)) if hasattr(self.checkpoints, "close") else None
        deadline = asyncio.timeout(self.graph.deadline)
        try:
            async with deadline:
                if not self._is_cancelled and await self._takes_input():
                    await self._waves()
        except asyncio.CancelledError:
            if not self._is_cancelled:
                await self._end("cancelled")
                raise
        except Exception as error:
            self.error = self._stopped_by(error, deadline)
        finally:
            if watcher is not None:
                watcher.cancel()
        return await self._end("cancelled" if self._is_cancelled else None)

    def _stopped_by(self, error: Exception, deadline: asyncio.Timeout) -> NodeError:
        if isinstance(error, TimeoutError) and deadline.expired():
            return NodeError("timeout", f"the run did not end within its deadline of {self.graph.deadline:g} s")
        log.error("run %s stops", self.run_id, exc_info=error)
        return NodeError("internal_error", f"the run stops: {type(error).__name__}: {error}"[:500])

    async def _end(self, status: str | None) -> RunResult:
        self._stage = "ending"
        try:
            is_cut_off = await ended(self, is_cancelled=status == "cancelled")
            result = result_of(self, status)
            with suppress(Exception):
                self.checkpoints.status(self.run_id, result.status)
        finally:
            self._let_go()
        kind: Any = "run.finished" if result.status == "done" else f"run.{result.status}"
        self._tell(kind, {"status": result.status, "duration_ms": result.duration_ms})
        if is_cut_off:
            raise asyncio.CancelledError
        return result

    def _let_go(self) -> None:
        self.checkpoints.release(self.run_id)
        for _, future in self._changes:
            if not future.done():
                problem = GraphProblem("", f"run {self.run_id} has ended")
                future.set_exception(GraphError(self.graph.name, [problem]))

    def _note_end(self, task: asyncio.Task[RunResult]) -> None:
        if self._stage == "new":  # whoever waited was cancelled before the first step
            with suppress(Exception):
                self.checkpoints.status(self.run_id, "cancelled")
            self._let_go()

    async def _takes_input(self) -> bool:
        """Repair and check the input like a tool's arguments."""
        result = await taken(self.graph, self.ares, self.state.input)
        if result is None:
            return True
        if result.success:
            self.state.input = result.data
            return True
        message = result.error.message if result.error else result.text
        self.error = NodeError("invalid_arguments", message)
        return False

    async def _waves(self) -> None:
        while True:
            done = {name: one for name, one in self.results.items() if name not in self.kept}
            await run_graph(
                ready_steps(self.graph), self._run_step, limit=self.graph.limit, done=done, hold=self._is_held
            )
            if not self._changes:
                return
            changes, self._changes = self._changes, []
            for change, future in changes:
                if not future.done():
                    self._change(change, future)
            await asyncio.sleep(0)  # whoever made the changes may have more

    def _is_held(self) -> bool:
        return self._is_cancelled or bool(self._changes)

    def _change(self, change: Change, future: asyncio.Future[Change]) -> None:
        try:
            self._check_begun(change)
            graph, inverse = self.graph.changed(change)
            document = None if self._document is None else written(graph)
            self.checkpoints.regraph(self.run_id, fingerprint(graph), document)
        except Exception as error:
            future.set_exception(error)
            return
        self.graph, self.state = graph, State(graph, self.state.input, self.results)
        future.set_result(inverse)

    def _check_begun(self, change: Change) -> None:
        begun = sorted(name for name in change.touches() if name in self.results)
        if begun:
            raise GraphError(self.graph.name, [GraphProblem(begun[0], "it has begun already, so it can't be changed")])

    async def _run_step(self, step: Step, results: Mapping[str, NodeResult]) -> NodeResult:
        if step.id in self.kept:
            return passed(self, step)
        made, arguments = self._before(step)
        if made is None:
            if self.ares.is_heard:
                self._tell("node.started", {}, step.id)
            self._working[step.id] = task = asyncio.current_task(self._loop)
            begun = time.perf_counter()
            try:
                with within(self.run_id, step.id):
                    made = await work(self, step, arguments)
            except asyncio.CancelledError:
                made = replace(self._cut_off(step), duration_ms=(time.perf_counter() - begun) * 1000)
                if is_for_the_run(task, step.id in self._cancelled_nodes):
                    self._settle(step, made)
                    raise
            except Exception as error:
                made = not_done("failed", "internal_error", f"{type(error).__name__}: {error}"[:500])
            finally:
                del self._working[step.id]
            if step.id in self._cancelled_nodes:
                await absorbed(task)
            if not made.duration_ms:
                made = replace(made, duration_ms=(time.perf_counter() - begun) * 1000)
        return self._settle(step, made)

    def _before(self, step: Step) -> tuple[NodeResult | None, Any]:
        """Say what became of a node that does not run, or give what one that does is given."""
        made = verdict(self, step)
        if made is not None:
            return made, None
        try:
            if step.test is not None and not step.test(self.state):
                return not_done("skipped", "not_taken", "its condition does not hold"), None
            return None, step.constant if step.arguments is None else step.arguments(self.state)
        except Exception as error:
            return not_done("failed", "missing_input", str(error)[:500]), None

    def _cut_off(self, step: Step) -> NodeResult:
        if step.id in self._started_nodes:
            return not_done("unknown", "outcome_unknown", "it was cancelled while it may have changed something")
        return not_done("cancelled", "cancelled", "it was cancelled")

    def _settle(self, step: Step, made: NodeResult) -> NodeResult:
        if step.writes:
            made = self.state.checked(step.id, made, [key for key, _ in step.writes])
        if made.status == "done" and step.node.route is not None:
            made = chooser(self, step, made)
        self.results[step.id] = made
        self.order.append(step.id)
        self.checkpoints.save(self.run_id, step.id, made)
        if self.ares.is_heard:
            self._tell(TOLD[made.status], {"duration_ms": made.duration_ms, "tool": made.tool}, step.id)
        if self._on_node is not None:
            self._on_node(step.id, made)
        return made

    def _tell(self, kind: Any, data: Mapping[str, Any], node: str | None = None) -> None:
        self.ares.tell(kind, data, run=self.run_id, node=node, session=self.session)


__all__ = ["Run"]
