"""Threads for tools that are plain functions: daemons, so that a stuck one never keeps the process alive.

A thread that is still busy with a call nobody waits for any more is simply not idle; the next call gets another.
"""

from __future__ import annotations

import asyncio
import inspect
import itertools
import threading
from collections import deque
from collections.abc import Callable
from contextvars import Context
from queue import Empty, SimpleQueue
from typing import Any

from ares_core.errors import ToolError

IDLE_SECONDS = 30.0
MOST_ITEMS = 100_000
"""Of a generator."""
Job = tuple[asyncio.AbstractEventLoop, "asyncio.Future[Any]", Context, Callable[[], Any]]


class Threads:
    """Runs plain functions, each call in a thread of its own, and keeps idle threads for the next."""

    def __init__(self) -> None:
        self._idle: deque[SimpleQueue[Job | None]] = deque()
        self._numbers = itertools.count(1)
        self._closed = False

    def run(self, context: Context, function: Callable[[], Any]) -> asyncio.Future[Any]:
        """Start ``function`` in a thread, with the context's variables; gives the future of what it returns."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        job = (loop, future, context, function)
        try:
            self._idle.pop().put(job)
        except IndexError:
            self._start(job)
        return future

    def _start(self, job: Job) -> None:
        inbox: SimpleQueue[Job | None] = SimpleQueue()
        inbox.put(job)
        name = f"ares-tool-{next(self._numbers)}"
        threading.Thread(target=self._work, args=(inbox,), name=name, daemon=True).start()

    def _work(self, inbox: SimpleQueue[Job | None]) -> None:
        while True:
            try:
                job = inbox.get(timeout=IDLE_SECONDS)
            except Empty:
                if self._retire(inbox):
                    return
                continue
            if job is None:
                return
            _do(job)
            del job
            if self._closed:
                return
            self._idle.append(inbox)

    def _retire(self, inbox: SimpleQueue[Job | None]) -> bool:
        """Take this thread off the list of idle ones; fails when a job is already on its way to it."""
        try:
            self._idle.remove(inbox)
        except ValueError:
            return False
        return True

    def close(self) -> None:
        """Let idle threads end; busy ones end after what they do."""
        self._closed = True
        while self._idle:
            self._idle.pop().put(None)


def _do(job: Job) -> None:
    loop, future, context, function = job
    value: Any = None
    error: BaseException | None = None
    try:
        value = context.run(_whole, function)
    except (KeyboardInterrupt, StopIteration, GeneratorExit) as raised:  # would end the loop or a coroutine
        error = RuntimeError(f"the tool raised {type(raised).__name__}")
    except BaseException as raised:  # also SystemExit: a tool must not end its thread unnoticed
        error = raised
    try:
        loop.call_soon_threadsafe(_settle, future, value, error)
    except RuntimeError:  # the loop is closed: nobody waits
        return


def _whole(function: Callable[[], Any]) -> Any:
    """Run a function; what a generator gives is collected here, where waiting for it hurts nobody."""
    value = function()
    if not inspect.isgenerator(value):
        return value
    items = list(itertools.islice(value, MOST_ITEMS + 1))
    if len(items) > MOST_ITEMS:
        raise ToolError(f"it gives more than {MOST_ITEMS} items", hint="Ask for less.")
    return items


def _settle(future: asyncio.Future[Any], value: Any, error: BaseException | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(value)
    else:
        future.set_exception(error)
