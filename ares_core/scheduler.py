"""Runs checked graphs of calls: independent steps side by side, runners-up, undo."""

from __future__ import annotations

import asyncio
import heapq
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from msgspec.structs import replace

from ares_core.call import failed_alone
from ares_core.calls import Failure, Result, ToolCall
from ares_core.planner.arguments import as_schema
from ares_core.planner.plan import ExecutionPlan, PlanStep
from ares_core.tools import Tool
from ares_core.undo import take_back

RunCall = Callable[[ToolCall], Awaitable[Result]]
RunGraph = Callable[..., Awaitable[dict[str, Result]]]
RETRIED_ELSEWHERE = frozenset({"tool_error", "timeout", "rate_limited", "queue_full", "unknown_tool", "internal_error"})
"""Failures after which a runner-up may do a reader's work; a call that was refused stays refused."""
HANDED_OVER = (
    "result", "output", "text", "content", "value", "number", "vector", "embedding", "body", "data", "id", "ids",
    "results", "extracted", "matches", "path", "url",
)  # fmt: skip
"""Which part of a step's data goes into the next step, the first that is there."""


YIELD_EVERY = 16


class Node(Protocol):
    """What a graph consists of."""

    @property
    def id(self) -> str: ...
    @property
    def depends_on(self) -> Sequence[str]: ...


N = TypeVar("N", bound=Node)
R = TypeVar("R")


async def run_graph(
    nodes: Sequence[N], run: Callable[[N, Mapping[str, R]], Awaitable[R]], *,
    alone: Callable[[N], bool] = lambda node: False, is_good: Callable[[R], bool] = lambda result: True,
    limit: int | None = None, done: Mapping[str, R] | None = None, hold: Callable[[], bool] = lambda: False,
) -> dict[str, R]:  # fmt: skip
    """Run the nodes of a checked graph, each after those it depends on; gives the results of those that ran.

    Nodes that wait for nothing run side by side, at most ``limit``, except those that must run ``alone``. After a
    result that is not good, or when ``hold()`` says so, nothing more is started; what runs is waited for. ``done``
    has the results of nodes that need not run.
    """
    return await _Graph(nodes, run, alone, is_good, limit or len(nodes), done or {}, hold).run()


