"""The loop thread: one event loop for all ``*_sync`` calls of one Ares."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import weakref
from collections.abc import Awaitable, Coroutine
from concurrent.futures import CancelledError, Future
from typing import Any, TypeVar

from ares_core.errors import UsageError

T = TypeVar("T")
CLOSED = "this Ares is closed; make a new one"
ROUNDS = 100
"""How often the end of a loop is looked for: seconds alone would be over at once on a machine that is held up."""


class LoopThread:
    """An event loop in a daemon thread, started by the first use."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._waiting: set[Future[Any]] = set()
        self._closed = False
        self._lock = threading.Lock()

    def run(self, work: Awaitable[T], what: str) -> T:
        """Run a coroutine on the loop and wait for it; the caller's context variables go along."""
        coroutine = work if asyncio.iscoroutine(work) else _coroutine(work)
        if threading.current_thread() is self._thread:
            coroutine.close()
            raise UsageError(f"{what}_sync was called on Ares' own event loop; write 'await ….{what}(…)' instead")
        future: Future[T] | None = None
        try:
            with self._lock:
                if not self._closed:
                    future = asyncio.run_coroutine_threadsafe(coroutine, self._running())
                    self._waiting.add(future)
            return _result(future, coroutine)
        except CancelledError:
            if self._closed:
                raise UsageError(CLOSED) from None
            raise
        except BaseException:
            if future is not None:
                future.cancel()
            else:  # Ctrl-C came while it was handed over
                self._take_back(coroutine)
            raise
        finally:
            if future is not None:
                self._waiting.discard(future)

    def _take_back(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        if self._loop is None or _never_began(self._thread):
            coroutine.close()
            return
        with contextlib.suppress(RuntimeError):  # it is closed
            self._loop.call_soon_threadsafe(_take_back, self._loop, coroutine)

    def _running(self) -> asyncio.AbstractEventLoop:
        loop = self._loop
        if loop is None or loop.is_closed() or _never_began(self._thread):
            if loop is not None:
                with contextlib.suppress(RuntimeError):  # its thread began after all
                    loop.close()
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=_serve, args=(loop,), name="ares-loop", daemon=True)
            weakref.finalize(self, _stop, loop)  # an Ares that nobody closed takes its thread along
            self._loop, self._thread = loop, thread
            thread.start()
        return loop

    def close(self) -> None:
        """Cancel what still runs, wait for it briefly, and end the thread."""
        with self._lock:
            self._closed = True
            loop, thread = self._loop, self._thread
        if loop is None or thread is None or loop.is_closed():
            return
        _stop(loop)
        if thread is not threading.current_thread():
            for _ in range(ROUNDS):
                with contextlib.suppress(RuntimeError):  # it never began
                    thread.join(timeout=0.05)
                if not thread.is_alive():
                    break
            for future in list(self._waiting):
                future.cancel()  # whoever got in too late for the loop must not wait for ever


def _result(future: Future[T] | None, coroutine: Coroutine[Any, Any, T]) -> T:
    if future is None:
        coroutine.close()
        raise UsageError(CLOSED)
    return future.result()


def _never_began(thread: threading.Thread | None) -> bool:
    """Whether Ctrl-C kept a thread from being started."""
    return thread is None or thread.ident is None


def _take_back(loop: asyncio.AbstractEventLoop, coroutine: Coroutine[Any, Any, Any]) -> None:
    """Cancel what runs a coroutine; one that nothing runs is closed."""
    tasks = [task for task in asyncio.all_tasks(loop) if task.get_coro() is coroutine]
    for task in tasks:
        task.cancel()
    if not tasks:
        coroutine.close()


def _stop(loop: asyncio.AbstractEventLoop) -> None:
    with contextlib.suppress(RuntimeError):  # it is closed
        loop.call_soon_threadsafe(loop.stop)


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    if loop.is_closed():  # another one took its place meanwhile
        return
    asyncio.set_event_loop(loop)
    try:
        while not _has_stopped(loop):
            pass
    finally:
        _finish(loop)


def _has_stopped(loop: asyncio.AbstractEventLoop) -> bool:
    try:
        loop.run_forever()
    except (KeyboardInterrupt, SystemExit):  # raised by a tool: nobody presses Ctrl-C in this thread
        return False
    return True


def _finish(loop: asyncio.AbstractEventLoop) -> None:
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    for _ in range(ROUNDS):
        if tasks:
            _, tasks = loop.run_until_complete(asyncio.wait(tasks, timeout=0.02))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


async def _coroutine(work: Awaitable[T]) -> T:
    return await work
