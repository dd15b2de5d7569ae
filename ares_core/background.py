"""A thread with an event loop of its own: where connections live, whichever event loops the calls come from."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")
LONGEST_END = 10.0
ROUNDS = 100
"""How often the end of tasks is looked for: seconds alone would be over at once on a machine that is held up."""


class Background:
    """An event loop in a daemon thread, started by the first use; a forked child starts its own.

    For plugins that keep connections: those belong to one event loop, and calls come from any.

    >>> async def answer() -> int:
    ...     return 42
    >>> background = Background("example")
    >>> background.submit(answer()).result()
    42
    >>> background.close()
    """

    def __init__(self, name: str) -> None:
        self._name = f"ares-{name}"
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._process = os.getpid()
        self._lock = threading.Lock()

    @property
    def is_running(self) -> bool:
        """Whether anything was started in this process."""
        return self._loop is not None and self._process == os.getpid()

    @property
    def is_inherited(self) -> bool:
        """Whether it was started by the process that this one was forked from."""
        return self._loop is not None and self._process != os.getpid()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a coroutine there; what comes of it can be waited for from any thread."""
        return asyncio.run_coroutine_threadsafe(work, self._running())

    def soon(self, fn: Callable[..., Any], *given: Any) -> None:
        """Run a function there."""
        with contextlib.suppress(RuntimeError):  # it is closed
            self._running().call_soon_threadsafe(fn, *given)

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine there and await it here; whoever is cancelled here cancels it there."""
        home, here = self._running(), asyncio.get_running_loop()
        answer: asyncio.Future[T] = here.create_future()
        tasks: list[asyncio.Task[T]] = []

        def start() -> None:
            tasks.append(home.create_task(work))
            tasks[0].add_done_callback(tell)

        def tell(task: asyncio.Task[T]) -> None:
            with contextlib.suppress(RuntimeError):  # nobody is there any more
                here.call_soon_threadsafe(_settle, answer, task)

        def cancel() -> None:
            tasks[0].cancel()

        home.call_soon_threadsafe(start)
        try:
            return await answer
        except asyncio.CancelledError:
            with contextlib.suppress(RuntimeError):  # it is closed
                home.call_soon_threadsafe(cancel)
            raise

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is not None and self._process == os.getpid():
            return self._loop
        with self._lock:
            if self._loop is None or self._process != os.getpid():
                self._process = os.getpid()
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=_serve, args=(self._loop,), name=self._name, daemon=True)
                self._thread.start()
            return self._loop

    def close(self, last: Callable[[], Coroutine[Any, Any, None]] | None = None) -> None:
        """Run the last coroutine, and end the thread, if it was ever started here."""
        loop, thread = self._loop, self._thread
        if loop is None or thread is None or self._process != os.getpid():
            return
        if last is not None:
            with contextlib.suppress(Exception):
                self.submit(last()).result(timeout=LONGEST_END)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout=LONGEST_END)
        self._loop = None


def _settle(answer: asyncio.Future[Any], task: asyncio.Task[Any]) -> None:
    error = None if task.cancelled() else task.exception()
    if answer.done():
        return
    if task.cancelled():
        answer.cancel()
    elif error is not None:
        answer.set_exception(error)
    else:
        answer.set_result(task.result())


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        for _ in range(ROUNDS):
            if tasks:
                _, tasks = loop.run_until_complete(asyncio.wait(tasks, timeout=0.02))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()