class _Graph(Generic[N, R]):
    """One run of a graph: which nodes are ready, which run, what they gave."""

    def __init__(
        self, nodes: Sequence[N], run: Callable[[N, Mapping[str, R]], Awaitable[R]], alone: Callable[[N], bool],
        is_good: Callable[[R], bool], limit: int, done: Mapping[str, R], hold: Callable[[], bool],
    ) -> None:  # fmt: skip
        self._nodes, self._run, self._is_good, self._limit, self._hold = nodes, run, is_good, limit, hold
        self._alone = {place for place, node in enumerate(nodes) if alone(node)}
        self._results: dict[str, R] = {node.id: done[node.id] for node in nodes if node.id in done}
        self._followers: dict[str, list[int]] = {}
        self._missing = [self._count_missing(place, node) for place, node in enumerate(nodes)]
        self._shared: list[int] = []  # two heaps of what is ready: what runs beside others, and what runs alone
        self._apart: list[int] = []
        for place, node in enumerate(nodes):
            if not self._missing[place] and node.id not in self._results:
                self._add(place)
        self._running: set[int] = set()
        self._lanes: set[asyncio.Task[None]] = set()
        self._idle: asyncio.Future[None] | None = None
        self._failure: BaseException | None = None
        self._stopped = False

    def _count_missing(self, place: int, node: N) -> int:
        wanted = {name for name in node.depends_on if name not in self._results}
        for name in wanted:
            self._followers.setdefault(name, []).append(place)
        return len(wanted)

    def _add(self, place: int) -> None:
        heapq.heappush(self._apart if place in self._alone else self._shared, place)

    async def run(self) -> dict[str, R]:
        task = asyncio.current_task()
        cancelled_before = task.cancelling() if task is not None else 0
        try:
            while True:
                if not self._running and len(self._shared) + len(self._apart) == 1:
                    place = self._next()
                    if place is not None:
                        await self._turn(place)  # a chain needs no tasks
                        if task is not None and task.cancelling() > cancelled_before:
                            raise asyncio.CancelledError  # the node took in what was meant for the whole graph
                        continue
                self._start()
                if not self._lanes:
                    return self._results
                await self._all_end()
        finally:
            self._stopped = True  # a lane that ends none the less starts nothing more
            for lane in self._lanes:
                lane.cancel()
            if self._lanes:
                await asyncio.gather(*self._lanes, return_exceptions=True)

    async def _lane(self, place: int | None) -> None:
        """Run one node after the other while there is one that may start; more that may start get their own lanes."""
        lane = asyncio.current_task()
        while place is not None:
            await self._turn(place)
            place = None if lane is None or lane.cancelling() else self._next()
            self._start()

    async def _turn(self, place: int) -> None:
        self._settle(place, await self._run(self._nodes[place], self._results))
        if not len(self._results) % YIELD_EVERY:
            await asyncio.sleep(0)  # nodes that never wait leave others their turn

    def _start(self) -> None:
        while (place := self._next()) is not None:
            lane = asyncio.get_running_loop().create_task(self._lane(place))
            self._lanes.add(lane)
            lane.add_done_callback(self._note)

    def _next(self) -> int | None:
        """Take the node that may start now: nothing starts beside one that is alone."""
        if len(self._running) >= self._limit or not (heap := self._startable()) or self._stopped or self._hold():
            return None
        place = heapq.heappop(heap)
        self._running.add(place)
        return place

    def _startable(self) -> list[int] | None:
        """Give the heap that the next node comes from, or nothing while one runs alone."""
        if not self._alone:
            return self._shared
        if self._running:
            return None if next(iter(self._running)) in self._alone else self._shared
        is_apart = self._apart and (not self._shared or self._apart[0] < self._shared[0])
        return self._apart if is_apart else self._shared

    def _note(self, lane: asyncio.Task[None]) -> None:
        self._lanes.discard(lane)
        if lane.cancelled():
            self._failure = asyncio.CancelledError()
        elif (error := lane.exception()) is not None:
            self._failure = error
        if self._idle is not None and not self._idle.done() and (self._failure or not self._lanes):
            self._idle.set_result(None)

    async def _all_end(self) -> None:
        self._idle = asyncio.get_running_loop().create_future()
        await self._idle
        if self._failure is not None:
            raise self._failure

    def _settle(self, place: int, result: R) -> None:
        name = self._nodes[place].id
        self._running.discard(place)
        self._results[name] = result
        self._stopped = self._stopped or not self._is_good(result)
        for follower in self._followers.get(name, ()):
            self._missing[follower] -= 1
            if not self._missing[follower] and self._nodes[follower].id not in self._results:
                self._add(follower)


async def run_plan(plan: ExecutionPlan, run: RunCall, tools: Mapping[str, Tool], graph: RunGraph = run_graph) -> Result:
    """Run a plan through ``run``, which gives each call its whole life; gives one result with those of all steps.

    A plan with an error runs nothing. When a step fails, what the finished steps gave stays in the answer, and
    what they changed is undone, last first, where their tools can. ``graph`` runs the steps as ``run_graph`` does,
    for those who need an order that a restart repeats.
    """
    if plan.error is not None:
        return refused(plan.error)
    started = time.perf_counter()
    results = await graph(
        plan.steps, lambda step, before: _run_step(step, before, run, tools),
        alone=lambda step: not step.read_only, is_good=lambda result: result.success,
    )  # fmt: skip
    done = [(step, results[step.id]) for step in plan.steps if step.id in results]
    metadata = {
        "duration_ms": round((time.perf_counter() - started) * 1000, 3),
        "attempts": sum(result.metadata.get("attempts", 1) for _, result in done),
        "confidence": plan.confidence,
    }
    failed = next(((step, result) for step, result in done if not result.success), None)
    if failed is not None:
        return await _failed(plan, failed, done, tools, metadata)
    return _answered(plan, results, tuple(result for _, result in done), metadata)


def refused(failure: Failure) -> Result:
    """Make the result of a plan that does not run."""
    return Result(False, error=failure, text=failure.message, metadata={"duration_ms": 0.0, "attempts": 0})


