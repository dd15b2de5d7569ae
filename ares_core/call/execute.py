"""Stage 10, execute: run the tool under its deadline, retries and layers inside.

An async tool is stepped in a copy of the caller's context, in the caller's own task; most end at the first step and
need no timer. A plain function runs in a thread. Past the deadline the answer is given at once; a thread that is
still busy keeps its locks and the tool's own place until it comes back.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import logging
import random
import time
import types
from collections.abc import AsyncIterable, Awaitable, Callable, Coroutine, Generator
from contextvars import Context, copy_context
from typing import Any

import msgspec
from msgspec.structs import replace

from ares_core.call.deadline import DeadlineReached, deadlines
from ares_core.call.layers import Broken, noting, wrap
from ares_core.call.limit import Holding
from ares_core.call.refusal import refuse
from ares_core.call.route import Route
from ares_core.call.run import CURRENT, SORTED, Run
from ares_core.call.tell import emit
from ares_core.call.threads import MOST_ITEMS
from ares_core.calls import Effects, ToolCall
from ares_core.context import ToolContext
from ares_core.errors import ToolError

ATTEMPTS = 3
BACKOFF = 0.1
TICK = 0.001
"""How much before a deadline its timer may go off, in seconds."""
log = logging.getLogger("ares")
monotonic = time.monotonic
_left_behind: set[asyncio.Future[None]] = set()
"""What still runs with nobody waiting; the event loop itself would forget it."""


async def execute(run: Run, route: Route) -> Any:
    """Run the tool, again if it may be, until it answers or time is up; gives data or a ``Result``."""
    try:
        run.attempts = 1
        if not route.execution_layers:
            return await attempt(run, route)
        return await _through_layers(run, route)
    except ToolError as error:
        if not error.retriable:
            raise
        failure = error
    return await _again(run, route, failure)


async def _again(run: Run, route: Route, failure: ToolError) -> Any:
    """Try further after a failure that may pass, with growing pauses."""
    while True:
        pause = _pause(run, failure)
        if pause is None:
            raise failure
        if run.runner.listeners:
            emit(run, "retried", {"attempt": run.attempts, "pause_s": round(pause, 3)})
        await asyncio.sleep(pause)
        run.attempts += 1
        try:
            return await (_through_layers if route.execution_layers else attempt)(run, route)
        except ToolError as error:
            failure = error


def _pause(run: Run, error: ToolError) -> float | None:
    """Seconds to wait before the next attempt; ``None`` when there is to be none."""
    effects = run.call.effects or Effects()
    if not error.retriable or run.attempts >= ATTEMPTS or not (effects.idempotent or effects.read_only):
        return None
    pause = BACKOFF * 2 ** (run.attempts - 1) * random.uniform(0.5, 1.5)
    return pause if pause < run.deadline - monotonic() else None


async def attempt(run: Run, route: Route) -> Any:
    """Run the tool once."""
    context = copy_context()
    context.run(CURRENT.set, run)
    given = ToolContext(run.call, run)
    if not route.is_async:
        return await _in_thread(run, route, context, given)
    coroutine = context.run(route.tool.execute, run.arguments, given)
    try:
        first = context.run(coroutine.send, None)
    except StopIteration as done:
        value = done.value
    else:
        value = await deadlines().wait(_resume(run, context, coroutine, first), run)
    return value if type(value) is not types.AsyncGeneratorType else await _drive(run, _collect(value), context)


async def _in_thread(run: Run, route: Route, context: Context, given: ToolContext) -> Any:
    function = functools.partial(route.tool.execute, run.arguments, given)
    busy = [True]  # taken away by whichever ends first: the thread's work, or the caller's waiting
    if run.held is not None:
        function = functools.partial(_then_leave, function, run.held, busy)
    try:
        value = await deadlines().wait(run.runner.threads.run(context, function), run)
    except (asyncio.CancelledError, DeadlineReached):
        if run.held is not None and _is_first(busy):
            run.held = None  # it stays taken until the thread is back
        raise
    if inspect.isasyncgen(value):
        value = _collect(value)
    return await _drive(run, value, context) if inspect.iscoroutine(value) else value


def _then_leave(function: Callable[[], Any], held: Holding, busy: list[bool]) -> Any:
    try:
        return function()
    finally:
        if not _is_first(busy):
            held.leave()


def _is_first(busy: list[bool]) -> bool:
    try:
        return busy.pop()
    except IndexError:
        return False


async def _collect(values: AsyncIterable[Any]) -> list[Any]:
    """Take what an async generator gives, within bounds."""
    collected: list[Any] = []
    async for value in values:
        if len(collected) >= MOST_ITEMS:
            raise ToolError(f"it gives more than {MOST_ITEMS} items", hint="Ask for less.")
        collected.append(value)
    return collected


async def _drive(run: Run, coroutine: Coroutine[Any, Any, Any], context: Context) -> Any:
    """Run a coroutine in a context; a timer is set only when it waits for something."""
    try:
        first = context.run(coroutine.send, None)
    except StopIteration as done:
        return done.value
    return await deadlines().wait(_resume(run, context, coroutine, first), run)


@types.coroutine
def _resume(run: Run, context: Context, coroutine: Coroutine[Any, Any, Any], yielded: Any) -> Generator[Any, Any, Any]:
    """Go on with a coroutine that was stepped once, every further step in its own context.

    One that is cancelled at its deadline and goes on none the less is left behind.
    """
    while True:
        step: Callable[..., Any] = coroutine.send
        try:
            value = yield yielded
        except GeneratorExit:
            coroutine.close()
            raise
        except BaseException as error:
            step, value = coroutine.throw, error
        try:
            yielded = context.run(step, value)
        except StopIteration as done:
            return done.value
        if isinstance(value, asyncio.CancelledError) and monotonic() + TICK >= run.deadline:
            _leave_behind(run, _resume(run, context, coroutine, yielded))
            raise value


def _leave_behind(run: Run, rest: Awaitable[Any]) -> None:
    """Let a tool that ignores its cancellation go on by itself; it keeps what it holds until it ends."""
    task = asyncio.ensure_future(_to_its_end(run.call.name, rest, run.held))
    run.held = None
    _left_behind.add(task)
    task.add_done_callback(_left_behind.discard)


async def _to_its_end(tool: str, rest: Awaitable[Any], held: Holding | None) -> None:
    try:
        await rest
    except Exception as error:
        log.debug("tool %s, left behind after its deadline, ended with %s", tool, type(error).__name__)
    finally:
        if held is not None:
            held.leave()


async def _through_layers(run: Run, route: Route) -> Any:
    """Wrap one attempt in the execution layers, outermost first. They see a copy of the call; the real one runs."""

    async def innermost() -> Any:
        return await attempt(run, route)

    def shown() -> ToolCall:
        return replace(run.call, arguments=msgspec.json.decode(SORTED.encode(run.call.arguments)))

    work = wrap(route.execution_layers, shown, innermost, noting(run))
    try:
        return await _drive(run, work(), copy_context())
    except Broken as error:
        raise refuse("tool_error", str(error), blame="tool") from error
