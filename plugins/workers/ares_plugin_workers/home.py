"""The thread on which a connection lives, whichever event loops the calls come from."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")
LONGEST_END = 5.0


class Home:
    """An event loop in a daemon thread, started by the first use; a forked child starts its own."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._process = os.getpid()
        self._lock = threading.Lock()

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

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is not None and self._process == os.getpid():
            return self._loop
        with self._lock:
            if self._loop is None or self._process != os.getpid():
                self._process = os.getpid()
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=_serve, args=(self._loop,), name="ares-workers", daemon=True)
                self._thread.start()
            return self._loop

    def close(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run the last coroutine, and end the thread, if it was ever started here."""
        loop, thread = self._loop, self._thread
        if loop is None or thread is None or self._process != os.getpid():
            return
        with contextlib.suppress(Exception):
            self.submit(work()).result(timeout=LONGEST_END)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(timeout=LONGEST_END)
        self._loop = None


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        if tasks:
            loop.run_until_complete(asyncio.wait(tasks, timeout=2))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