async def _run_step(step: PlanStep, before: Mapping[str, Result], run: RunCall, tools: Mapping[str, Tool]) -> Result:
    """Run a step, and its runners-up if it fails for a reason of the tool's own; a change is never tried twice."""
    result = await run(_call(step, step.tool, step.arguments, before, tools))
    for other in step.fallbacks if step.read_only else ():
        if (
            result.success
            or result.error is None
            or result.error.code not in RETRIED_ELSEWHERE
            or result.error.blame == "input"
        ):
            break
        second = await run(_call(step, other.tool, other.arguments, before, tools))
        if second.success:
            return replace(second, metadata={**second.metadata, "instead_of": step.tool})
    return result


def _call(
    step: PlanStep, tool: str, arguments: Mapping[str, Any], before: Mapping[str, Result], tools: Mapping[str, Tool]
) -> ToolCall:
    properties = tools[tool].parameters.get("properties", {}) if tool in tools else {}
    bound: dict[str, list[Any]] = {}
    for binding in step.bindings:
        schema = properties.get(binding.argument, {})
        bound.setdefault(binding.argument, []).append(handed_over(before[binding.step].data, schema))
    given = {name: values[0] if len(values) == 1 else _several(values) for name, values in bound.items()}
    return ToolCall(tool, {**arguments, **given})


def _several(values: list[Any]) -> list[Any]:
    """Make one list of what several steps gave."""
    return [one for value in values for one in (value if isinstance(value, list) else [value])]


def handed_over(data: Any, schema: Mapping[str, Any]) -> Any:
    """Give what a step gave as the argument of the next.

    >>> handed_over({"expression": "1+2", "result": 3}, {"type": "string"})
    '3'
    """
    if isinstance(data, Mapping):
        found = next((data[name] for name in HANDED_OVER if data.get(name) is not None), None)
        data = found if found is not None else next(iter(data.values())) if len(data) == 1 else data
    if isinstance(data, list) and len(data) == 1 and schema.get("type") != "array":
        data = data[0]
    if isinstance(data, float) and data.is_integer():
        data = int(data)
    shaped = as_schema(schema, data)
    if shaped is None and schema.get("type") == "string":
        return json.dumps(data, ensure_ascii=False)
    return data if shaped is None else shaped


def _answered(
    plan: ExecutionPlan, results: Mapping[str, Result], steps: tuple[Result, ...], metadata: dict[str, Any]
) -> Result:
    """Make the answer: what the only sink gave, or what each of several gave."""
    last = results[plan.sinks[-1]]
    if len(plan.sinks) == 1:
        merged = {**last.metadata, **metadata}
        return replace(last, steps=steps, metadata=merged)
    data = {name: results[name].data for name in plan.sinks}
    text = "\n".join(f"{name}: {results[name].text}" for name in plan.sinks)
    return Result(True, data, None, text, last.call, last.edits, steps, metadata)


async def _failed(
    plan: ExecutionPlan, failed: tuple[PlanStep, Result], done: list[tuple[PlanStep, Result]],
    tools: Mapping[str, Tool], metadata: dict[str, Any],
) -> Result:  # fmt: skip
    """Undo what was changed, and say what failed, what was kept and what was not started."""
    step, result = failed
    steps = tuple(one for _, one in done)
    if len(plan.steps) == 1:
        return replace(result, steps=steps, metadata={**result.metadata, **metadata})
    why = result.error or Failure("internal_error", "it gave no reason", blame="tool")
    undone = await _undo([one for one in done if one[1].success and not one[0].read_only], tools)
    kept = {one.id: each.data for one, each in done if each.success}
    waiting = [one.id for one in plan.steps if one.id not in {each.id for each, _ in done}]
    sentences = [f"Step {step.id} ({step.tool}) failed: {why.message}", *undone]
    sentences += [f"Finished: {', '.join(kept)}; their results are kept."] if kept else []
    sentences += [f"Not executed: {', '.join(waiting)}."] if waiting else []
    error = Failure("step_failed", " ".join(sentences), why.issues, why.retriable, blame=why.blame)
    return Result(False, kept or None, error, error.message, result.call, result.edits, steps, metadata)


async def _undo(changed: list[tuple[PlanStep, Result]], tools: Mapping[str, Tool]) -> list[str]:
    """Take back what steps changed, last first; gives a sentence on each."""
    told = []
    for step, result in reversed(changed):
        reason = await take_back(tools.get(step.tool), result)
        done = "was undone" if reason is None else f"could not be undone: {reason}"
        told.append(f"{step.id} ({step.tool}) {done}.")
    return told


__all__ = ["failed_alone", "handed_over", "refused", "run_graph", "run_plan"]
